"""The numbers on the pages of the method are the numbers that the product computes."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from breakeven import main
from tests.support.worked_examples import Example, examples

METHOD = Path(__file__).parents[2] / "docs" / "method"
EXAMPLES = [example for page in sorted(METHOD.glob("*.md")) for example in examples(page)]


def built(example: Example, folder: Path) -> duckdb.DuckDBPyConnection:
    """The published snapshot of an example, made as a user would."""
    for name, text in example.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for verb in ("ingest", "build"):
        result = CliRunner().invoke(main, [verb, "--config", str(folder / "breakeven.toml")])
        assert result.exit_code == 0, result.output
    (snapshot,) = (folder / "data" / "snapshots").glob("*.duckdb")
    return duckdb.connect(str(snapshot), read_only=True)


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
    with built(example, tmp_path) as snapshot:
        for question in example.questions:
            answer = snapshot.execute(question.sql)
            assert [column[0] for column in answer.description] == question.columns
            found = answer.fetchall()
            assert len(found) == len(question.rows) > 0, question.sql
            for shown, row in zip(question.rows, found, strict=True):
                off = [pair for pair in zip(shown, row, strict=True) if not agrees(*pair)]
                assert off == [], f"the page shows, the product computes: {off}"


def test_every_worked_example_of_the_method_is_on_its_page() -> None:
    titles = [example.title for example in EXAMPLES]
    letters = [title.split()[1].strip(".") for title in titles if title.startswith("Example ")]
    assert letters == list("ABCDEFGH")
