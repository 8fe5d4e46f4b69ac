"""Finds the workload of runs that the bill names without a workload (METHOD §2.6)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step


@step(grain="run", units="none", nulls="none", method="§2.6", whose="run")
def run_workloads(progress: ir.Table, config_runs: ir.Table) -> ir.Table:
    """Lists each run name's workload, where the config, else progress, has just one for it.

    The config comes before progress. A run name that two workloads use says nothing about an
    untagged charge.
    """
    configured = config_runs.filter(config_runs.workload.notnull()).select("run", "workload")
    reported = progress.select("run", "workload")
    return _of_one_workload(configured).union(
        _of_one_workload(reported).anti_join(configured, "run")
    )


def _of_one_workload(named: ir.Table) -> ir.Table:
    """Maps each run name that exactly one workload has to that workload."""
    every = named.group_by("run").agg(workload=named.workload.min(), other=named.workload.max())
    return every.filter(every.workload == every.other).select("run", "workload")
