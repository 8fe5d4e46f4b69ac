"""Days on which a Trainium lineage made epochs on machines that no bill names (METHOD §4).

Grain: workload × lineage × date. AWS' tags are not retroactive (AWS.md §1.6): hours from before a
tag was activated, or of a machine that lost it, are nobody's, and what was reported then would earn
the price of a GPU for nothing. A rise over a pause lies between machine-hours, and clocks differ:
so the lineage must have reported a rise that began and ended more than a day from all hours of its
own, and from those that bear the workload's tag alone, whose cost is counted. Then all days of that
spell without hours are meant. A bill that has all hours of a lineage on one day, enough for all its
time, names them at once.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

LINE = ["workload", "lineage"]
DAY = [*LINE, "date"]
NEAR = (-1, 0, 1)
"""Days around one with hours that its machines may have worked on."""


def unbilled_days(days: ir.Table, spend_daily: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """`workload`, `lineage`, `date`, of runs' `days` with `billed`, `hardware` and `settled`."""
    made = days.filter(days.settled & (days.hardware == "trainium") & (days.epochs > 0))
    own = days.filter(days.billed).select(DAY).distinct()
    alone = made.select(DAY).distinct().anti_join(own, DAY)
    loose = _loose(spend_daily)
    odd = _spells(alone.anti_join(loose, ["workload", "date"]))
    lines = odd.select(LINE).distinct()
    lines = lines.anti_join(_at_once(days.semi_join(lines, LINE), progress_steps), LINE)
    billed = own.semi_join(lines, LINE).union(lines.join(loose, "workload").select(DAY))
    far = _far(progress_steps.semi_join(lines, LINE), billed)
    lasted = odd.group_by(*LINE, "spell").agg(first=odd.date.min(), last=odd.date.max())
    told = lasted.join(far, LINE).filter(lambda row: row.last >= row.since)
    told = told.filter(told["first"] <= told.seen)
    return odd.semi_join(told, [*LINE, "spell"]).select(DAY)


def _at_once(days: ir.Table, steps: ir.Table) -> ir.Table:
    """Lineages whose hours stand on one day and are as many as lie between its ends."""
    held = days.filter(days.billed).group_by(LINE)
    sums = held.agg(dates=days.date.nunique(), hours=days.instance_hours.sum())
    lasted = steps.observed_at.max().epoch_seconds() - steps.since.min().epoch_seconds()
    ends = steps.group_by(LINE).agg(lasted=lasted)
    both = sums.filter(sums.dates == 1).join(ends, LINE)
    return both.filter(both.hours * 3600 >= both.lasted).select(LINE)


def _loose(spend_daily: ir.Table) -> ir.Table:
    """Days with machine-hours that bear a workload's tag alone."""
    rows = spend_daily.filter(
        (spend_daily.hardware == "trainium")
        & (spend_daily.component == "accelerator")
        & spend_daily.attribution.isin(("shared", "overhead"))
    )
    return rows.select("workload", "date").distinct()


def _spells(days: ir.Table) -> ir.Table:
    """Days that follow each other bear the same `spell`."""
    before = ibis.row_number().over(
        ibis.window(group_by=[days[key] for key in LINE], order_by=days.date)
    )
    return days.mutate(spell=days.date.epoch_days() - before)


def _far(steps: ir.Table, billed: ir.Table) -> ir.Table:
    """`since` and `seen`: the days of rises that touch no day near one with hours."""
    rises = steps.filter(steps.rise > 0)
    days = rises.select(*LINE, since=rises.since.date(), seen=rises.observed_at.date()).distinct()
    near = [billed.mutate(date=billed.date + ibis.interval(days=away)) for away in NEAR]
    known = cast(ir.Table, ibis.union(*(each.select(*LINE, day=_day(each)) for each in near)))
    for end in ("since", "seen"):
        days = days.anti_join(known.rename({end: "day"}), [*LINE, end])
    return days


def _day(rows: ir.Table) -> ir.Value:
    return rows.date.cast("timestamp").date()
