"""Which workload a run belongs to when the bill does not say.

Grain: run. Only runs that the config or progress places in exactly one workload; the config wins.
A run name that two workloads use says nothing about an untagged charge.
"""

from __future__ import annotations

import ibis.expr.types as ir


def run_workloads(progress: ir.Table, config_runs: ir.Table) -> ir.Table:
    """`run`, `workload`."""
    told = config_runs.filter(config_runs.workload.notnull()).select("run", "workload")
    seen = progress.filter(progress.run.notnull()).select("run", "workload").distinct()
    single = seen.group_by("run").agg(workload=seen.workload.max(), several=seen.workload.nunique())
    inferred = single.filter(single.several == 1).select("run", "workload")
    return told.union(inferred.anti_join(told, "run"))
