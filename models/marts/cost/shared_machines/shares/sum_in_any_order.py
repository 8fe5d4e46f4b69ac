"""Sums seconds so that the order of rows changes nothing."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

SECONDS = "decimal(38, 12)"
"""Doubles of a day are exact to eleven places."""


def sum_in_any_order(seconds: ir.Value) -> ir.FloatingValue:
    """Returns the sum of a column of seconds, in decimals so that no order of rows changes it.

    An amount that a share halves at its ninth place would be rounded up or down as rows come.
    """
    return cast(ir.FloatingValue, seconds.cast(SECONDS).sum().cast("float64"))
