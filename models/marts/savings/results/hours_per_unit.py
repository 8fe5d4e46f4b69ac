"""Computes how many hours by the clock a unit of work takes on GPU and on Trainium (METHOD §4.5).

It is the median over lineages of elapsed hours ÷ work. Example: lineages that took 9, 10 and 14
hours an epoch: 10.
"""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

from models.contract.rules.work.kinds_of_work import KIND
from models.contract.schema import NUMBER


def hours_per_unit(runs: ir.Table) -> ir.Table:
    """Computes by recipe and hardware median hours per unit, and work, of runs with known hours."""
    known = runs.filter(runs.hours_per_epoch.notnull())
    return known.group_by(*KIND, "hardware").agg(
        timed_runs=known.count(),
        hours_per_epoch=median(known.hours_per_epoch),
        median_work=median(known.whole_work),
    )


def median(value: ir.Value) -> ir.Value:
    """Returns the median of a column, as a decimal."""
    return cast(ir.NumericColumn, value).median().cast(NUMBER)
