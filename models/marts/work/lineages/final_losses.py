"""The final loss of each lineage, where its losses reach the end of its work (METHOD §3.5).

`final_loss` is the median of the last 5 % (at least one) of its loss samples; a loss that is no
number (`fields.loss`) is a sample, and a median of such is none: null. `losses_stop`: the newest
loss lies before 0.9 of the lineage's work, so there is no final loss: what nobody measured is no
proof of quality. Work is the rise of the high-water mark (of epochs; without any, of tokens, else
of samples), spread over the time since it last rose, because a run that logs whole epochs reports
one all at once.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join

LAST_SHARE = 0.05
AT_MOST = 0.1
"""Of a lineage's work may follow its newest loss."""
LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


@step(
    grain="workload × lineage, of those that report a loss or progress",
    units="loss, as reported",
    nulls="final_loss: no loss, not a number, or the losses stop before the work does",
    method="§3.5",
    whose="run",
)
def final_losses(work_daily: ir.Table, samples: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Computes the final loss of each lineage; null where its losses stop before its work."""
    members = work_daily.filter(work_daily.in_lineage).select(*RUN, "lineage").distinct()
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    losses, steps = losses.join(members, RUN), progress_steps.semi_join(members, RUN)
    both = left_join(_medians(losses), _reaching(losses, steps), LINE)
    stop = ~both.reaches.fill_null(True)
    known = ~stop & ~both.final_loss.isnan()
    return both.select(
        *LINE, final_loss=ibis.ifelse(known, both.final_loss, None), losses_stop=stop
    )


def _medians(losses: ir.Table) -> ir.Table:
    """Returns the median of the last 5 % of each lineage's losses, at least of the last one."""
    newest = losses.loss.collect(order_by=[ibis.desc("observed_at"), "loss"])
    each = losses.group_by(LINE).agg(newest=newest, samples_seen=losses.count())
    last = ibis.greatest((each.samples_seen * LAST_SHARE).floor(), 1).cast("int64")
    ends = each.select(*LINE, loss=each.newest[:last].unnest())
    return ends.group_by(LINE).agg(final_loss=ends.loss.median())


def _reaching(losses: ir.Table, steps: ir.Table) -> ir.Table:
    """Tells per lineage if its newest loss was reported close enough to the end of its training."""
    until = losses.group_by(LINE).agg(newest_loss_at=losses.observed_at.max())
    counted = _one_counter(steps)
    later = counted.join(until, LINE).filter(lambda step: step.observed_at > step.newest_loss_at)
    later = later.filter(_moved(later))
    rows = left_join(later, _last_moved(counted, later), RUN)
    later_work = rows.group_by(LINE).agg(after=(rows.rise * _part_after(rows)).sum())
    sums = left_join(counted.group_by(LINE).agg(work=counted.rise.sum()), later_work, LINE)
    return sums.select(*LINE, reaches=sums.after.fill_null(0) <= sums.work * AT_MOST)


def _one_counter(steps: ir.Table) -> ir.Table:
    """Keeps the steps of each lineage's first counter: epochs, else tokens, else samples."""
    place = steps.counter.cases(("epoch", 0), ("tokens", 1), else_=2)
    steps = steps.mutate(place=place)
    first = steps.place.min().over(ibis.window(group_by=LINE))
    return steps.filter(steps.place == first)


def _moved(steps: ir.Table) -> ir.BooleanValue:
    """Whether a progress sample shows new or repeated work."""
    return (steps.rise > 0) | (steps.repeated > 0)


def _last_moved(steps: ir.Table, later: ir.Table) -> ir.Table:
    """Finds when a run's progress last moved before the newest loss, and when it moves next."""
    until = later.group_by(*RUN, "newest_loss_at").agg(next_at=later.observed_at.min())
    rows = steps.join(until, RUN).filter(lambda step: step.observed_at <= step.newest_loss_at)
    moved = rows.observed_at.max(where=_moved(rows))
    return rows.group_by(*RUN, "next_at").agg(moved_at=ibis.coalesce(moved, rows.observed_at.min()))


def _part_after(steps: ir.Table) -> ir.NumericValue:
    """Returns the share of a run's progress between samples made after the newest loss."""
    end, since = steps.observed_at.epoch_seconds(), steps.moved_at.epoch_seconds()
    first = steps.observed_at == steps.next_at
    part = (end - steps.newest_loss_at.epoch_seconds()) / (end - since)
    return cast(ir.NumericValue, ibis.ifelse(first, part, 1.0).fill_null(1.0))
