"""Writes decimals as exact text."""

from __future__ import annotations

from decimal import Decimal

CENT = Decimal("0.01")


def decimal_text(value: Decimal) -> str:
    """Returns exact text: at least two places, no zeros after them, never an exponent.

    Example: 1.5 becomes `1.50`, 0.1250 becomes `0.125`.
    """
    short = value.normalize()
    exponent = short.as_tuple().exponent
    places = short if isinstance(exponent, int) and exponent < -2 else value.quantize(CENT)
    return f"{places:f}"
