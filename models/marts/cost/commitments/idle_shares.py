"""Splits idle commitment cost among workloads and the portfolio (METHOD §2.11).

Each commitment's idle of a month falls on the runs it covered that month, by the hours covered; one
that covered no run then stays with the portfolio, if it is for accelerators or ever covered a run.
From Cost Explorer a commitment is all of a payer's of one kind (`commitment_kinds`).
Example: a plan was idle for $90 in a month in which it covered 20 Trainium hours of workload a
and 10 GPU hours of b: $60 is overhead of a, $30 stays on the GPU side.

A run on neither Trainium nor GPU takes nothing: hosts without an accelerator take no share from
the Trainium runs, and a commitment that covered only them stays with the portfolio. This reading
claims least saving, and charges no workload that never used Trainium.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import ZERO, allocated, known_sum
from models.marts.cost.commitments.covered_hours import (
    MONTH,
    covered_hours,
    hours_sharing_idle,
    idle_for_accelerators,
)
from models.marts.cost.commitments.stranded_commitments import stranded_commitments

SHARE = ["date", "commitment", "workload"]


@step(
    grain="date × commitment × workload × kind; settled days",
    units="dollars on the configured basis",
    nulls="commitment: the bill names none; workload: the portfolio; amount: its price is missing",
    method="§2.11, §6.3",
    whose="workload",
)
def commitment_shares(
    idle_commitments: ir.Table,
    committed: ir.Table,
    work_daily: ir.Table,
    cutovers: ir.Table,
) -> ir.Table:
    """Splits each idle commitment's cost among workloads and portfolio, by day and kind (`gpu`, …).

    What falls on runs has the days of their covered hours, within the month of the idle ones.
    """
    covered = covered_hours(committed, work_daily, cutovers)
    stranded = stranded_commitments(idle_commitments, covered, cutovers)
    ours = _without_stranded(idle_for_accelerators(idle_commitments, covered), stranded)
    monthly = ours.group_by(MONTH).agg(cost=known_sum(ours.cost))
    joined = monthly.join(hours_sharing_idle(covered), MONTH)
    shared = allocated(joined, ["cost"], weight="hours", within=MONTH, owner="owner")
    uncovered = ours.anti_join(hours_sharing_idle(covered), MONTH)
    every = shared.select(*SHARE, kind="hardware", amount="cost").union(
        _of_kind(
            uncovered.mutate(workload=ibis.null("string"), amount=uncovered.cost), "uncovered"
        ),
        _of_kind(stranded, "stranded"),
    )
    return every.group_by(*SHARE, "kind").agg(amount=known_sum(every.amount))


@step(
    grain="date × workload × kind; settled days",
    units="dollars on the configured basis",
    nulls="workload: the portfolio; amount: its price is missing",
    method="§2.11, §6.3",
    whose="workload",
)
def commitments(commitment_shares: ir.Table) -> ir.Table:
    """Sums idle commitments' daily cost of workloads and portfolio, by kind (`stranded`, …).

    `trainium` is overhead of the workload, `gpu` is a cost of the GPU side, `uncovered` of the
    portfolio. `stranded` is what the migration left idle of GPU commitments: an investment, and
    never also overhead.
    """
    return commitment_shares.group_by("date", "workload", "kind").agg(
        amount=known_sum(commitment_shares.amount)
    )


def _of_kind(rows: ir.Table, kind: str) -> ir.Table:
    return rows.select(*SHARE, kind=ibis.literal(kind), amount="amount")


def _without_stranded(idle: ir.Table, stranded: ir.Table) -> ir.Table:
    """Subtracts what the migration left idle (stranded) from a commitment's daily idle cost."""
    days = stranded.group_by(of="commitment", on="idle_on").agg(gone=known_sum(stranded.amount))
    left = idle.group_by("date", *MONTH).agg(cost=known_sum(idle.cost))
    left = left.left_join(days, [left.commitment == days.of, left.date == days.on])
    gone = ibis.ifelse(left.of.isnull(), ZERO, left.gone)
    return left.select("date", *MONTH, cost=left.cost - gone)
