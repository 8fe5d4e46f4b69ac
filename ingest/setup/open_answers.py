"""Asks again what a first config left open: where the bill is, and where progress is."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from ingest.setup.first_config import (
    BILL,
    EPOCHS,
    METRICS,
    InitAnswers,
    replace_config,
    write_places,
)
from ingest.setup.interview import ask_places
from ingest.setup.places import PlaceChecks, is_missing
from models.config.loading import config_text

KNOWN = "known"
"""Stands for an answer that the config has, so that it is neither asked for nor written."""
EXPORTS, PROGRESS = "focus|cur2", "progress_file"
SOURCE = r'^\[\[sources\]\]\nkind = "({})"\nlocation = (".*")\n(?=\s|#|\[|\Z)'
"""A source with a location and no other key, as `breakeven init` writes it."""


class OpenPlace(NamedTuple):
    """A `[[sources]]` entry with no file at its location yet: its text, kind and location."""

    lines: str
    kind: str
    location: str


def complete_config(path: Path, given: InitAnswers, checks: PlaceChecks) -> None:
    """Asks where bill and progress are if a config does not say, and writes the answers into it.

    Not there is a place on this machine without any file. Whatever else was edited by hand is an
    answer. Raises `click.Abort` on Ctrl-C, and then writes nothing; `ConfigError` for an answer
    that cannot be.
    """
    text, home = config_text(path), path.absolute().parent
    bill = _open_bill(text, home) if "cost.source = " in text else None
    progress = _open_place(text, PROGRESS, home) if text.count(METRICS) == 1 else None
    if not bill and not progress:
        return
    asked = replace(
        given,
        bill=given.bill if bill else KNOWN,
        progress=given.progress if progress else KNOWN,
    )
    found = ask_places(asked, _offered(asked, bill, progress), checks)
    answers = replace(
        found,
        bill=found.bill if bill else "",
        progress=found.progress if progress else "",
    )
    for place, example in ((bill, BILL), (progress, EPOCHS)):
        text = text.replace(place.lines, example) if place else text
    replace_config(path, write_places(text, answers))


def _open_bill(text: str, home: Path) -> OpenPlace | None:
    """Returns the bill's entry if it is the template's example or its files are missing."""
    if text.count(BILL) == 1:
        return OpenPlace(BILL, "", "")
    return _open_place(text, EXPORTS, home)


def _open_place(text: str, kinds: str, home: Path) -> OpenPlace | None:
    """Returns the only entry of these kinds if its local location has no file; else None."""
    found = list(re.finditer(SOURCE.format(kinds), text, re.MULTILINE))
    if len(found) != 1:
        return None
    kind, quoted = found[0].groups()
    location = tomllib.loads(f"location = {quoted}")["location"]
    return OpenPlace(found[0][0], kind, location) if is_missing(location, home) else None


def _offered(asked: InitAnswers, bill: OpenPlace | None, progress: OpenPlace | None) -> InitAnswers:
    """Fills open answers with the config's own locations; prints those with nothing there."""
    for place in (bill, progress):
        if place and place.location and place.lines != EPOCHS:
            click.echo(f"Not there yet: {place.location}", err=True)
    return replace(
        asked,
        bill=asked.bill or (bill.location if bill else ""),
        kind=asked.kind or (bill.kind if bill else ""),
        progress=asked.progress or (progress.location if progress else ""),
    )
