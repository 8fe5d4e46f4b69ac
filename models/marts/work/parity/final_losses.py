"""Computes the final loss of each lineage of runs, if losses go on to the end (METHOD §3.5).

`final_loss` is the median of the last 5 % (at least one) of its loss samples. A loss that is not a
number (`fields.loss`) is a sample too; a median that is not a number is null. `losses_stop`: the
newest loss is before 0.9 of the lineage's work, so there is no final loss, because an unmeasured
loss proves no quality.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.work.parity.work_at_losses import LINE, RUN, work_at_losses

LAST_SHARE = 0.05
LEAST = 9
"""Tenths of a lineage's work that must be done by its newest loss."""


@step(
    grain="workload × lineage, of those that report a loss",
    units="loss, as reported",
    nulls="final_loss: not a number, or the losses stop before the work does",
    method="§3.5",
    whose="run",
)
def final_losses(work_daily: ir.Table, samples: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Computes the final loss of each lineage of runs; null if losses stop before its work does."""
    members = work_daily.filter(work_daily.in_lineage).select(*RUN, "lineage").distinct()
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    steps = progress_steps.semi_join(members, RUN)
    losses = work_at_losses(losses.join(members, RUN), steps)
    newest = losses.loss.collect(order_by=[ibis.desc("observed_at"), "loss"])
    each = losses.group_by(LINE).agg(
        newest=newest,
        samples_seen=losses.count(),
        stop=(losses.done.max() * 10 < losses.total.max() * LEAST).fill_null(False),
    )
    last = ibis.greatest((each.samples_seen * LAST_SHARE).floor(), 1).cast("int64")
    ends = each.select(*LINE, "stop", loss=each.newest[:last].unnest())
    final = ends.group_by(*LINE, losses_stop="stop").agg(loss=ends.loss.median())
    known = ~final.losses_stop & ~final.loss.isnan()
    return final.select(*LINE, "losses_stop", final_loss=ibis.ifelse(known, final.loss, None))
