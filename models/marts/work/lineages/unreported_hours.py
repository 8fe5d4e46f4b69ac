"""Finds lineages of runs that worked for hours without reported progress.

Their cost bought epochs that were never counted, so they set no baseline (METHOD §5.1).
`reported_late`: hours before a counter that cannot show what was done before, because it counts
increments or starts above one epoch without a declared start. `partly_reported`: hours of runs that
reported no epochs. Either is more than 5 % (`UNREPORTED`) of the lineage's hours.

The bill has hours by day: those of the counter's first day are taken to lie after its first sample
as far as they fit, on as few machines at once as the busiest day of one of its runs had.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

WAITS = 1
"""Days that a run may take until its counter of increments first counts."""
UNREPORTED = 0.05
DAY, HOUR = 24, 3600
LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


def with_unreported_hours(facts: ir.Table, days: ir.Table, run_registry: ir.Table) -> ir.Table:
    """Adds to lineages of runs whether their progress was reported late, or only in part."""
    rows = left_join(facts, _before(facts.filter(facts.undeclared), days), LINE)
    rows = left_join(rows, _silent(facts, days, run_registry), LINE)
    waited = rows.counted_from.date().epoch_days() - rows.first_day.epoch_days()
    late = rows.by_increments & ~rows.declared & (waited > WAITS)
    above = rows.unreported_share > UNREPORTED
    silent = rows.silent_hours > rows.all_hours * UNREPORTED
    return rows.mutate(
        reported_late=late.fill_null(False) | above.fill_null(False),
        partly_reported=silent.fill_null(False),
    ).drop("unreported_share", "silent_hours")


def _before(undeclared: ir.Table, days: ir.Table) -> ir.Table:
    """Computes the share of hours of a lineage of runs before its counter's first sample."""
    known = undeclared.select(*LINE, "counted_from", "counted_until")
    rows = days.select(*LINE, "date", "instance_hours").join(known, LINE)
    first, hours = rows.counted_from.date(), rows.instance_hours.cast("float64")
    sums = rows.group_by(*LINE, "counted_from", "counted_until").agg(
        most=hours.max(),
        whole=hours.sum(),
        earlier=hours.sum(where=rows.date < first),
        that_day=hours.sum(where=rows.date == first),
        goes_on=((rows.date > first) & (hours > 0)).any(),
    )
    machines = (sums.most / DAY).ceil()
    begun = cast(ir.TimestampValue, sums.counted_from)
    left = DAY - (begun.epoch_seconds() % (DAY * HOUR)) / HOUR
    reported = (sums.counted_until.epoch_seconds() - begun.epoch_seconds()) / HOUR
    seen = ibis.ifelse(sums.goes_on, left, ibis.least(left, reported)) * machines
    unreported = sums.earlier.fill_null(0) + ibis.greatest(sums.that_day - seen, 0)
    return sums.select(*LINE, unreported_share=unreported / sums.whole.nullif(0))


def _silent(facts: ir.Table, days: ir.Table, run_registry: ir.Table) -> ir.Table:
    """Sums hours per lineage of runs that report no progress, unless runs before and after do.

    Other runs show it if one reported before it and one after it. Instead of the one before, a
    counter that began at 0 will do, since no work came before it.
    """
    mute = run_registry.filter(run_registry.counted_from.isnull()).select(*RUN, "resumed_from")
    theirs = days.join(mute, RUN)
    mute = theirs.group_by(*RUN, "lineage", "resumed_from").agg(
        hours=theirs.accelerator_hours.sum(),
        began=theirs.date.min(where=theirs.active),
        stopped=theirs.date.max(where=theirs.active),
    )
    heard = run_registry.filter(run_registry.counted_from.notnull())
    parents = heard.select("workload", resumed_from="run", parent=ibis.literal(value=True))
    children = heard.select("workload", run="resumed_from", child=ibis.literal(value=True))
    rows = left_join(mute.filter(mute.hours > 0), parents, ["workload", "resumed_from"])
    rows = left_join(rows, children.distinct(), RUN)
    known = facts.select(*LINE, "counted_from", "counted_until", "starts_at", "by_increments")
    rows = rows.join(known, LINE)
    at_zero = (rows.starts_at.fill_null(0) == 0) & ~rows.by_increments
    before = at_zero | rows.parent.fill_null(False) | (rows.counted_from.date() < rows.began)
    after = rows.child.fill_null(False) | (rows.counted_until.date() > rows.stopped)
    return rows.group_by(LINE).agg(silent_hours=rows.hours.sum(where=~(before & after)))
