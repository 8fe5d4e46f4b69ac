"""Lists the jobs of each run: when they were submitted, began and ended (METHOD §4.5)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.schema import EXPLAINERS
from models.marts.work.runs.wait_hours import jobs_with_waits

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
