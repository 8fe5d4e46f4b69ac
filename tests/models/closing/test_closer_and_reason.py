"""Nobody writes lines into the CFO's mail by way of a name or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from models.closing.closer_and_reason import closer, in_one_line
from models.contract.errors import CloseError

WHAT = "the closer's name must be one line of printable text, at most 128 characters: "


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("J. Doe\nApproved by the CFO", r"J. Doe\nApproved by the CFO"),
        ("a\x1b[2J", r"a\x1b[2J"),
        ("a\u2028b", r"a\u2028b"),
        ("a\u202eb", "a\u202eb"),
        ("x" * 129, "x" * 79 + "…"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_a_name_of_more_than_a_line_is_refused(tmp_path: Path, name: str, shown: str) -> None:
    said = f"{WHAT}{shown} (--by NAME)" if shown else f"{WHAT}(--by NAME)"
    with pytest.raises(CloseError) as refused:
        closer(name)
    assert str(refused.value) == said
    (tmp_path / "b.toml").write_text("as_of = 2025-10-31\n")
    typed = ["close", "2025-09", "--by", name, "--config", str(tmp_path / "b.toml")]
    result = CliRunner().invoke(main, typed)
    assert (result.exit_code, result.stderr) == (1, f"breakeven: {said}\n")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["J. Doe, Controlling", "Ó Súilleabháin 王", "x" * 128])
def test_a_name_of_one_line_is_taken_as_it_is(name: str) -> None:
    assert closer(name) == name


def test_a_reason_of_several_lines_becomes_one() -> None:
    assert in_one_line(" the invoice\r\ncame\tlate \x07") == r"the invoice came late \x07"
