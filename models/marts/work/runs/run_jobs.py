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
    nulls="queued_at, wait_hours: its scheduler does not tell when it was submitted; "
    "ended: no delivered day has its end; "
    "instance_type: neither it nor the bill names one; platform, hardware: it is none with "
    "accelerators, and the run has no hours of them on the bill",
    method="§4.5",
    whose="run",
)
def run_jobs(
    held_jobs: ir.Table, run_workloads: ir.Table, runs: ir.Table, catalog: ir.Table
) -> ir.Table:
    """Lists each job of a known run with the hours that it waited, and its hardware.

    It is that of the machine that the job held, or else the run's.
    """
    jobs = jobs_with_waits(held_jobs, run_workloads)
    kinds = catalog.select("instance_type", "platform", "hardware")
    of_run = runs.select(*RUN, run_platform="platform", run_hardware="hardware")
    rows = left_join(left_join(jobs, kinds, ["instance_type"]), of_run, RUN)
    rows = rows.mutate(
        platform=ibis.coalesce(rows.platform, rows.run_platform),
        hardware=ibis.coalesce(rows.hardware, rows.run_hardware),
        ended=ibis.ifelse(rows.still_held, None, rows.ended),
    )
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
