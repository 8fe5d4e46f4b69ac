"""GPU lineages that have ended, and whether a baseline may stand on them (METHOD §5).

Grain: workload × lineage, and the `kind` of work that it is. `qualifies` from 0.9 epoch on; what
falls short of that failed, and its cost is the baseline's too. `omitted` says in words why a
lineage is neither: nobody reported how far it got, or not until much of it was over
(`counts_late`), or not of one of its runs (`half_told`), or in samples alone and not how many make
an epoch. METHOD adds runs that failed, which is not known of these; their cost without their epochs
would make the others' epochs dearer.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.qualifying_runs import (
    ENOUGH_EPOCHS,
    HALF_TOLD,
    LATE,
    qualifies,
    unknown_work,
)


def ended_gpu(lineage_facts: ir.Table, comparable: ir.Table) -> ir.Table:
    """`kind`, `ended_on`, `work`, `per_epoch`, `cost`, `qualifies`, `omitted`.

    Those that compare, and those that never said what they were.
    """
    rows = lineage_facts.join(comparable, ["workload", "lineage"])
    rows = rows.filter(rows.on_gpu & rows.ended)
    rows = rows.filter(~rows.counts | (rows.comparability == "comparable"))
    rows = rows.mutate(qualifies=qualifies(rows), untold=unknown_work(rows))
    rows = _dearer(rows)
    return rows.select(
        "workload",
        "lineage",
        "kind",
        "ended_on",
        "work",
        "per_epoch",
        "cost",
        qualifies=rows.known & (rows.epochs >= ENOUGH_EPOCHS),
        omitted=ibis.ifelse(rows.known, None, rows.untold),
    )


def _dearer(rows: ir.Table) -> ir.Table:
    """`known` also where half was told, and even so an epoch cost less than the others did."""
    others = rows.filter(rows.qualifies).group_by("workload", "kind")
    means = others.agg(
        others_cost=lambda row: row.cost.sum(), others_work=lambda row: row.work.sum()
    )
    rows = left_join(rows, means, ["workload", "kind"])
    cheap = rows.cost.cast("float64") * rows.others_work.cast("float64") < (
        rows.others_cost.cast("float64") * rows.work.cast("float64")
    )
    partly = rows.untold.isin((LATE, HALF_TOLD)) & cheap
    return rows.mutate(known=rows.untold.isnull() | partly.fill_null(False))
