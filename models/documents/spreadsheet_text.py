"""Makes text safe for spreadsheets, which would compute some of it as a formula."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def plain(text: str) -> str:
    """Returns a text with its control characters replaced by spaces."""
    return CONTROL.sub(" ", text)


def inert(text: str) -> str:
    """Replaces control characters by spaces, and puts `'` before what looks like a formula."""
    cleaned = plain(text)
    formula = cleaned.lstrip().startswith(FORMULA) and not NUMBER.fullmatch(cleaned)
    return f"'{cleaned}" if formula else cleaned
