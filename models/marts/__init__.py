"""What a number means: one mart, one file, a pure function of tables.

A function's parameters name its inputs: another mart, `charges`, `progress`, `prices`, a table of
`models.schema.CONFIG` or `BESIDE`, or `settings`. `MARTS` is in order of dependence.
`SPEND_REDUCED` alone reads delivered lines; everything after it is small. `lineages` is not here:
it is walked in Python (`models.lineage`) between `run_registry` and the rest; so are `block_fees`
(`models.block_fees`) between `attributed` and `capacity_blocks`, and `forecasts`, drawn
(`models.outlook`) from the marts before `break_even`.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.amortised import amortised
from models.marts.attributed import attributed
from models.marts.baseline_inputs import baseline_hours, baseline_runs
from models.marts.baseline_members import baseline_members, qualifying_runs
from models.marts.baseline_omissions import baseline_omissions
from models.marts.baseline_steps import baseline_steps
from models.marts.baseline_terms import baseline_terms
from models.marts.baselines import baselines
from models.marts.billed_days import billed_days
from models.marts.bills import bills
from models.marts.block_spend import block_spend
from models.marts.block_use import block_use
from models.marts.break_even import break_even
from models.marts.calendar import calendar
from models.marts.capacity_blocks import capacity_blocks
from models.marts.capacity_offers import capacity_offers, offered
from models.marts.charge_kinds import charge_kinds
from models.marts.commitments import commitments
from models.marts.committed import committed
from models.marts.committed_rates import committed_rates
from models.marts.comparable import comparable
from models.marts.cost_per_epoch import cost_per_epoch
from models.marts.covered_hours import covered_hours
from models.marts.ended_gpu import ended_gpu
from models.marts.exceptions import exceptions
from models.marts.explainers import (
    baseline_parts,
    investments,
    loss_curve,
    price_changes,
    price_history,
)
from models.marts.final_losses import final_losses
from models.marts.forecast_days import forecast_days
from models.marts.forecast_runs import forecast_runs
from models.marts.freshness import freshness
from models.marts.further_baselines import further_baselines
from models.marts.gpu_use import gpu_use
from models.marts.hidden_credits import hidden_credits
from models.marts.hosted import hosted
from models.marts.hosted_kinds import hosted_kinds
from models.marts.idle_commitments import idle_commitments
from models.marts.late_changes import late_changes
from models.marts.ledger import ledger
from models.marts.lineage_facts import lineage_facts
from models.marts.month_facts import month_facts
from models.marts.monthly_summary import monthly_summary
from models.marts.outlays import outlays
from models.marts.price_steps import price_steps
from models.marts.progress_daily import progress_daily
from models.marts.progress_steps import progress_steps
from models.marts.remarks import remarks
from models.marts.restatements import restatements
from models.marts.run_registry import run_registry
from models.marts.run_workloads import run_workloads
from models.marts.running import running
from models.marts.runs import runs
from models.marts.samples import samples
from models.marts.savings_daily import portfolio_daily, savings_daily
from models.marts.settled_accounts import settled_accounts
from models.marts.silent_payers import silent_payers
from models.marts.spend_daily import spend_daily
from models.marts.spend_reduced import spend_reduced
from models.marts.spend_sums import accelerator_days, counted_runs, run_parts
from models.marts.standings import paces, standings
from models.marts.stranded_commitments import stranded_commitments
from models.marts.tie_out import tie_out
from models.marts.token_counts import token_counts
from models.marts.trn_daily import trn_daily
from models.marts.unmatched_runs import unmatched_runs
from models.marts.usages import usages
from models.marts.verdicts import verdicts
from models.marts.work_daily import work_daily
from models.marts.work_kinds import work_kinds
from models.marts.workload_settled import workload_settled
from models.marts.workload_state import workload_state

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
