"""A month as every table, option and file name writes it: `2026-09`."""

from __future__ import annotations

import re
from datetime import date, timedelta


def is_month(text: str) -> bool:
    """Whether a text is a calendar month such as `2026-09`."""
    return re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", text) is not None


def last_day(month: str) -> date:
    """Returns the last day of a month given as `YYYY-MM`."""
    first = date.fromisoformat(f"{month}-01")
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
