"""Writes decimals as exact text."""

from __future__ import annotations

from decimal import MAX_PREC, Context, Decimal

CENT = Decimal("0.01")
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
