"""Idle commitment, and whose it is.

Grain: date × workload (null: the portfolio) × kind × commitment, dollars on the configured basis.
Each commitment's idle of a month falls on the runs it covered that month by the hours covered; one
that covered no run then stays with the portfolio, if it is for accelerators or ever covered a run
(METHOD §6). `kind`: `trainium` (overhead of the workload), `gpu` (the GPU side's own), `uncovered`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import allocated, money
from models.settings import Settings


def commitments(attributed: ir.Table, covered_hours: ir.Table, settings: Settings) -> ir.Table:
    """`date`, `workload`, `kind`, `commitment`, `amount`; settled days only."""
    cost = attributed[f"{settings.cost.basis}_cost"]
    rows = attributed.mutate(cost=cost, month=attributed.date.truncate("M")).filter(
        attributed.settled
    )
    idle, ever = _idle(rows), covered_hours
    ours = idle.filter(idle.accelerated | idle.commitment.isin(ever.commitment))
    month = ["commitment", "month"]
    monthly = ours.group_by(month).agg(cost=ours.cost.sum())
    joined = monthly.left_join(ever, month)
    joined = joined.drop(*(f"{name}_right" for name in month))
    shared = allocated(joined, ["cost"], weight="hours", within=month, owner="owner")
    covered = shared.filter(shared.hours.notnull()).select(
        "commitment",
        "date",
        "workload",
        kind=ibis.ifelse(shared.hardware == "gpu", "gpu", "trainium"),
        amount=money(shared.cost),
    )
    alone = ours.anti_join(ever, month).select(
        "commitment",
        "date",
        workload=ibis.null("string"),
        kind=ibis.literal("uncovered"),
        amount=money(ours.cost),
    )
    both = covered.union(alone)
    return both.group_by("date", "workload", "kind", "commitment").agg(amount=both.amount.sum())


def _idle(rows: ir.Table) -> ir.Table:
    idle = rows.filter(rows.attribution == "idle_commitment")
    return idle.select(
        "date",
        "month",
        "cost",
        commitment=ibis.coalesce(idle.commitment, idle.reservation),
        accelerated=idle.hardware.isin(("trainium", "gpu")).fill_null(False),
    )
