"""Text that a spreadsheet takes as text, whatever it begins with."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def plain(text: str) -> str:
    """Replaces control characters by spaces."""
    return CONTROL.sub(" ", text)


def inert(text: str) -> str:
    """Puts an apostrophe before a text of a CSV that a spreadsheet would take for a formula."""
    cleaned = plain(text)
    formula = cleaned.lstrip().startswith(FORMULA) and not NUMBER.fullmatch(cleaned)
    return f"'{cleaned}" if formula else cleaned
