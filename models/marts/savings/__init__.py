"""Computes what the migration saved and cost by day, and when it pays for itself.

In: epochs and cost of Trainium runs, GPU baselines, overhead, idle commitments and investments.
Out: the marts `savings_by_kind`, `savings_daily`, `portfolio_daily` and `break_even`. Chapter:
METHOD §6, with parity and credited epochs of §3.5 and §3.6.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.savings.all_savings_daily import all_savings_daily
from models.marts.savings.break_even.break_even import break_even
from models.marts.savings.break_even.recent_windows import recent_windows
from models.marts.savings.break_even.standings import standings
from models.marts.savings.counted_costs import counted_costs
from models.marts.savings.counterfactual import counterfactual_daily
from models.marts.savings.coverage.covered_shares import covered_shares
from models.marts.savings.coverage.judged_daily import judged_daily
from models.marts.savings.coverage.unjudged_kinds import unjudged_kinds
from models.marts.savings.credited_epochs import credited_daily
from models.marts.savings.cutovers import cutovers
from models.marts.savings.forecast_samples.forecast_days import forecast_days
from models.marts.savings.forecast_samples.forecast_runs import forecast_runs
from models.marts.savings.investment_daily import investment_daily
from models.marts.savings.portfolio_daily import portfolio_daily
from models.marts.savings.results.gpu_idle_shares import gpu_idle_shares
from models.marts.savings.results.gpu_overhead import gpu_overhead
from models.marts.savings.results.result_runs import result_runs
from models.marts.savings.results.results import results
from models.marts.savings.savings_by_kind import savings_by_kind
from models.marts.savings.savings_daily import savings_daily
from models.marts.savings.status.remarks import remarks
from models.marts.savings.upkeep_daily import upkeep_daily
from models.marts.savings.volume.gpu_volume import gpu_volume
from models.marts.savings.workload_state import workload_state

SAVINGS: tuple[Callable[..., ir.Table], ...] = (
    cutovers,
    credited_daily,
    workload_state,
    investment_daily,
    upkeep_daily,
    gpu_volume,
    counterfactual_daily,
    savings_by_kind,
    all_savings_daily,
    savings_daily,
    portfolio_daily,
    standings,
    recent_windows,
    forecast_days,
    forecast_runs,
    remarks,
    judged_daily,
    counted_costs,
    unjudged_kinds,
    covered_shares,
    result_runs,
    results,
    gpu_overhead,
    gpu_idle_shares,
    break_even,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
