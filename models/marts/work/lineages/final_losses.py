"""The final loss of each lineage, where its losses reach the end of its work (METHOD §3.5).

Grain: workload × lineage. `final_loss` is the median of the last 5 % (at least one) of its loss
samples; a loss that is no number (`fields.loss`) is a sample, and a median of such is none: null.
METHOD leaves open how far a loss speaks for work after it. Here: for an epoch at most, or for 5 %
of the lineage's epochs if that is more, but never for more than half of them; and not for what a
run did that reports no loss at all. Beyond that (`losses_stop`) the lineage has no final loss: what
nobody measured is no proof of quality. Work is the rise of the high-water mark, spread over the
time since it last rose: who logs whole epochs tells one all at once.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

LAST_SHARE = 0.05
SPOKEN_FOR = 1
"""Epochs: who logs a loss at the end of each is never further on."""
AT_MOST = 0.5
LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


def final_losses(work_daily: ir.Table, samples: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """`workload`, `lineage`, `final_loss`, `losses_stop`, by the runs that `stand`.

    As far as is told: of what has not ended, nothing is final.
    """
    members = work_daily.filter(work_daily.stands).select(*RUN, "lineage").distinct()
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    losses, steps = losses.join(members, RUN), progress_steps.semi_join(members, RUN)
    told = left_join(_medians(losses), _untold(losses, steps), LINE)
    stop = ~told.reaches.fill_null(True)
    known = ~stop & ~told.final_loss.isnan()
    return told.select(
        *LINE, final_loss=ibis.ifelse(known, told.final_loss, None), losses_stop=stop
    )


def _medians(losses: ir.Table) -> ir.Table:
    newest = losses.loss.collect(order_by=[ibis.desc("observed_at"), "loss"])
    each = losses.group_by(LINE).agg(newest=newest, samples_seen=losses.count())
    last = ibis.greatest((each.samples_seen * LAST_SHARE).floor(), 1).cast("int64")
    ends = each.select(*LINE, loss=each.newest[:last].unnest())
    return ends.group_by(LINE).agg(final_loss=ends.loss.median())


def _untold(losses: ir.Table, steps: ir.Table) -> ir.Table:
    """`reaches`: no more was done after a lineage's newest loss than that speaks for."""
    until = losses.group_by(LINE).agg(told_until=losses.observed_at.max())
    telling = losses.select(RUN).distinct().mutate(tells=True)
    counted = steps.filter(steps.counter == "epoch")
    later = counted.join(until, LINE).filter(lambda step: step.observed_at > step.told_until)
    later = later.filter(_moved(later))
    rows = left_join(left_join(later, telling, RUN), _stood(counted, later), RUN)
    spoken = rows.group_by(LINE).agg(
        after=(rows.rise * _part_after(rows)).sum(), mute=rows.tells.isnull().any()
    )
    sums = left_join(counted.group_by(LINE).agg(epochs=counted.rise.sum()), spoken, LINE)
    enough = ibis.greatest(SPOKEN_FOR, sums.epochs * LAST_SHARE)
    spoken_for = ibis.least(enough, sums.epochs * AT_MOST)
    reaches = (sums.after.fill_null(0) <= spoken_for) & ~sums.mute.fill_null(False)
    return sums.select(*LINE, reaches=reaches)


def _moved(steps: ir.Table) -> ir.BooleanValue:
    return (steps.rise > 0) | (steps.repeated > 0)


def _stood(steps: ir.Table, later: ir.Table) -> ir.Table:
    """`stood_at`: when a run's mark had last moved, or it began, before it next did, `next_at`."""
    until = later.group_by(*RUN, "told_until").agg(next_at=later.observed_at.min())
    rows = steps.join(until, RUN).filter(lambda step: step.observed_at <= step.told_until)
    moved = rows.observed_at.max(where=_moved(rows))
    return rows.group_by(*RUN, "next_at").agg(stood_at=ibis.coalesce(moved, rows.observed_at.min()))


def _part_after(steps: ir.Table) -> ir.NumericValue:
    """Of the time of a later rise, what lies after the newest loss: all but of a run's first."""
    end, since = steps.observed_at.epoch_seconds(), steps.stood_at.epoch_seconds()
    first = steps.observed_at == steps.next_at
    part = (end - steps.told_until.epoch_seconds()) / (end - since)
    return cast(ir.NumericValue, ibis.ifelse(first, part, 1.0).fill_null(1.0))
