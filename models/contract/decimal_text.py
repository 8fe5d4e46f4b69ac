"""Formats decimals: exact text for files, and rounding half-up wherever people read them."""

from __future__ import annotations

from decimal import MAX_PREC, ROUND_HALF_UP, Context, Decimal
from functools import cache

CENT = Decimal("0.01")
UNKNOWN = "unknown"
EXACT = Context(prec=MAX_PREC)
"""However many digits a value has, none is rounded away."""


def decimal_text(value: Decimal) -> str:
    """Formats a decimal as exact text: at least two places, no zeros after them, no exponent.

    Example: 1.5 becomes `1.50`, 0.1250 becomes `0.125`.
    """
    short = value.normalize(EXACT)
    exponent = short.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -2:
        return f"{short:f}"
    return f"{value.quantize(CENT, context=EXACT):f}"


def rounded(value: Decimal, places: int) -> Decimal:
    """Rounds a decimal half-up to a number of decimal places, however many digits it has."""
    return value.quantize(_unit(places), ROUND_HALF_UP, EXACT)


@cache
def _unit(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def dollars(value: Decimal | None) -> str:
    """Formats dollars as `-$1,234.50`, rounded half-up; null is `unknown`."""
    if value is None:
        return UNKNOWN
    cents = rounded(value, 2)
    return f"{'-' if cents < 0 else ''}${abs(cents):,}"
