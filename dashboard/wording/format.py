"""How a value is written: rounded half-up once, here, from the unrounded value."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import SupportsFloat

from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

MINUS = "\u2212"
GAP = "\u00a0"
"""Keeps a number and its unit on one line."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
Number = Decimal | int | float


def dollars(value: Number | None) -> str:
    """Whole dollars, as in a sentence; below $100 cents still matter."""
    if value is None:
        return MISSING
    places = 2 if 0 < abs(exact(value)) < 100 else 0
    return _negated(value, f"${_grouped(value, places)}")


def compact(value: Number | None) -> str:
    """Dollars on a tile: $1.23M from a million on."""
    if value is None:
        return MISSING
    size = abs(rounded(value, 0))
    for unit, scale in (("B", 10**9), ("M", 10**6)):
        if size >= scale:
            return _negated(value, f"${_grouped(exact(value) / scale, 2)}{unit}")
    return dollars(value)


def cents(value: Number | None) -> str:
    """Dollars in a table, the unit standing in the header: 1,234.50."""
    return MISSING if value is None else _negated(value, _grouped(value, 2))


def signed(text: str, value: Number | None) -> str:
    """`text` of a saving or a loss, with its sign."""
    return f"+{text}" if value is not None and value > 0 else text


def saving(value: Number | None) -> str:
    """A saving (+) or a loss (−) in whole dollars."""
    return signed(dollars(value), value)


def known_saving(value: Number | None) -> str:
    """A saving or a loss, or the word for one that nobody knows."""
    return UNKNOWN_AMOUNT if value is None else saving(value)


def percent(ratio: Number | None, places: int = 0) -> str:
    """A fraction as a percentage; never 100 % for what falls short of it."""
    if ratio is None:
        return MISSING
    shown = rounded(exact(ratio) * 100, places)
    if shown == 100 and ratio < 1:
        places, shown = 1, Decimal("99.9")
    return _negated(shown, f"{_grouped(shown, places)}{GAP}%")


def number(value: Number | None, places: int = 0) -> str:
    """A count or a quantity without a unit."""
    return MISSING if value is None else _negated(value, _grouped(value, places))


def plain(value: Number | None) -> str:
    """An exact number with its trailing zeros removed: 21.957642."""
    if value is None:
        return MISSING
    text = f"{abs(rounded(value, 6)):,f}"
    return _negated(value, text.rstrip("0").rstrip(".") if "." in text else text)


def day(value: date | None) -> str:
    """12 Jan 2027."""
    return MISSING if value is None else f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def month(value: date) -> str:
    """Jan 2027."""
    return f"{MONTHS[value.month - 1]} {value.year}"


def month_name(value: str) -> str:
    """Jan 2027, from the mart's 2027-01."""
    return month(date.fromisoformat(f"{value}-01"))


def count(size: int, noun: str) -> str:
    """1 workload, 3 workloads."""
    return f"{size:,} {noun}" if size == 1 else f"{size:,} {noun}s"


def sentence(text: str) -> str:
    """`text` with a capital at its head and a full stop; what stands within keeps its own."""
    return f"{text[:1].upper()}{text[1:]}."


def rounded(value: Number, places: int) -> Decimal:
    """Half-up, as finance rounds."""
    return exact(value).quantize(_unit(places), ROUND_HALF_UP)


@cache
def _unit(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def exact(value: Number) -> Decimal:
    """`value` as a decimal; a float by its shortest text."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def drawn(value: SupportsFloat | None) -> float | None:
    """The one place where money becomes a float: a position in a figure."""
    return None if value is None else float(value)


def _grouped(value: Number, places: int) -> str:
    return f"{abs(rounded(value, places)):,f}"


def _negated(value: Number, text: str) -> str:
    """A minus sign only where something is left after rounding."""
    return f"{MINUS}{text}" if value < 0 and any(c in "123456789" for c in text) else text
