"""Decimals as text that says exactly what they are."""

from __future__ import annotations

from decimal import Decimal

CENT = Decimal("0.01")


def decimal_text(value: Decimal) -> str:
    """Exact decimal text: at least two places, no zeros after them, never an exponent."""
    short = value.normalize()
    exponent = short.as_tuple().exponent
    places = short if isinstance(exponent, int) and exponent < -2 else value.quantize(CENT)
    return f"{places:f}"
