"""Computes a run's cost of start-up, days without progress, and repeated work (METHOD §4.3).

Start-up is what accelerators cost from a run's first hour to its first progress: on Trainium mostly
compilation. A day's cost is spread evenly over its active hours. Example: machines run from 10:00
to 14:00 for $40, and the first report, of epoch 0, comes at 11:00: $10 are start-up. It is a part
of idle cost, which is otherwise that of whole days without progress.

Example: a run cost $1,000, of which $200 on days without progress. It made 9 epochs and repeated 1
after a restart: idle cost $200, repeated cost ($1,000 − $200) × 1 ÷ (9 + 1) = $80.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, money, product, ratio
from models.contract.rules.work.wall_clock import hours_between

RUN = ["workload", "run"]


def is_idle(days: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a run's day is settled and has neither new nor repeated work."""
    return days.settled & ~days.worked


def with_start(days: ir.Table, run_hours: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Adds to a run's days `start_part`: the part of their machine time before the first progress.

    All of days before it; of its own day as much as passed from the first active hour until then.
    Null for a run without progress.
    """
    moved = days.worked | (days.unbilled_epochs > 0)
    begun = days.date.min(where=moved).over(ibis.window(group_by=RUN))
    rows = left_join(days.mutate(begun=begun), run_hours.select(*RUN, "began", "stopped"), RUN)
    rows = left_join(rows, _first_progress(progress_steps), RUN)
    part = ibis.cases((rows.date < rows.begun, 1.0), (rows.date == rows.begun, _of_the_day(rows)))
    known = ibis.ifelse(rows.begun.isnull(), None, part.fill_null(0.0))
    return rows.mutate(start_part=known).drop("begun", "began", "stopped", "moved_at")


def _first_progress(progress_steps: ir.Table) -> ir.Table:
    """Finds when each run's first progress began: a rise begins at the sample before it."""
    rows = progress_steps
    rows = rows.filter((rows.rise > 0) | (rows.repeated > 0))
    return rows.group_by(RUN).agg(moved_at=rows.since.coalesce(rows.observed_at).min())


def _of_the_day(rows: ir.Table) -> ir.Value:
    """Returns the part of a day's active time before the first progress; null if unknown."""
    midnight = rows.date.cast("timestamp")
    first = _or_null(ibis.greatest, rows.began, midnight)
    last = _or_null(ibis.least, rows.stopped, midnight + ibis.interval(days=1))
    whole = hours_between(first, last).cast("float64").nullif(0)
    waited = hours_between(first, rows.moved_at).cast("float64")
    return _or_null(ibis.least, _or_null(ibis.greatest, waited / whole, 0.0), 1.0)


def _or_null(choose: Callable[..., ir.Value], value: ir.Value, other: object) -> ir.Value:
    """Returns the greater or lesser of two values; null where the first is, as Athena has it."""
    return ibis.ifelse(value.isnull(), None, choose(value, other))


def startup_cost(days: ir.Table) -> ir.Value:
    """Sums accelerators' cost on settled days before a run's first progress; null if none came."""
    return ibis.ifelse(days.start_part.notnull().any(), known_sum(_started(days)), None)


def idle_cost(days: ir.Table) -> ir.Value:
    """Sums a run's cost on settled days without work, and of start-up before its first progress."""
    return known_sum(ibis.ifelse(is_idle(days), days.cost, _started(days)))


def _started(days: ir.Table) -> ir.Value:
    """Returns what a settled day's accelerators cost before the run's first progress."""
    cost = product(days.accelerator_cost, money(days.start_part))
    return ibis.ifelse(days.settled & (days.start_part > 0).fill_null(False), cost, ZERO)


def repeated_cost(runs: ir.Table) -> ir.Value:
    """Returns the column of what a run's repeated epochs cost; null without epochs or cost."""
    worked = runs.epochs + runs.repeated_epochs
    return ratio(product(runs.cost - runs.idle_cost, runs.repeated_epochs), worked)
