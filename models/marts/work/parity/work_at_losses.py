"""Computes how much work a lineage of runs had done at each of its losses (METHOD §3.5).

`done` counts the lineage's first counter: epochs, else tokens, else samples. A loss between two
samples of progress has its part of their rise, evenly over the time since progress last moved,
because a run that logs whole epochs reports one all at once. Example: epochs 0 at 00:00 and 1 at
20:00; a loss at 18:00 lies at 0.9 epoch. Of a run that reports its work once, at its end, it is
over the time since its first loss.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, money, zero_if_null
from models.contract.schema import NUMBER

LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


def work_at_losses(losses: ir.Table, steps: ir.Table) -> ir.Table:
    """Adds to each loss the work that its lineage of runs had `done` by then, and its `total` work.

    `losses` have workload, run, lineage, observed_at and loss; `steps` are `progress_steps`.
    """
    counted = _one_counter(steps.semi_join(losses, LINE))
    totals = counted.group_by(LINE).agg(total=counted.rise.sum().cast(NUMBER))
    rows = _both(losses, _anchors(counted))
    before = ibis.cumulative_window(group_by=LINE, order_by=["observed_at", "is_loss", "run"])
    in_run = {"group_by": RUN, "order_by": ["observed_at", "is_loss"]}
    so_far, ahead = (
        ibis.cumulative_window(**in_run),
        ibis.rows_window(following=(0, None), **in_run),
    )
    first_loss = rows.observed_at.min().over(ibis.window(group_by=RUN))
    placed = rows.mutate(
        passed=zero_if_null(rows.of_lineage.max().over(before)),
        rising=rows.of_run.min().over(ahead) - zero_if_null(rows.of_run.max().over(so_far)),
        since=rows.moved_at.max().over(so_far).coalesce(first_loss).epoch_seconds(),
        until=rows.moved_at.min().over(ahead).epoch_seconds(),
    ).filter(rows.is_loss)
    part = (placed.observed_at.epoch_seconds() - placed.since) / (placed.until - placed.since)
    share = money((placed.rising.cast("float64") * part).round(9)).fill_null(ZERO)
    known = left_join(placed.mutate(done=placed.passed + share), totals, LINE)
    return known.select(
        *LINE, "observed_at", "loss", "total",
        done=ibis.ifelse(known.total.isnull(), None, known.done).cast(NUMBER),
    )  # fmt: skip


def _one_counter(steps: ir.Table) -> ir.Table:
    """Selects progress steps of each lineage of runs: in epochs, else tokens, else samples."""
    place = steps.counter.cases(("epoch", 0), ("tokens", 1), else_=2)
    steps = steps.mutate(place=place)
    first = steps.place.min().over(ibis.window(group_by=LINE))
    return steps.filter(steps.place == first)


def _anchors(steps: ir.Table) -> ir.Table:
    """Selects each run's first step and those with new or repeated work; adds the work so far."""
    in_run = {"group_by": RUN, "order_by": "observed_at"}
    order = ["observed_at", "run"]
    rows = steps.mutate(
        of_lineage=steps.rise.sum().over(ibis.cumulative_window(group_by=LINE, order_by=order)),
        of_run=steps.rise.sum().over(ibis.cumulative_window(**in_run)),
        place=ibis.row_number().over(ibis.window(**in_run)),
    )
    moved = (rows.rise > 0) | (rows.repeated > 0) | (rows.place == 0)
    return rows.filter(moved)


def _both(losses: ir.Table, anchors: ir.Table) -> ir.Table:
    """Merges losses and progress steps into one table; at the same time the step comes first."""
    columns = [*LINE, "run", "observed_at"]
    at = anchors.select(
        *columns,
        moved_at="observed_at",
        of_lineage=anchors.of_lineage.cast(NUMBER),
        of_run=anchors.of_run.cast(NUMBER),
        loss=ibis.null("float64"),
        is_loss=ibis.literal(False),
    )
    reports = losses.select(
        *columns,
        moved_at=ibis.null(losses.observed_at.type()),
        of_lineage=ibis.null(NUMBER),
        of_run=ibis.null(NUMBER),
        loss=losses.loss.cast("float64"),
        is_loss=ibis.literal(True),
    )
    return at.union(reports)
