"""Lists the jobs of each run: when they were submitted, began and ended (METHOD §4.5)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.rules.work.wall_clock import hours_of
from models.contract.schema import EXPLAINERS

RUN = ["workload", "run"]


@mart(
    grain="workload × run × cluster × job",
    units="times UTC; hours",
    nulls="queued_at, wait_hours: its scheduler does not tell when it was submitted; platform, "
    "hardware: the run has no accelerator-hours on the bill",
    method="§4.5",
    whose="run",
)
def run_jobs(held_jobs: ir.Table, run_workloads: ir.Table, runs: ir.Table) -> ir.Table:
    """Lists each job of a known run with the hours that it waited and the run's hardware."""
    jobs = jobs_with_waits(held_jobs, run_workloads)
    rows = left_join(jobs, runs.select(*RUN, "platform", "hardware"), RUN)
    columns = EXPLAINERS["run_jobs"]
    return rows.select(**{name: rows[name].cast(dtype) for name, dtype in columns.items()})


def jobs_with_waits(held_jobs: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Adds to jobs `wait_hours`, from submission to start, and the workload of their run.

    A job that was requeued waited again: the hours of its attempts are added.
    """
    named = run_workloads.select("run", of_run="workload")
    jobs = left_join(held_jobs, named, ["run"])
    jobs = jobs.mutate(workload=ibis.coalesce(jobs.workload, jobs.of_run)).drop("of_run")
    return jobs.mutate(wait_hours=hours_of(jobs.waited))
