"""Publishes each workload's savings in the 84 days up to each month's end, to explain its pace."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.schema import EXPLAINERS
from models.marts.savings.break_even.recent_sums import FLOWS


@mart(
    grain="workload, and `(portfolio)` × month",
    units="dollars on `cost.basis`; epochs; lineages",
    nulls="unknown on a day that is summed; epochs, credited_epochs: workloads count different "
    "units; forward_per_month: fewer than 84 settled days since cutover; judged_net_saving: no run "
    "yet",
    method="§6.4",
    whose="workload",
)
def recent_windows(standings: ir.Table) -> ir.Table:
    """Lists each workload's savings and counts of runs in the 84 days up to each month's end."""
    rows = standings.filter(standings.cutoff.notnull())
    amounts = {name: f"recent_{name}" for name in (*FLOWS, "lineages", "runs")}
    columns = ("workload", "cutoff", "newest", "whole", "forward_per_month", "judged_net_saving")
    rows = rows.select(*columns, "last_worked", **amounts)
    return rows.select(*EXPLAINERS["recent_windows"])
