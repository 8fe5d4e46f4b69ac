"""Which GPU lineages a baseline rests on, from each day on which that changes (METHOD §5.1).

`since` is a day on which the window or a price changes; until the next one the baseline stays the
same. A window holds the qualifying lineages that ended in the `window_days` up to the day; if they
are fewer than `min_runs`, the latest ended whatever their age (`stale`), topped up with the
earliest that end later (`later`). A GPU lineage that failed short of qualifying adds its cost and
hours (`qualifies` is false) where it ended among them. A lineage that is `omitted` (`ended_runs`)
is in no window.

Example with 365 days and `min_runs = 2`: g1 ended on 1 March 2024, g2 on 1 May 2025. On 1 June 2025
only g2 is inside, so g1 is added, stale.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE
from models.marts.baseline.windows.ended_runs import ended_runs


@step(
    grain="workload × kind × since × lineage",
    units="`work` in the unit of the kind",
    nulls="none",
    method="§5.1",
    whose="workload",
)
def baseline_window(
    lineage_facts: ir.Table,
    comparable: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists the GPU lineages that each kind's baseline rests on, from each day `since` on."""
    ended = ended_runs(lineage_facts, comparable)
    days = _days(ended, gpu_use, price_steps, settings)
    pairs = days.join(ended.filter(ended.omitted.isnull()), KIND)
    begin = (
        (pairs.since - ibis.interval(days=settings.baseline.window_days)).cast("timestamp").date()
    )
    pairs = pairs.mutate(
        inside=(pairs.ended_on <= pairs.since) & (pairs.ended_on > begin),
        later=pairs.ended_on > pairs.since,
        far=(pairs.ended_on.epoch_days() - pairs.since.epoch_days()).abs(),
    )
    return _with_failures(_chosen(pairs.filter(pairs.qualifies), settings), pairs, settings)


def _days(
    ended: ir.Table, gpu_use: ir.Table, price_steps: ir.Table, settings: Settings
) -> ir.Table:
    """Lists each day from which a baseline's lineages or prices may change, per kind of work.

    The day is null for a price without an end; such a row then meets no lineage.
    """
    leaves = ended.ended_on + ibis.interval(days=settings.baseline.window_days)
    series = ["instance_type", "region", "series"]
    listed = gpu_use.select("workload", *series).mutate(series=ibis.literal("on_demand"))
    bought = gpu_use.select("workload", *series).union(listed)
    used = bought.join(price_steps, series).join(ended.select(*KIND).distinct(), "workload")
    start = ended.select(*KIND, since=ibis.date("1970-01-01"))
    return (
        start.union(ended.select(*KIND, since="ended_on"))
        .union(ended.select(*KIND, since=leaves.cast("timestamp").date()))
        .union(used.select(*KIND, "since"))
        .union(used.select(*KIND, since="until"))
        .union(used.select(*KIND, since="stale_from"))
        .distinct()
    )


def _chosen(pairs: ir.Table, settings: Settings) -> ir.Table:
    """Picks lineages that ended in the window; if too few, the nearest earlier, then later, ones.

    Picks none where fewer than `min_runs` lineages qualify in all.
    """
    least = settings.baseline.min_runs
    counts = pairs.group_by(KIND_SINCE).agg(
        enough=pairs.inside.sum() >= least, known=pairs.count() >= least
    )
    days = left_join(pairs, counts.filter(counts.known), KIND_SINCE)
    few = days.filter(~days.enough)
    order = ibis.window(group_by=KIND_SINCE, order_by=[few.later, few.far, few.lineage])
    ranked = few.mutate(rank=ibis.row_number().over(order))
    nearest = ranked.filter(ranked["rank"] < least).drop("rank")
    chosen = days.filter(days.enough & days.inside).union(nearest)
    return chosen.mutate(stale=~chosen.inside & ~chosen.later)


def _with_failures(chosen: ir.Table, pairs: ir.Table, settings: Settings) -> ir.Table:
    """Adds the failed GPU lineages that ended in the same time as a baseline's lineages."""
    span = chosen.group_by(*KIND_SINCE, "enough").agg(
        first=chosen.ended_on.min(), last=chosen.ended_on.max()
    )
    failed = pairs.filter(~pairs.qualifies).join(span, KIND_SINCE)
    among = (failed.ended_on >= failed.first) & (failed.ended_on <= failed["last"])
    failed = failed.filter(ibis.ifelse(failed.enough, failed.inside, among)).mutate(
        stale=ibis.literal(False)
    )
    columns = [*KIND_SINCE, "lineage", "work", "qualifies", "stale", "later"]
    return chosen.select(columns).union(failed.select(columns))
