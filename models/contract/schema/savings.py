"""Columns of the marts about savings and break-even (METHOD §6)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER, REASONS

SAVINGS_DAILY: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "trn_cost": MONEY,
    "unit": "string",
    "epochs": NUMBER,
    "credited_epochs": NUMBER,
    "counterfactual": MONEY,
    "gross_saving": MONEY,
    "overhead": MONEY,
    "net_saving": MONEY,
    "saving_at_list": MONEY,
    "investment": MONEY,
    "cumulative_net_saving": MONEY,
    "cumulative_investment": MONEY,
    "cumulative_net": MONEY,
    "settled": "boolean",
    "counterfactual_at_list": MONEY,
    "upkeep": MONEY,
    "roi": NUMBER,
    "saving_at_old_volume": MONEY,
    "cluster_idle": MONEY,
}

OLD_VOLUME: Mapping[str, str] = {
    "month": "string",
    "workload": "string",
    "recipe": "string",
    "unit": "string",
    "gpu_runs": "int64",
    "gpu_days": "int64",
    "gpu_work": NUMBER,
    "per_day": NUMBER,
    "settled_days": "int64",
    "credited_epochs": NUMBER,
    "gpu_epochs": NUMBER,
    "old_epochs": NUMBER,
}
"""How much of a month's credited Trainium work would have been trained at the pace before the move.

`per_day` is `gpu_work` of `gpu_runs` lineages in the `gpu_days` before the cutover; `gpu_epochs` is
production that stayed on GPU."""

SAVINGS_BY_KIND: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "recipe": "string",
    "unit": "string",
    "main": "boolean",
    "trn_cost": MONEY,
    "epochs": NUMBER,
    "credited_epochs": NUMBER,
    "counterfactual": MONEY,
    "gross_saving": MONEY,
    "settled": "boolean",
}
"""What each kind of work saved by day; `savings_daily` sums what is known of it.

`main`: the kind with most Trainium cost, whose epochs `savings_daily` shows."""

PORTFOLIO_DAILY: Mapping[str, str] = SAVINGS_DAILY
"""`savings_daily` summed over all workloads, and over what names none."""

BREAK_EVEN: Mapping[str, str] = {
    "workload": "string",
    "status": "string",
    "progress": NUMBER,
    "cumulative_gross_saving": MONEY,
    "cumulative_net_saving": MONEY,
    "cumulative_investment": MONEY,
    "cumulative_net": MONEY,
    "cumulative_saving_at_list": MONEY,
    "break_even_date": "date",
    "forecast_median": "date",
    "forecast_low": "date",
    "forecast_high": "date",
    "never_share": "float64",
    "runs_to_break_even": "int64",
    "payback_months": "float64",
    "roi": NUMBER,
    "unit": "string",
    "saving_per_epoch": MONEY,
    "saving_low": MONEY,
    "saving_high": MONEY,
    "baseline_low": NUMBER,
    "baseline_high": NUMBER,
    "trn_epoch_low": MONEY,
    "trn_epoch_high": MONEY,
    "parity": "string",
    "left_out": REASONS,
    "flagged": REASONS,
    "credit_share": NUMBER,
    "reason": "string",
    "forecast_reason": "string",
    "forward_per_month": MONEY,
    "months_in_migration": "float64",
    "headroom_days": "int64",
    "value_to_end": MONEY,
    "ends_first": "boolean",
    "saving_at_old_volume": MONEY,
    "net_at_old_volume": MONEY,
    "covered_share": NUMBER,
    "covered_share_recent": NUMBER,
    "cost_to_know": MONEY,
    "gpu_cost_per_result": MONEY,
    "trn_cost_per_result": MONEY,
    "gpu_hours_per_unit": NUMBER,
    "trn_hours_per_unit": NUMBER,
    "delay_hours": NUMBER,
    "price_of_a_day": MONEY,
    "gpu_overhead_ended": MONEY,
    "gpu_idle_share": NUMBER,
}

RESULT_RUNS: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "hardware": "string",
    "lineage": "string",
    "unit": "string",
    "ended_on": "date",
    "cost": MONEY,
    "epochs": NUMBER,
    "whole_work": NUMBER,
    "long_enough": "boolean",
    "reached": "boolean",
    "elapsed_hours": NUMBER,
    "hours_per_epoch": NUMBER,
}
"""The lineages by which GPU and Trainium are set side by side.

`epochs` are those of its Trainium runs, on GPU of all; `whole_work` and `elapsed_hours` of all."""

RESULTS: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "hardware": "string",
    "unit": "string",
    "main": "boolean",
    "days": "string",
    "cost_per_epoch": MONEY,
    "reached": "int64",
    "result_work": NUMBER,
    "cost_per_result": MONEY,
    "timed_runs": "int64",
    "median_work": NUMBER,
    "hours_per_epoch": NUMBER,
    "hours_per_result": NUMBER,
}
"""What a unit of work and a result cost and how long they take, on either side.

`days`: of the `baseline`'s window, the `recent` one, or `all`. `reached`: lineages that reached the
target loss, null without one."""

GPU_OVERHEAD: Mapping[str, str] = {
    "workload": "string",
    "since": "date",
    "days_before": "int64",
    "cost_before": MONEY,
    "cost_recent": MONEY,
    "per_month_before": MONEY,
    "per_month_recent": MONEY,
    "gpu_overhead_ended": MONEY,
}
"""GPU cost outside runs in the `days_before` the cutover, from `since` on, and in the last 84."""

JUDGED_DAILY: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "trn_cost": MONEY,
    "judged_cost": MONEY,
}
"""What production on Trainium cost by settled day, and how much of it is held against GPU."""

UNJUDGED_KINDS: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "unit": "string",
    "trn_cost": MONEY,
    "gpu_runs": "int64",
    "missing_runs": "int64",
    "least_work": NUMBER,
    "gpu_cost_per_epoch": MONEY,
    "cost_to_know": MONEY,
}
"""Kinds of work on Trainium with too few GPU runs for a baseline.

`gpu_runs` qualify and `missing_runs` more would be enough, of `least_work` each."""

RECENT_WINDOWS: Mapping[str, str] = {
    "workload": "string",
    "cutoff": "date",
    "newest": "boolean",
    "whole": "boolean",
    "lineages": "int64",
    "runs": "int64",
    "epochs": NUMBER,
    "credited_epochs": NUMBER,
    "counterfactual": MONEY,
    "trn_cost": MONEY,
    "overhead": MONEY,
    "upkeep": MONEY,
    "net_saving": MONEY,
    "forward_per_month": MONEY,
    "judged_net_saving": MONEY,
    "last_worked": "date",
}
"""Sums of `savings_daily` over the 84 settled days up to each `cutoff`, the last day of a month.

`lineages` are those of production on Trainium that trained in them, `runs` the ones whose saving is
known. `whole` says that 84 settled days have passed since the cutover.
`judged_net_saving` is that of the 84 days by which `losing` is judged."""

FORECAST_PATHS: Mapping[str, str] = {
    "workload": "string",
    "date": "date",
    "low": MONEY,
    "median": MONEY,
    "high": MONEY,
}
"""Cumulative net at the end of each week to come, median and 80 % interval.

Week 0 is the last settled day, where only the baseline is uncertain."""

INVESTMENTS: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "kind": "string",
    "amount": MONEY,
}
"""One row per configured investment; those that the bill says are summed by month."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "savings_daily": SAVINGS_DAILY,
    "savings_by_kind": SAVINGS_BY_KIND,
    "break_even": BREAK_EVEN,
}
"""Published marts of this chapter."""
