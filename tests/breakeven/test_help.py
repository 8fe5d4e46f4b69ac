"""What `--help` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from breakeven import main


def verbs(of: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by its words: `token create`."""
    yield name.strip(), of
    for word, inner in getattr(of, "commands", {}).items():
        yield from verbs(inner, f"{name} {word}")


EVERY = dict(verbs(main))


@pytest.mark.parametrize("name", EVERY)
def test_help_cuts_no_summary_wraps_no_command_and_shows_no_code(name: str) -> None:
    shown = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=80).stdout
    assert "..." not in shown.partition("Commands:")[2]
    assert "%Y" not in shown
    for example in re.findall(r"Example: (.*)", EVERY[name].help or ""):
        assert f"Example: {example}\n" in shown


@pytest.mark.parametrize("name", EVERY)
def test_every_option_says_what_it_is_for(name: str) -> None:
    options = [each for each in EVERY[name].params if isinstance(each, click.Option)]
    assert [each.name for each in options if not each.help] == []
