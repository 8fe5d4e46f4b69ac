"""Each key has a folder of its own below the zone, whatever its names are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.raw.delivery_key import Key

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("export-1", "export-1"),
        ("999900000001@us-east-1", "999900000001@us-east-1"),
        ("a=1, b=2", "a=1, b=2"),
        ("a/b", "a%2Fb"),
        ("s3://b/k", "s3%3A%2F%2Fb%2Fk"),
        ("", "_"),
        ("_", "%5F"),
        ("..", "%2E."),
        (".hidden", "%2Ehidden"),
        ("50%", "50%25"),
        ("é", "%C3%A9"),
    ],
)
def test_a_name_is_kept_where_a_folder_may_have_it_and_quoted_where_not(
    name: str, folder: str
) -> None:
    assert Key("focus", name, "2026-09").path == Path("focus") / folder / "2026-09"


def test_names_too_long_for_a_folder_differ_by_a_hash_of_the_whole() -> None:
    first, second = (Key("s", "x" * 300 + end, "all").path.parts[1] for end in "ab")
    assert first != second
    assert first.startswith("x" * 183 + "-")
    assert len(first) == len(second) == 200


@given(unit=NAMES)
def test_a_folder_name_is_one_part_neither_hidden_nor_too_long(unit: str) -> None:
    source, folder, period = Key("s", unit, "all").path.parts
    assert (source, period) == ("s", "all")
    assert 0 < len(folder.encode()) <= 200
    assert not folder.startswith(".")


@given(one=NAMES, other=NAMES)
def test_two_names_never_share_a_folder(one: str, other: str) -> None:
    same = Key("s", one, "all").path == Key("s", other, "all").path
    assert same == (one == other)
