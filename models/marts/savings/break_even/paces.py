"""The paces by which `break_even` counts runs to come, and what the runs so far cost and saved."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.rules.recent_weeks import in_recent_weeks
from models.contract.schema import EXPLAINERS

FLOWS = ("epochs", "credited_epochs", "counterfactual", "trn_cost", "overhead")


def paces(standings: ir.Table, savings_daily: ir.Table, portfolio_daily: ir.Table) -> ir.Table:
    """What `break_even` counts runs to come and upkeep by, and what those so far cost and saved.

    Dollars and epochs, one row per workload; `recent_…` of the last twelve settled weeks.
    """
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
    """Sums of settled days, and of those of late."""
    days = days.filter(days.settled)
    days = days.join(cutoffs, "workload")
    recent = in_recent_weeks(days)
    return days.group_by("workload").agg(
        **{name: known_sum(days[name]) for name in FLOWS},
        **{f"recent_{name}": known_sum(days[name], where=recent) for name in FLOWS},
    )
