"""Finds days on which Trainium runs worked on machines that no bill names (METHOD §4.2).

AWS tags are not retroactive: hours from before a tag was activated, or of a machine that lost it,
belong to no run. Work reported in them would be credited at GPU's price but cost nothing.

A day is billed if it has hours of the lineage, or at least half as many hours that have only its
workload's tag, because their cost is counted. Other days with progress form spells of consecutive
days. Progress over a pause lies between machine-hours, and clocks differ, so a spell is unbilled
only if neither explains it: it extends more than a day beyond the first or last hours; or some of
its progress lies, from one report to the next, further beyond them than any `CLOCK` is off; or
progress in it began and ended more than a day from any hours; or the lineage has such days without
hours at least `OFTEN` times. A bill that has all hours of a lineage on one day, or on the first of
each month, and enough for its whole time, covers all its days.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO
from models.contract.rules.attribution_groups import WITHOUT_RUN_TAG
from models.contract.rules.consecutive_days import with_spells
from models.contract.rules.work.units_of_work import MEASURES, made_progress

LINE = ["workload", "lineage"]
DAY = [*LINE, "date"]
NEAR = (-1, 0, 1)
"""Days around one with hours that its machines may have worked on."""
OFTEN = 3
CLOCK = 14 * 3600
"""Seconds that a clock is off at most: no local time is further from UTC."""
A_DAY = 24 * 3600
COUNTED = tuple(MEASURES.values())
REPEATED = tuple(f"repeated_{name}" for name in COUNTED)


def unbilled_days(days: ir.Table, spend_daily: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Lists days on which Trainium runs made progress on machines that no bill names.

    `days` are the days of runs, with `billed`, `hardware` and `settled`.
    """
    made = days.filter(days.settled & on_trainium(days) & made_progress(days))
    made = made.semi_join(days.filter(days.hardware == "trainium"), LINE)
    alone = made.select(DAY).distinct().anti_join(days.filter(days.billed), DAY)
    days, steps = days.semi_join(alone, LINE), progress_steps.semi_join(alone, LINE)
    billed = _billed(days, spend_daily)
    odd = with_spells(alone.anti_join(billed, DAY).anti_join(_at_once(days, steps), LINE), LINE)
    spells = odd.group_by(*LINE, "spell").agg(first=odd.date.min(), last=odd.date.max())
    ends = billed.group_by(LINE).agg(begin=billed.date.min(), end=billed.date.max())
    around = left_join(spells, ends, LINE)
    within = _within(spells, steps, billed)
    found = ibis.union(_beyond(around), _past_any_clock(around, steps), within)
    return odd.semi_join(found, [*LINE, "spell"]).select(DAY)


def without_unbilled(rows: ir.Table, unbilled: ir.Table) -> ir.Table:
    """Moves the work of unbilled days on Trainium to columns of its own (`unbilled_epochs`, …)."""
    rows = left_join(rows, unbilled.mutate(unbilled=ibis.literal(value=True)), unbilled.columns)
    apart = (rows.unbilled & on_trainium(rows)).fill_null(False)
    moved = rows.mutate(
        unbilled=apart,
        **{f"unbilled_{name}": ibis.ifelse(apart, rows[name], ZERO) for name in COUNTED},
        **{name: ibis.ifelse(apart, ZERO, rows[name]) for name in (*COUNTED, *REPEATED)},
    )
    return moved.drop("ran", "billed", "settled_through", "resumes")


def on_trainium(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a row's hardware is Trainium or null (no bill names a machine)."""
    return rows.hardware.isnull() | (rows.hardware == "trainium")


def _billed(days: ir.Table, spend_daily: ir.Table) -> ir.Table:
    """Lists billed days of Trainium runs: own hours, or half as many under the workload's tag."""
    own = days.filter(days.billed)
    own = own.group_by(DAY).agg(hours=own.accelerator_hours.sum())
    usual = own.group_by(LINE).agg(usual=own.hours.mean())
    loose = spend_daily.filter(
        (spend_daily.hardware == "trainium")
        & (spend_daily.component == "accelerator")
        & spend_daily.attribution.isin(WITHOUT_RUN_TAG)
    )
    loose = loose.group_by("workload", "date").agg(hours=loose.accelerator_hours.sum())
    near = usual.join(loose, "workload").filter(lambda row: row.hours * 2 >= row.usual)
    return own.select(DAY).union(near.select(DAY)).distinct()


def _at_once(days: ir.Table, steps: ir.Table) -> ir.Table:
    """Lists runs billed on one day, or on firsts of months, for as many hours as they lasted."""
    held = days.filter(days.billed)
    one, firsts = held.date.nunique() == 1, (held.date.day() == 1).all()
    sums = held.group_by(LINE).agg(at_once=one | firsts, hours=held.instance_hours.sum())
    lasted = steps.observed_at.max().epoch_seconds() - steps.since.min().epoch_seconds()
    ends = steps.group_by(LINE).agg(lasted=lasted)
    both = sums.filter(sums.at_once).join(ends, LINE)
    return both.filter(both.hours * 3600 >= both.lasted).select(LINE)


def _beyond(spells: ir.Table) -> ir.Table:
    """Selects unbilled spells of days that reach more than a day beyond the billed ones."""
    first, last = spells["first"], spells["last"]
    before = (last < spells.begin) & (first < _moved(spells.begin, -1))
    after = (first > spells.end) & (last > _moved(spells.end, 1))
    return spells.filter(before | after).select(*LINE, "spell")


def _past_any_clock(spells: ir.Table, steps: ir.Table) -> ir.Table:
    """Selects unbilled spells of days beyond billed ones, with a rise that no clock explains."""
    rises = steps.filter(steps.rise > 0).select(*LINE, "since", "observed_at")
    both = spells.join(rises, LINE)
    inside = (both.since.date() >= both["first"]) & (both.observed_at.date() <= both["last"])
    begin = both.begin.epoch_days() * A_DAY - CLOCK
    end = (both.end.epoch_days() + 1) * A_DAY + CLOCK
    before = (both["last"] < both.begin) & (both.observed_at.epoch_seconds() < begin)
    after = (both["first"] > both.end) & (both.since.epoch_seconds() > end)
    return both.filter(inside & (before | after)).select(*LINE, "spell").distinct()


def _within(spells: ir.Table, steps: ir.Table, billed: ir.Table) -> ir.Table:
    """Selects spells of unbilled days with progress far from billed hours, or often without any."""
    rises = steps.filter(steps.rise > 0)
    days = rises.select(*LINE, since=rises.since.date(), seen=rises.observed_at.date()).distinct()
    bare = _far_from(days, billed.select(*LINE, day="date"))
    near = [billed.select(*LINE, day=_moved(billed.date, away)) for away in NEAR]
    far = _far_from(bare, cast(ir.Table, ibis.union(*near)))
    times = bare.group_by(LINE).agg(times=bare.seen.nunique())
    often = bare.semi_join(times.filter(times.times >= OFTEN), LINE)
    both = spells.join(far.union(often), LINE)
    met = both.filter((both["last"] >= both.since) & (both["first"] <= both.seen))
    return met.select(*LINE, "spell").distinct()


def _far_from(rises: ir.Table, days: ir.Table) -> ir.Table:
    """Drops progress that began or ended on one of the given days."""
    for end in ("since", "seen"):
        rises = rises.anti_join(days.rename({end: "day"}), [*LINE, end])
    return rises


def _moved(day: ir.Value, by: int) -> ir.Value:
    """Shifts a date by a number of days."""
    return (day + ibis.interval(days=by)).cast("timestamp").date()
