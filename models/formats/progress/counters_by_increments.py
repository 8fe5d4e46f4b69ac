"""Adds up counters that come as sums per period (CloudWatch's statistic `Sum`).

A run's total is over all of its series, since its first datapoint; the result says how far the
run had got when each period began and ended (METHOD §3.1). Each stretch of a series' time counts
once, however often and in whatever periods it was delivered: of every hour the period length with
the largest sum counts, because late data only adds. Sums have nine decimal places, so that they
are the same in any order and on every engine.

Example: 600 samples in 12:00-12:05 and 300 in 12:05-12:10: 0 at 12:00:00, 600 at 12:04:59 and
12:05:00, 900 at 12:09:59.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import NUMBER, PROGRESS

COUNTERS = ("epoch", "samples", "tokens")
RUN = ("workload", "run", "meaning")
SERIES = (*RUN, "account", "region", "namespace", "dimensions", "metric")


def rows(mapped: ir.Table) -> ir.Table:
    """Adds up CloudWatch's sums per period to cumulative progress, a row per run and instant.

    The rows are marked `excludes_repeats`: the config promises that the counter leaves them
    out, and is refused otherwise (`models.config.metrics.cloudwatch_metrics`).
    """
    totals = _running_totals(_counted_once(mapped))
    counted = totals.group_by("workload", "run", "observed_at").agg(
        **{name: totals.total.max(where=totals.meaning == name) for name in COUNTERS}
    )
    return counted.select(
        **{
            name: counted[name] if name in counted.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
            if name not in ("excludes_repeats", "source")
        },
        excludes_repeats=True,
        source=ibis.literal("cloudwatch"),
    ).select(*PROGRESS)


def _counted_once(mapped: ir.Table) -> ir.Table:
    """Returns datapoints of one period length per CloudWatch series and hour; none counts twice."""
    seen = mapped.group_by(*SERIES, "timestamp", "period").agg(
        units=mapped.value.cast("float64").cast(NUMBER).max()
    )
    hourly = seen.mutate(hour=seen.timestamp.truncate("h"))
    held = hourly.units.sum().over(ibis.window(group_by=[*SERIES, "hour", "period"]))
    hourly = hourly.mutate(held=held)
    best = ibis.window(group_by=[*SERIES, "hour"], order_by=[ibis.desc(hourly.held), hourly.period])
    ranked = hourly.mutate(place=ibis.rank().over(best))
    return ranked.filter(ranked.place == 0)


def _running_totals(points: ir.Table) -> ir.Table:
    """Returns each run's running total of a counter, at the start and end of each period.

    A period ends with its last second.
    """
    begins = points.select(*RUN, observed_at="timestamp", units=ibis.literal(0).cast(NUMBER))
    last = points.timestamp + (points.period - 1).as_interval("s")
    ends = points.select(*RUN, observed_at=last, units=points.units)
    both = begins.union(ends)
    moments = both.group_by(*RUN, "observed_at").agg(units=both.units.sum().cast(NUMBER))
    so_far = ibis.cumulative_window(group_by=list(RUN), order_by="observed_at")
    return moments.mutate(total=moments.units.sum().over(so_far).cast(NUMBER))
