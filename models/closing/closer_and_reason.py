"""Checks who closes a month, and formats the reason, for the close, the statement and mails."""

from __future__ import annotations

from models.contract.errors import CloseError
from models.contract.safe_text import on_one_line

LONGEST_NAME = 128
"""Characters of the closer's name."""


def closer(name: str) -> str:
    """Returns the trimmed name of who closes a month; `CloseError` if blank, long or unprintable.

    That is 1 to 128 printable characters: a line feed would put lines into the mail.
    """
    if name.strip() and name.isprintable() and len(name) <= LONGEST_NAME:
        return name.strip()
    shown = on_one_line(name)
    raise CloseError(
        "the closer's name must be one line of printable text, at most 128 characters",
        value=shown if len(shown) <= 80 else f"{shown[:79]}…",
        remedy="--by NAME",
    )


def in_one_line(text: str) -> str:
    """Joins a reason or explanation of several lines into one line."""
    return on_one_line(" ".join(text.split()))
