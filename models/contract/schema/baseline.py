"""Columns of the marts about the GPU baseline (METHOD §5)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER

BASELINES: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "recipe": "string",
    "unit": "string",
    "main": "boolean",
    "platform": "string",
    "measured": MONEY,
    "repriced": MONEY,
    "factor": NUMBER,
    "fixed": MONEY,
    "value": MONEY,
    "value_at_list": MONEY,
    "method": "string",
    "runs": "int64",
    "flags": "array<string>",
    "reason": "string",
    "cap": NUMBER,
}
"""`main`: of the workload's kind with most Trainium cost, whose figures per unit stand for it.
`cap`: the work that a result is credited, where the workload has a target loss.

`platform`: whose runs set the value; null where runs of several are pooled, or none is enough.
`factor`: the part of the day's public prices that `repriced` takes to be paid."""

BASELINE_PARTS: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "platform": "string",
    "instance_type": "string",
    "region": "string",
    "purchase_option": "string",
    "runs": "int64",
    "epochs": NUMBER,
    "instance_hours": NUMBER,
    "effective_cost": MONEY,
    "list_cost": MONEY,
    "hours_per_epoch": NUMBER,
    "price": MONEY,
    "factor": NUMBER,
    "payer_factor": NUMBER,
    "repriced": MONEY,
    "other_per_epoch": MONEY,
}
"""The inputs of the repriced baseline on the last settled day.

`factor` is what the window's own runs paid of the list price; `payer_factor`, where it is lower,
what a payer of the workload paid lately, and then `repriced` is at that."""

BASELINE_RUNS: Mapping[str, str] = {
    "month": "string",
    "workload": "string",
    "kind_of_work": "string",
    "lineage": "string",
    "ended_on": "date",
    "qualifies": "boolean",
    "epochs": NUMBER,
    "cost": MONEY,
}
"""The lineages from which the baseline of each month's last settled day is computed.

`kind_of_work` is null for the workload's main kind; `epochs` are in the unit of the baseline."""

BASELINE_HOURS: Mapping[str, str] = {
    "month": "string",
    "workload": "string",
    "kind_of_work": "string",
    "platform": "string",
    "instance_type": "string",
    "region": "string",
    "purchase_option": "string",
    "epochs": NUMBER,
    "instance_hours": NUMBER,
    "effective_cost": MONEY,
    "reference_cost": MONEY,
    "price": MONEY,
    "payer_factor": NUMBER,
    "repriced": MONEY,
    "other_per_epoch": MONEY,
}
"""The hours from which the baseline of each month's last settled day is computed.

`kind_of_work` is null for the workload's main kind; `epochs` are in the unit of the baseline."""

PAYER_USE: Mapping[str, str] = {
    "date": "date",
    "billing_account": "string",
    "instance_type": "string",
    "instance_hours": NUMBER,
    "effective_cost": MONEY,
    "list_cost": MONEY,
    "factor": NUMBER,
}
"""What each payer used of a GPU machine on demand in 84 settled days, and what it paid of list."""

PRICE_CHANGES: Mapping[str, str] = {
    "workload": "string",
    "instance_type": "string",
    "region": "string",
    "purchase_option": "string",
    "effective_from": "date",
    "usd_per_hour": MONEY,
    "previous_usd_per_hour": MONEY,
}
"""Changes of the GPU prices from which a workload's baseline is computed."""

BENCHMARK_RUNS: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "run": "string",
    "hardware": "string",
    "platform": "string",
    "instance_type": "string",
    "region": "string",
    "unit": "string",
    "last_day": "date",
    "samples": "int64",
    "machines": "int64",
    "instance_hours": NUMBER,
    "epochs": NUMBER,
    "priced": "string",
    "usd_per_hour": MONEY,
    "cost": MONEY,
    "cost_per_epoch": MONEY,
    "reason": "string",
}
"""The steady part of each benchmark: its hours, its work, and what its hour costs."""

BENCHMARKS: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "unit": "string",
    "hardware": "string",
    "platform": "string",
    "runs": "int64",
    "last_day": "date",
    "instance_hours": NUMBER,
    "instance_hours_per_epoch": NUMBER,
    "priced": "string",
    "cost_per_epoch": MONEY,
    "planned_epochs": NUMBER,
    "planned_by": "string",
    "cost_per_result": MONEY,
    "against": "string",
    "against_platform": "string",
    "gpu_cost_per_epoch": MONEY,
    "saving_per_epoch": MONEY,
    "saving_per_result": MONEY,
    "declared_port": MONEY,
    "results_to_pay": "int64",
    "reason": "string",
}

ALTERNATIVES: Mapping[str, str] = {
    "workload": "string",
    "recipe": "string",
    "instance_type": "string",
    "offer": "string",
    "platform": "string",
    "unit": "string",
    "date": "date",
    "region": "string",
    "baseline_platform": "string",
    "hours_per_epoch": NUMBER,
    "usd_per_hour": MONEY,
    "factor": NUMBER,
    "trn_cost_per_epoch": MONEY,
    "needed_speedup": NUMBER,
    "peak_speedup": NUMBER,
}

MARTS: Mapping[str, Mapping[str, str]] = {
    "baselines": BASELINES,
    "benchmarks": BENCHMARKS,
    "alternatives": ALTERNATIVES,
}
"""Published marts of this chapter."""
