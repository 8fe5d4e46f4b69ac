"""Text that a spreadsheet takes as text: no formula, no control character, no number changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.documents.spreadsheet_text import inert, plain


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", ""),
        ("  =1+1", "'  =1+1"),
        ("\r\n@x", "'  @x"),
        ("--1", "'--1"),
        ("+", "'+"),
        ("-1.", "'-1."),
        ("-.5", "'-.5"),
        ("-1e5", "'-1e5"),
        ("-1,000", "'-1,000"),
        ("+49", "+49"),
        ("-0.000000001", "-0.000000001"),
        ("- 5", "'- 5"),
        ("'=1", "'=1"),
        ("a\x00\x1f\x7fb", "a   b"),
        ("é = ü", "é = ü"),
    ],
)
def test_only_what_begins_a_formula_is_quoted(text: str, cell: str) -> None:
    assert inert(text) == cell


@given(st.text(alphabet=st.sampled_from("=+-@ \t\n\x0019.eé'x"), max_size=12))
def test_quoting_is_idempotent_and_never_starts_a_formula(text: str) -> None:
    cell = inert(text)
    assert inert(cell) == cell
    assert cell.removeprefix("'") == plain(text).removeprefix("'")
    if cell.lstrip()[:1] in tuple("=+-@"):
        assert float(cell) == float(text)
