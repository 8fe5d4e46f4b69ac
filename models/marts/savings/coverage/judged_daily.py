"""Sums daily Trainium production cost, and the part of it that is compared with GPU.

A cost is compared if its lineage counts, its workload may claim a saving and its kind of work has a
GPU baseline on the day: it is the cost in `savings_daily`. Example: of $8,400 a day $400 are of a
recipe that also ran on GPU: 0.047619 of the spend is compared, and the headline is about that part.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.rules.work.kinds_of_work import with_own_baseline
from models.contract.schema import EXPLAINERS

KEYS = ["date", "workload"]


@mart(
    grain="date × workload, of settled days with production on Trainium",
    units="dollars on `cost.basis`",
    nulls="the cost of a run of the day is unknown",
    method="§6.10",
    whose="workload",
)
def judged_daily(
    credited_daily: ir.Table,
    baselines: ir.Table,
    workload_state: ir.Table,
    lineage_facts: ir.Table,
    work_daily: ir.Table,
) -> ir.Table:
    """Sums by day and workload the production cost on Trainium, and its part compared with GPU."""
    rows = with_judged(credited_daily, baselines, workload_state).select(*KEYS, "cost", "judged")
    unpriced = unpriced_days(work_daily, lineage_facts).mutate(judged=ibis.literal(False))
    every = rows.union(unpriced.select(rows.columns))
    return (
        every.group_by(KEYS)
        .agg(
            trn_cost=known_sum(every.cost),
            judged_cost=known_sum(ibis.ifelse(every.judged, every.cost, ZERO)),
        )
        .select(*EXPLAINERS["judged_daily"])
    )


def with_judged(
    credited_daily: ir.Table, baselines: ir.Table, workload_state: ir.Table
) -> ir.Table:
    """Selects settled days of Trainium runs; adds `judged`, if their cost is compared with GPU."""
    rows = credited_daily.filter(credited_daily.settled)
    rows = with_own_baseline(rows, baselines, "value")
    rows = left_join(rows, workload_state.select("workload", "barred"), ["workload"])
    judged = (rows.standing == "counted") & rows.value.notnull() & ~rows.barred
    return rows.mutate(judged=judged.fill_null(False))


def unpriced_days(work_daily: ir.Table, lineage_facts: ir.Table) -> ir.Table:
    """Lists settled days of Trainium runs that would count if their cost were known."""
    lines = lineage_facts.filter(lineage_facts.unpriced)
    rows = work_daily.filter(work_daily.settled & work_daily.in_lineage)
    rows = rows.filter(rows.hardware == "trainium")
    return rows.semi_join(lines, ["workload", "lineage"])
