"""Chooses the unit in which each training recipe's work is counted (METHOD §3.4).

It is the first of epochs, tokens and samples in which `min_runs` GPU lineages qualify and 95 % of
the cost of the kind's production Trainium lineages with progress can be counted; else, of those
with `min_runs`, the one that covers most of that cost; else the first that counts anything. `unit`
of `[[workloads]]` pins it. Example: two GPU lineages report tokens alone, and so does the Trainium
lineage: the unit is a billion tokens.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, zero_if_null
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.units import EPOCH
from models.marts.work.comparison.units_of_lineages import best

ENOUGH_COUNTABLE = 0.95


def chosen_units(rows: ir.Table, config_workloads: ir.Table, min_runs: int) -> ir.Table:
    """Chooses each recipe's unit of work: the config's, else the first that counts enough runs.

    `rows` are those of `units_of_lineages`. Returns a row per workload × kind; `least_work` is in
    `unit`, null where no GPU lineage has ended.
    """
    progressed = rows.on_trainium & rows.reports_progress
    units = rows.group_by(*KIND, "unit", "main").agg(
        least_work=rows.least_work.max(),
        enough=rows.qualifies.sum() >= min_runs,
        trn_countable=zero_if_null(rows.cost.sum(where=progressed & rows.countable)),
        trn_cost=zero_if_null(rows.cost.sum(where=progressed)),
        some=rows.countable.any(),
        on_gpu=(rows.on_gpu & ~rows.recipes_differ).any(),
        has_gpu=rows.on_gpu.any(),
        countable_on_gpu=(rows.countable & rows.on_gpu).any(),
    )
    units = left_join(units, config_workloads.select("workload", pinned="unit"), ["workload"])
    return best(
        _scored(units), "pinned", "whole", "enough", "countable_where_enough", "some"
    ).select(*KIND, "unit", "main", "least_work", "on_gpu", "has_gpu", "countable_on_gpu")


def _scored(units: ir.Table) -> ir.Table:
    """Adds the columns that rank units: pinned, covers 95 %, enough GPU runs, cost covered."""
    whole = units.trn_countable.cast("float64") >= units.trn_cost.cast("float64") * ENOUGH_COUNTABLE
    return units.mutate(
        pinned=(units.unit == units.pinned).fill_null(False),
        whole=units.enough & whole,
        countable_where_enough=ibis.ifelse(units.enough & ~whole, units.trn_countable, ZERO),
        some=units.some.fill_null(units.unit == EPOCH),
    )
