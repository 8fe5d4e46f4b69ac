"""Formats numbers, dollars and dates, rounded half-up once from the unrounded value."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import SupportsFloat

from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT
from models.contract import decimal_text, page_text
from models.contract.page_text import GAP, month, month_name, negated
from models.contract.page_text import count as count

__all__ = ["GAP", "month", "month_name"]
Number = Decimal | int | float
THOUSAND, MILLION = 10**3, 10**6


def dollars(value: Number | None) -> str:
    """Formats dollars for a sentence: whole, below $100 with cents; `–` for None."""
    return MISSING if value is None else page_text.dollars(exact(value))


def compact(value: Number | None) -> str:
    """Formats dollars for a tile: $1.23M from a million on, $1.23B from a billion on."""
    if value is None:
        return MISSING
    if abs(rounded(value, 0)) < MILLION:
        return dollars(value)
    millions = exact(value) / MILLION
    if abs(rounded(millions, 2)) < THOUSAND:
        return negated(value, f"${_grouped(millions, 2)}M")
    return negated(value, f"${_grouped(millions / THOUSAND, 2)}B")


def cents(value: Number | None) -> str:
    """Formats dollars with cents for a table whose header names the unit: 1,234.50."""
    return MISSING if value is None else negated(value, _grouped(value, 2))


def column_title(text: str) -> str:
    """Joins the `$` of a column's title to the word before it, so that no line break parts them."""
    return text.replace(", $", ",\u00a0$")


def signed(text: str, value: Number | None) -> str:
    """Puts a plus sign before the text of a positive value; other texts stay as they are."""
    return f"+{text}" if value is not None and value > 0 else text


def saving(value: Number | None) -> str:
    """Formats a saving (+) or a loss (−) in dollars; below $100 with cents."""
    return signed(dollars(value), value)


def known_saving(value: Number | None) -> str:
    """Formats a saving (+) or a loss (−) in dollars; "unknown" for None."""
    return UNKNOWN_AMOUNT if value is None else saving(value)


def percent(ratio: Number | None, places: int = 0) -> str:
    """Formats a fraction as a percentage, `–` for None; less than all never as 100 %."""
    return MISSING if ratio is None else page_text.percent(exact(ratio), places)


def number(value: Number | None, places: int = 0) -> str:
    """Formats a number, rounded to whole or given places, with thousands separators."""
    return MISSING if value is None else negated(value, _grouped(value, places))


def plain(value: Number | None) -> str:
    """Formats a number, rounded to 6 places, without trailing zeros: 21.957642."""
    if value is None:
        return MISSING
    text = f"{abs(rounded(value, 6)):,f}"
    return negated(value, text.rstrip("0").rstrip(".") if "." in text else text)


def day(value: date | None) -> str:
    """Formats a date as `12 Jan 2027`; `–` for None."""
    return MISSING if value is None else page_text.day(value)


def sentence(text: str) -> str:
    """Returns a text with a capital at its start and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}."


def rounded(value: Number, places: int) -> Decimal:
    """Rounds a decimal half-up, as finance does."""
    return decimal_text.rounded(exact(value), places)


def exact(value: Number) -> Decimal:
    """Converts a value to a decimal; a float by its shortest text."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def drawn(value: SupportsFloat | None) -> float | None:
    """Converts money to a float for a position in a chart; nowhere else is money a float."""
    return None if value is None else float(value)


def _grouped(value: Number, places: int) -> str:
    return page_text.grouped(exact(value), places)
