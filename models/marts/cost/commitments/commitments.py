"""Idle commitment, and whose it is.

Grain: date × workload (null: the portfolio) × kind, dollars on the configured basis.
Each commitment's idle of a month falls on the runs it covered that month by the hours covered; one
that covered no run then stays with the portfolio, if it is for accelerators or ever covered a run
(METHOD §6). A run on neither Trainium nor GPU stands on neither side, so it bears nothing: hosts
without an accelerator shed no idle of the Trainium run beside them, and what covered nothing else
stays with the portfolio. Of the readings this claims least, and it is no overhead of a workload
that never used Trainium. `kind`: `trainium` (overhead of the workload), `gpu` (the GPU side's own),
`uncovered`. What the migration stranded is investment and stands apart.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, allocated

MONTH = ["commitment", "month"]


def commitments(
    idle_commitments: ir.Table, covered_hours: ir.Table, stranded_commitments: ir.Table
) -> ir.Table:
    """`date`, `workload`, `kind`, `amount`; settled days only."""
    ours = _without_stranded(concerning(idle_commitments, covered_hours), stranded_commitments)
    monthly = ours.group_by(MONTH).agg(cost=ours.cost.sum())
    joined = monthly.join(bearing(covered_hours), MONTH)
    shared = allocated(joined, ["cost"], weight="hours", within=MONTH, owner="owner")
    covered = shared.select("date", "workload", kind="hardware", amount="cost")
    alone = ours.anti_join(bearing(covered_hours), MONTH).select(
        "date",
        workload=ibis.null("string"),
        kind=ibis.literal("uncovered"),
        amount="cost",
    )
    both = covered.union(alone)
    return both.group_by("date", "workload", "kind").agg(amount=both.amount.sum())


def concerning(idle: ir.Table, covered_hours: ir.Table) -> ir.Table:
    """Idle of what is for accelerators, or ever covered a run."""
    return idle.filter(idle.accelerated | idle.commitment.isin(covered_hours.commitment))


def bearing(covered_hours: ir.Table) -> ir.Table:
    """The hours that idle falls on."""
    return covered_hours.filter(covered_hours.hardware.isin(("trainium", "gpu")))


def _without_stranded(idle: ir.Table, stranded: ir.Table) -> ir.Table:
    days = stranded.group_by(of="commitment", on="date").agg(gone=stranded.amount.sum())
    left = idle.group_by("date", *MONTH).agg(cost=idle.cost.sum())
    left = left.left_join(days, [left.commitment == days.of, left.date == days.on])
    return left.select("date", *MONTH, cost=left.cost - ibis.coalesce(left.gone, ZERO))
