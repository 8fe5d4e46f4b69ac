"""Sums per period as progress: how far a run's counter had got when each period began and ended.

A run's total is over all of its series, since its first datapoint. Each stretch of a series' time
counts once, however often and in whatever periods it was delivered: periods divide the hour, so of
every hour the period that holds most counts, for what comes late only adds. Nine decimal places, as
every count; sums of decimals are the same in any order and on every engine.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import NUMBER, PROGRESS

COUNTERS = ("epoch", "samples", "tokens")
RUN = ("workload", "run", "meaning")
SERIES = (*RUN, "account", "region", "namespace", "dimensions", "metric")


def rows(known: ir.Table) -> ir.Table:
    """One row per run and instant, in the schema of `progress`, flagged `excludes_repeats`."""
    totals = _running(_once(known))
    counted = totals.group_by("workload", "run", "observed_at").agg(
        **{name: totals.total.max(where=totals.meaning == name) for name in COUNTERS}
    )
    return counted.select(
        **{
            name: counted[name] if name in counted.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
            if name != "excludes_repeats"
        },
        excludes_repeats=True,
    ).select(*PROGRESS)


def _once(known: ir.Table) -> ir.Table:
    """The datapoints that count: of each series and hour those of one period."""
    seen = known.group_by(*SERIES, "timestamp", "period").agg(
        units=known.value.cast("float64").cast(NUMBER).max()
    )
    hourly = seen.mutate(hour=seen.timestamp.truncate("h"))
    held = hourly.units.sum().over(ibis.window(group_by=[*SERIES, "hour", "period"]))
    hourly = hourly.mutate(held=held)
    best = ibis.window(group_by=[*SERIES, "hour"], order_by=[ibis.desc(hourly.held), hourly.period])
    ranked = hourly.mutate(place=ibis.rank().over(best))
    return ranked.filter(ranked.place == 0)


def _running(points: ir.Table) -> ir.Table:
    """The total of each run and counter, where a period begins and in its last second."""
    begins = points.select(*RUN, observed_at="timestamp", units=ibis.literal(0).cast(NUMBER))
    last = points.timestamp + (points.period - 1).as_interval("s")
    ends = points.select(*RUN, observed_at=last, units=points.units)
    both = begins.union(ends)
    moments = both.group_by(*RUN, "observed_at").agg(units=both.units.sum().cast(NUMBER))
    so_far = ibis.cumulative_window(group_by=list(RUN), order_by="observed_at")
    return moments.mutate(total=moments.units.sum().over(so_far).cast(NUMBER))
