"""Columns of the marts about work: progress, runs and what an epoch costs (METHOD §3, §4)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER, TAGS

PROGRESS_DAILY: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "run": "string",
    "epochs": NUMBER,
    "repeated_epochs": NUMBER,
    "samples": NUMBER,
    "tokens": NUMBER,
    "repeated_samples": NUMBER,
    "repeated_tokens": NUMBER,
    "loss": "float64",
}

RUNS: Mapping[str, str] = {
    "workload": "string",
    "run": "string",
    "hardware": "string",
    "platform": "string",
    "lineage": "string",
    "started_at": "timestamp",
    "ended_at": "timestamp",
    "purpose": "string",
    "recipe": "string",
    TAGS: "string",
    "cost": MONEY,
    "unsettled": MONEY,
    "unit": "string",
    "epochs": NUMBER,
    "credited_epochs": NUMBER,
    "cost_per_epoch": MONEY,
    "cost_to_target_loss": MONEY,
    "final_loss": "float64",
    "parity": "string",
    "comparability": "string",
    "accelerator_hours": NUMBER,
    "idle_cost": MONEY,
    "repeated_epochs": NUMBER,
    "repeated_cost": MONEY,
    "accelerator_cost": MONEY,
    "storage_cost": MONEY,
    "network_cost": MONEY,
    "other_cost": MONEY,
    "list_cost": MONEY,
    "startup_cost": MONEY,
    "cost_per_million_samples": MONEY,
    "cost_per_billion_tokens": MONEY,
    "elapsed_hours": NUMBER,
    "wait_hours": NUMBER,
    "identified_by": "string",
    "flags": "array<string>",
}

COUNTED_RUNS: Mapping[str, str] = RUNS
"""The rows of `runs` that enter comparisons."""

COST_PER_EPOCH: Mapping[str, str] = {
    "period": "string",
    "period_start": "date",
    "workload": "string",
    "recipe": "string",
    "hardware": "string",
    "unit": "string",
    "main": "boolean",
    "cost": MONEY,
    "epochs": NUMBER,
    "cost_per_epoch": MONEY,
    "runs": "int64",
    "settled": "boolean",
}
"""`main`: of the workload's kind with most Trainium cost, whose figures per unit stand for it."""

LOSS_CURVE: Mapping[str, str] = {
    "workload": "string",
    "run": "string",
    "hardware": "string",
    "observed_at": "timestamp",
    "epoch": NUMBER,
    "loss": "float64",
    "cost_so_far": MONEY,
    "hours_so_far": NUMBER,
    "clock_so_far": NUMBER,
}
"""Each loss with the dollars, instance-hours and hours by the clock of its lineage by then."""

RUN_JOBS: Mapping[str, str] = {
    "workload": "string",
    "run": "string",
    "cluster": "string",
    "job": "string",
    "instance_type": "string",
    "platform": "string",
    "hardware": "string",
    "queued_at": "timestamp",
    "began": "timestamp",
    "ended": "timestamp",
    "wait_hours": NUMBER,
}
"""The jobs of each run, from submission to end, as allocations tell them."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "progress_daily": PROGRESS_DAILY,
    "runs": RUNS,
    "cost_per_epoch": COST_PER_EPOCH,
}
"""Published marts of this chapter."""
