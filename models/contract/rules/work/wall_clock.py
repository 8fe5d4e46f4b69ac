"""Hours by the clock between two moments (METHOD §4.5)."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

from models.contract.schema import NUMBER

HOUR = 3600
"""Seconds."""


def hours_between(began: ir.Value, stopped: ir.Value) -> ir.DecimalValue:
    """Returns the column of hours between two times, to nine places; null where one is unknown."""
    first, last = cast(ir.TimestampValue, began), cast(ir.TimestampValue, stopped)
    return hours_of(last.epoch_seconds() - first.epoch_seconds())


def hours_of(seconds: ir.Value) -> ir.DecimalValue:
    """Returns the column of a number of seconds in hours, to nine places."""
    return cast(ir.DecimalValue, (seconds.cast("float64") / HOUR).round(9).cast(NUMBER))
