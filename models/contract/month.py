"""A month as every table, option and file name writes it: `2026-09`."""

from __future__ import annotations

import re


def is_month(text: str) -> bool:
    """Whether a text is a calendar month such as `2026-09`."""
    return re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", text) is not None
