"""Computes how long the jobs of each run waited, from submission to start (METHOD §4.5).

Submission is known from allocations alone. Example: jobs submitted at 9:00 and at 12:00 that began
at 10:30 and at 12:15 waited 1.75 hours.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.work.wall_clock import hours_of
from models.contract.schema import NUMBER

RUN = ["workload", "run"]


def wait_hours(held_jobs: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Sums the hours that each run's jobs waited from submission to start."""
    jobs = jobs_with_waits(held_jobs, run_workloads)
    return jobs.group_by(RUN).agg(wait_hours=jobs.wait_hours.sum().cast(NUMBER))


def jobs_with_waits(held_jobs: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Adds to jobs `wait_hours`, from submission to start, and the workload of their run.

    A job that was requeued waited again: the hours of its attempts are added.
    """
    named = run_workloads.select("run", of_run="workload")
    jobs = left_join(held_jobs, named, ["run"])
    jobs = jobs.mutate(workload=ibis.coalesce(jobs.workload, jobs.of_run)).drop("of_run")
    return jobs.mutate(wait_hours=hours_of(jobs.waited))
