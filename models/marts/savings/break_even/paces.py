"""How many runs each workload made, and what they cost and saved, in all and lately.

Columns `recent_…` are of the last twelve settled weeks, all others of every settled day.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.rules.recent_weeks import in_recent_weeks
from models.contract.schema import EXPLAINERS

FLOWS = ("epochs", "credited_epochs", "counterfactual", "trn_cost", "overhead")


@mart(
    grain="workload, and `(portfolio)`",
    units="dollars on `cost.basis`; epochs; lineages",
    nulls="unknown on a day that is summed; settled_through: no settled day",
    method="§6.4",
    whose="workload",
)
def paces(standings: ir.Table, savings_daily: ir.Table, portfolio_daily: ir.Table) -> ir.Table:
    """Sums each workload's lineages, upkeep and savings, in all and over the last twelve weeks."""
    rows = standings.filter(standings.newest)
    days = savings_daily.union(portfolio_daily)
    rows = left_join(rows, _flows(rows.select("workload", "cutoff"), days), ["workload"])
    return rows.mutate(
        settled_through="cutoff",
        runs=ibis.coalesce(rows.lineages, 0),
        recent_runs=ibis.coalesce(rows.recent_lineages, 0),
        **{name: ibis.coalesce(rows[name], ZERO) for name in ("monthly_upkeep", "upkeep_so_far")},
    ).select(*EXPLAINERS["paces"])


def _flows(cutoffs: ir.Table, days: ir.Table) -> ir.Table:
    """Sums savings over each workload's settled days, in all and over the last twelve weeks."""
    days = days.filter(days.settled)
    days = days.join(cutoffs, "workload")
    recent = in_recent_weeks(days)
    return days.group_by("workload").agg(
        **{name: known_sum(days[name]) for name in FLOWS},
        **{f"recent_{name}": known_sum(days[name], where=recent) for name in FLOWS},
    )
