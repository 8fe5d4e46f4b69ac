"""Formats amounts, fractions and dates as the pages do, for texts that are read beside them.

Numbers are rounded half-up once from the unrounded value. A negative one has a minus sign, not a
hyphen, and a number and its unit stay on one line.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from models.contract.decimal_text import rounded

MINUS = "\u2212"
GAP = "\u00a0"
"""No-break space, which keeps a number and its unit on one line."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def dollars(value: Decimal) -> str:
    """Formats an amount rounded to whole dollars, or to cents below $100: `$1,235`, `$9.50`."""
    places = 2 if 0 < abs(value) < 100 else 0
    return negated(value, f"${grouped(value, places)}")


def percent(ratio: Decimal, places: int = 0) -> str:
    """Formats a fraction as a percentage; one below 1 that would round to 100 % is 99.9 %."""
    shown = rounded(ratio * 100, places)
    if shown == 100 and ratio < 1:
        places, shown = 1, Decimal("99.9")
    return negated(shown, f"{grouped(shown, places)}{GAP}%")


def day(value: date) -> str:
    """Formats a date: 12 Jan 2027."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def month(value: date) -> str:
    """Formats the month of a date: Jan 2027."""
    return f"{MONTHS[value.month - 1]} {value.year}"


def month_name(value: str) -> str:
    """Formats a month given as 2027-01: Jan 2027."""
    return month(date.fromisoformat(f"{value}-01"))


def grouped(value: Decimal, places: int) -> str:
    """Formats a number without its sign: rounded, with thousands separators."""
    return f"{abs(rounded(value, places)):,f}"


def negated(value: Decimal | float, text: str) -> str:
    """Puts a minus sign before a negative number's text, unless that was rounded to zero."""
    return f"{MINUS}{text}" if value < 0 and any(c in "123456789" for c in text) else text


def count(size: int, noun: str) -> str:
    """Formats a number with its noun: 1 workload, 3 workloads."""
    return f"{size:,} {noun}" if size == 1 else f"{size:,} {noun}s"
