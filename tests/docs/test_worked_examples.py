"""The numbers on the pages of the method are the numbers that the product computes."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import load
from tests.support.documentation.worked_examples import Example, examples
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import pull_once

METHOD = Path(__file__).parents[2] / "docs" / "method"
ASKED = re.compile(r"(?:FROM|JOIN) (\w+)")
EXAMPLES = [example for page in sorted(METHOD.glob("*.md")) for example in examples(page)]


def built(example: Example, folder: Path) -> SomeMarts:
    """The marts that an example asks about, from its config and files as they are pulled.

    The shipped prices are there already, as after the first time.
    """
    for name, text in example.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = load(folder / "breakeven.toml", {})
    pull_once(settings)
    names = {name for question in example.questions for name in ASKED.findall(question.sql)}
    return some_marts(settings, *sorted(names))


def agrees(shown: str, found: Any) -> bool:  # noqa: ANN401 - whatever DuckDB answers
    """Numbers are compared exactly, `null` is null, and everything else is text."""
    if found is None or isinstance(found, bool):
        return shown == {None: "null", True: "true", False: "false"}[found]
    try:
        return Decimal(shown) == found
    except InvalidOperation:
        return shown == str(found)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_an_example_computes_what_its_page_shows(example: Example, tmp_path: Path) -> None:
    marts = built(example, tmp_path)
    for question in example.questions:
        found = marts.rows(question.sql)
        assert len(found) == len(question.rows) > 0, question.sql
        for shown, row in zip(question.rows, found, strict=True):
            assert list(row) == question.columns
            off = [pair for pair in zip(shown, row.values(), strict=True) if not agrees(*pair)]
            assert off == [], f"the page shows, the product computes: {off}"


def test_every_worked_example_of_the_method_is_on_its_page() -> None:
    titles = [example.title for example in EXAMPLES]
    letters = [title.split()[1].strip(".") for title in titles if title.startswith("Example ")]
    assert letters == list("ABCDEFGHIJKLMNOPQRSTUVW")
