"""Determines from when to when each run lasted, by the clock (METHOD §4.5).

A run lasts from the first to the last hour that the bill charges for its accelerators, or from its
first to its last sample if these are outside; gaps count. A bill by day has no hours, nor has a pod
on a shared instance: there the samples of the day give them, and without samples the time is
unknown. Example: charged from 10:00 on one day to 14:00 on the next, last sample at 14:20: 28.333
hours.

Submission is known from allocations alone: `wait_hours` are the hours from there to the start of
each of the run's jobs, in all.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.work.wall_clock import hours_between
from models.marts.work.runs.wait_hours import wait_hours

RUN = ["workload", "run"]


@step(
    grain="workload × run",
    units="times UTC; hours",
    nulls="began, stopped, elapsed_hours: the bill has days only and no sample tells the hour; "
    "wait_hours: no allocation tells when its jobs were submitted",
    method="§4.5",
    whose="run",
)
def run_hours(
    charged_hours: ir.Table,
    samples: ir.Table,
    work_daily: ir.Table,
    held_jobs: ir.Table,
    run_workloads: ir.Table,
) -> ir.Table:
    """Finds each run's first and last active hour or sample, hours between, and its jobs' waits."""
    active = work_daily.filter(work_daily.active)
    days = active.group_by(RUN).agg(first_day=active.date.min(), last_day=active.date.max())
    rows = left_join(left_join(days, charged_hours, RUN), _sampled(samples), RUN)
    first = ibis.least(*_either(rows.first_hour, rows.first_sample))
    last = ibis.greatest(*_either(rows.last_hour, rows.last_sample))
    charged = (rows.last_hour - ibis.interval(seconds=1)).date() >= rows.last_day
    sampled = rows.last_sample.date() >= rows.last_day
    rows = rows.mutate(
        began=ibis.ifelse(first.date() <= rows.first_day, first, None),
        stopped=ibis.ifelse(charged.fill_null(False) | sampled.fill_null(False), last, None),
    )
    rows = left_join(rows, wait_hours(held_jobs, run_workloads), RUN)
    elapsed = hours_between(rows.began, rows.stopped)
    return rows.select(*RUN, "began", "stopped", "wait_hours", elapsed_hours=elapsed)


def _sampled(samples: ir.Table) -> ir.Table:
    return samples.group_by(RUN).agg(
        first_sample=samples.observed_at.min(), last_sample=samples.observed_at.max()
    )


def _either(one: ir.Value, other: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Returns both values, each replaced by the other if it is null."""
    return ibis.coalesce(one, other), ibis.coalesce(other, one)
