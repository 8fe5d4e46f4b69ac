"""Which workload a run belongs to when the bill does not say.

Grain: run. Only runs that the config or progress places in exactly one workload; the config wins.
A run name that two workloads use says nothing about an untagged charge.
"""

from __future__ import annotations

import ibis.expr.types as ir


def run_workloads(progress: ir.Table, config_runs: ir.Table) -> ir.Table:
    """`run`, `workload`."""
    told = config_runs.filter(config_runs.workload.notnull()).select("run", "workload")
    seen = progress.select("run", "workload")
    return _single(told).union(_single(seen).anti_join(told, "run"))


def _single(named: ir.Table) -> ir.Table:
    every = named.group_by("run").agg(workload=named.workload.min(), other=named.workload.max())
    return every.filter(every.workload == every.other).select("run", "workload")
