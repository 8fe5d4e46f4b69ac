"""What a number means: one mart, one file, a pure function of tables.

A function's parameters name its inputs: another mart, `charges`, `progress`, `prices`, a table of
`models.contract.schema.CONFIG` or `BESIDE`, or `settings`. `MARTS` is in order of dependence.
`SPEND_REDUCED` alone reads delivered lines; everything after it is small. `lineages` is not here:
it is walked in Python (`models.marts.work.lineages`) between `run_registry` and the rest; so are
`block_fees`
(`models.marts.cost.blocks.block_fees`) between `attributed` and `capacity_blocks`, and
`forecasts`, drawn
(`models.forecast.outlook`) from the marts before `break_even`.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.baseline.baseline_inputs import baseline_hours, baseline_runs
from models.marts.baseline.baselines import baselines
from models.marts.baseline.ended_runs import ended_gpu
from models.marts.baseline.further_baselines import further_baselines
from models.marts.baseline.gpu_use import gpu_use
from models.marts.baseline.measured import baseline_steps
from models.marts.baseline.omitted_runs import baseline_omissions
from models.marts.baseline.price_steps import price_steps
from models.marts.baseline.repriced import baseline_terms
from models.marts.baseline.window import baseline_members, qualifying_runs
from models.marts.cost.amortised import amortised
from models.marts.cost.attributed import attributed
from models.marts.cost.billed_days import billed_days
from models.marts.cost.bills import bills
from models.marts.cost.blocks.block_spend import block_spend
from models.marts.cost.blocks.block_use import block_use
from models.marts.cost.blocks.capacity_blocks import capacity_blocks
from models.marts.cost.blocks.capacity_offers import capacity_offers, offered
from models.marts.cost.charge_kinds import charge_kinds
from models.marts.cost.commitments.commitments import commitments
from models.marts.cost.commitments.committed import committed
from models.marts.cost.commitments.committed_rates import committed_rates
from models.marts.cost.commitments.covered_hours import covered_hours
from models.marts.cost.commitments.idle_commitments import idle_commitments
from models.marts.cost.commitments.silent_payers import silent_payers
from models.marts.cost.commitments.stranded_commitments import stranded_commitments
from models.marts.cost.hidden_credits import hidden_credits
from models.marts.cost.hosted import hosted
from models.marts.cost.hosted_kinds import hosted_kinds
from models.marts.cost.run_workloads import run_workloads
from models.marts.cost.settled_accounts import settled_accounts
from models.marts.cost.spend_daily import spend_daily
from models.marts.cost.spend_reduced import spend_reduced
from models.marts.cost.spend_sums import accelerator_days, counted_runs, run_parts
from models.marts.cost.tie_out import tie_out
from models.marts.cost.usages import usages
from models.marts.months.month_facts import month_facts
from models.marts.months.monthly_summary import monthly_summary
from models.marts.savings.break_even import break_even
from models.marts.savings.forecast_days import forecast_days
from models.marts.savings.forecast_runs import forecast_runs
from models.marts.savings.ledger import ledger
from models.marts.savings.outlays import outlays
from models.marts.savings.remarks import remarks
from models.marts.savings.running import running
from models.marts.savings.savings_daily import portfolio_daily, savings_daily
from models.marts.savings.standings import paces, standings
from models.marts.savings.trn_daily import trn_daily
from models.marts.savings.verdicts import verdicts
from models.marts.savings.workload_state import workload_state
from models.marts.trust.exceptions import exceptions
from models.marts.trust.explainers import (
    baseline_parts,
    investments,
    loss_curve,
    price_changes,
    price_history,
)
from models.marts.trust.freshness import freshness
from models.marts.trust.late_changes import late_changes
from models.marts.trust.restatements import restatements
from models.marts.trust.unmatched_runs import unmatched_runs
from models.marts.work.comparison.comparable import comparable
from models.marts.work.comparison.kinds_of_work import work_kinds
from models.marts.work.comparison.token_counts import token_counts
from models.marts.work.cost_per_epoch import cost_per_epoch
from models.marts.work.days.calendar import calendar
from models.marts.work.days.work_daily import work_daily
from models.marts.work.days.workload_settled import workload_settled
from models.marts.work.lineages.final_losses import final_losses
from models.marts.work.lineages.lineage_facts import lineage_facts
from models.marts.work.progress.high_water_mark import progress_steps
from models.marts.work.progress.progress_daily import progress_daily
from models.marts.work.progress.samples import samples
from models.marts.work.runs.run_registry import run_registry
from models.marts.work.runs.runs import runs

Mart = Callable[..., ir.Table]

SPEND_REDUCED: Mart = spend_reduced
MARTS: tuple[Mart, ...] = (
    billed_days,
    settled_accounts,
    bills,
    run_workloads,
    usages,
    charge_kinds,
    hosted,
    hosted_kinds,
    attributed,
    capacity_blocks,
    block_use,
    block_spend,
    amortised,
    spend_daily,
    committed,
    hidden_credits,
    samples,
    run_registry,
    progress_steps,
    progress_daily,
    workload_settled,
    work_daily,
    lineage_facts,
    final_losses,
    token_counts,
    work_kinds,
    comparable,
    price_steps,
    gpu_use,
    ended_gpu,
    baseline_members,
    qualifying_runs,
    baseline_terms,
    baseline_omissions,
    baseline_steps,
    calendar,
    further_baselines,
    baselines,
    verdicts,
    trn_daily,
    workload_state,
    covered_hours,
    idle_commitments,
    stranded_commitments,
    commitments,
    silent_payers,
    outlays,
    ledger,
    running,
    savings_daily,
    portfolio_daily,
    exceptions,
    standings,
    paces,
    forecast_days,
    forecast_runs,
    remarks,
    break_even,
    month_facts,
    baseline_runs,
    monthly_summary,
    runs,
    cost_per_epoch,
    tie_out,
    unmatched_runs,
    restatements,
    freshness,
    late_changes,
    price_changes,
    price_history,
    committed_rates,
    loss_curve,
    investments,
    baseline_parts,
    baseline_hours,
    capacity_offers,
    offered,
    accelerator_days,
    run_parts,
    counted_runs,
)
