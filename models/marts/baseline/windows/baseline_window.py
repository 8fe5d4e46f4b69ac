"""Lists the GPU runs that may set a baseline, and from which day on (METHOD §5.1).

`since` is a day on which a GPU lineage of the kind ended; until the next such day its windows stay
the same, because no baseline changes merely as time passes. Of the qualifying lineages that had
ended by then, those are `recent` that ended in the `window_days` up to the newest; each platform's
latest of them, by the hour (`ended_at`), are its window (`candidates`). If no platform has enough
they are pooled, whatever their age (`stale`), topped up with the earliest that end later (`later`).
A GPU lineage that failed before it qualified adds its cost and work (`qualifies` is false) if it
ended among them. A lineage that is `omitted` (`ended_runs`) is in no window.

Example with 365 days and `min_runs = 2`: g1 ended on 1 March 2024, g2 on 1 May 2025. From 1 May on
only g2 is recent, so g1 is added, stale.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND, KIND_SINCE
from models.marts.baseline.windows.candidates import candidates, pooled_window
from models.marts.baseline.windows.ended_runs import ended_runs

LINE = ["workload", "lineage"]
BEFORE_ALL = ibis.date("1970-01-01")
A_DAY = 24 * 3600
"""Seconds."""


@step(
    grain="workload × kind × since × candidate × lineage",
    units="`work` in the unit of the kind",
    nulls="newest: none had ended by `since`",
    method="§5.1",
    whose="workload",
)
def baseline_window(
    lineage_facts: ir.Table, comparable: ir.Table, gpu_use: ir.Table, settings: Settings
) -> ir.Table:
    """Lists GPU runs that may set each recipe's baseline, by platform and day from which they do.

    `newest` is the day on which the newest of them all had ended.
    """
    ended = ended_runs(lineage_facts, comparable)
    usable = left_join(ended.filter(ended.omitted.isnull()), _platforms(gpu_use), LINE)
    usable = usable.mutate(platform=usable.platform.fill_null("unknown"))
    failed = usable.filter(~usable.qualifies)
    pairs = _pairs(ended, usable.filter(usable.qualifies), settings)
    own = candidates(pairs, failed, settings)
    without = pairs.anti_join(own, KIND_SINCE)
    members = own.union(pooled_window(without, failed, settings))
    return members.join(pairs.group_by(KIND_SINCE).agg(newest=pairs.newest.max()), KIND_SINCE)


def _platforms(gpu_use: ir.Table) -> ir.Table:
    """Returns the platform of most accelerator-hours of each GPU run (resumed ones as one)."""
    hours = gpu_use.group_by(*LINE, "platform").agg(hours=gpu_use.accelerator_hours.sum())
    order = ibis.window(group_by=LINE, order_by=[ibis.desc(hours.hours), hours.platform])
    ranked = hours.mutate(place=ibis.row_number().over(order))
    return ranked.filter(ranked.place == 0).select(*LINE, "platform")


def _pairs(ended: ir.Table, good: ir.Table, settings: Settings) -> ir.Table:
    """Pairs each day on which a recipe's GPU run ended with its qualifying runs and their age."""
    starts = ended.select(*KIND, since=BEFORE_ALL)
    days = starts.union(ended.select(*KIND, since="ended_on")).distinct()
    pairs = days.join(good, KIND)
    pairs = pairs.mutate(later=pairs.ended_on > pairs.since)
    past = ibis.ifelse(pairs.later, None, pairs.ended_on)
    pairs = pairs.mutate(newest=past.max().over(ibis.window(group_by=KIND_SINCE)))
    begin = pairs.newest - ibis.interval(days=settings.baseline.window_days)
    recent = ~pairs.later & (pairs.ended_on > begin.cast("timestamp").date())
    midnight = (pairs.since.epoch_days() + 1) * A_DAY
    pairs = pairs.mutate(
        recent=recent.fill_null(False),
        far=(pairs.ended_at.epoch_seconds() - midnight).abs(),
    )
    return pairs.mutate(stale=~pairs.recent & ~pairs.later)
