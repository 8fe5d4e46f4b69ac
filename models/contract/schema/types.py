"""Types of columns: money, hours and counts as exact decimals, and reasons with their dollars."""

from __future__ import annotations

AMOUNT = "decimal(18, 9)"
"""One delivered amount: exact, int64-backed, up to a billion dollars."""
MONEY = "decimal(38, 9)"
"""A sum of amounts, and everything computed from one."""
NUMBER = "decimal(38, 9)"
"""Hours, epochs, samples: exact like money, but exported as a number."""
REASONS = "map<string, decimal(38, 9)>"
"""Reason in words → dollars."""
TAGS = "tag_*"

COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")
COST_COLUMNS = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")

NUMBERS = frozenset(
    {
        "instance_hours",
        "accelerator_hours",
        "training_hours",
        "billed_hours",
        "warm_pool_hours",
        "epochs",
        "credited_epochs",
        "repeated_epochs",
        "gpu_epochs",
        "trn_epochs",
        "samples",
        "tokens",
        "repeated_samples",
        "repeated_tokens",
        "samples_per_epoch",
        "epoch",
        "step",
        "start_epoch",
        "progress",
        "roi",
        "ConsumedQuantity",
        "hours_per_epoch",
        "instance_hours_per_epoch",
        "planned_epochs",
        "needed_speedup",
        "peak_speedup",
        "hours_so_far",
        "clock_so_far",
        "factor",
        "gpu_work",
        "per_day",
        "old_epochs",
        "covered_share",
        "covered_share_recent",
        "least_work",
        "elapsed_hours",
        "hours_per_result",
        "gpu_hours_per_unit",
        "trn_hours_per_unit",
        "delay_hours",
        "result_work",
        "median_work",
        "whole_work",
        "wait_hours",
        "held_hours",
        "unknown_hours",
        "idle_hours",
        "known_hours",
        "over_allocated_hours",
        "over_allocated_seconds",
        "capacity_seconds",
        "over_seconds",
        "daily_hours",
        "coverage",
        "gpu_idle_share",
        "undelivered_hours",
        "credit_share",
        "baseline_low",
        "baseline_high",
        "cap",
        "payer_factor",
        "accelerators",
        "of",
        "cpus",
        "of_cpus",
        "share",
        "PodAccelerators",
        "PodShare",
    }
)
"""DECIMAL columns that are counts or ratios, not dollars: exported as numbers."""
