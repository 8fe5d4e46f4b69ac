"""A test for lines of the bill that cost $0."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.formats import fields


def costs_nothing(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a bill line's billed and effective costs are both 0 or absent.

    Hours of a Capacity Block are billed like this (METHOD §2.7).
    """
    amounts = [fields.amount(lines, name) for name in ("EffectiveCost", "BilledCost")]
    return cast(ir.BooleanValue, ibis.and_(*(value.fill_null(0) == 0 for value in amounts)))
