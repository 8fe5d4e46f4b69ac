"""Text as a spreadsheet must take it: as text, whatever it begins with."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def plain(text: str) -> str:
    """Without control characters."""
    return CONTROL.sub(" ", text)


def inert(text: str) -> str:
    """For a CSV file: with an apostrophe before what a spreadsheet would take for a formula."""
    said = plain(text)
    formula = said.lstrip().startswith(FORMULA) and not NUMBER.fullmatch(said)
    return f"'{said}" if formula else said
