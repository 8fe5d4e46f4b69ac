"""Reads a delivered loss; NaN or beyond ±10^15 gives NaN: a diverged run (METHOD §3.5)."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

LARGEST_LOSS = 1e15
"""The emitter reports a loss that is no number above this (`emit.LARGEST`); so is a day's mean."""


def loss_value(given: ir.Value) -> ir.FloatingValue:
    """Returns the column expression of a loss as a double; `NaN` if it is `NaN` or beyond ±10^15.

    CloudWatch accepts neither `NaN` nor infinity, so the emitter writes a huge number instead.
    """
    number = given.cast("float64")
    # both engines order NaN above every number
    return cast(ir.FloatingValue, ibis.ifelse(number.abs() > LARGEST_LOSS, float("nan"), number))
