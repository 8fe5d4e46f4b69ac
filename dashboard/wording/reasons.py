"""Names the reasons for which savings are left out or flagged, and the flags of runs."""

from __future__ import annotations

REASONS = {
    "unsettled": "Days whose cost is still arriving",
    "not_comparable": "Runs whose work no GPU run did",
    "insufficient_baseline": "Workloads without a GPU baseline",
    "require_verified": "Workloads that must report a loss and do not",
    "unverified": "No final loss on GPU, quality unknown",
    "price_unavailable": "No public price for the GPU hours",
    "stale_price": "GPU price last seen 45 days ago or more",
    "stale_baseline": "The newest GPU run ended long ago",
    "pending": "Runs still going, quality not known yet",
    "short": "Ended early: quality compared with GPU at the same work",
    "cost_unknown": "Runs whose cost is unknown",
    "no_accelerator_hours": "Epochs without accelerator-hours",
    "stranded_commitment": "Idle GPU commitments after the move",
    "pool_before_cutover": "Idle Trainium machines before the move",
    "stranded_cluster": "Idle GPU machines after the move",
    "over_allocated": "Jobs held more of a machine than it had",
    "daily_allocation": "Shared machines divided by the day: the bill has no hours",
    "timed_by_allocation": "Samples without times, laid over the time it held machines",
    "gross_cost": "Cost before discounts: the account has no net figures",
    "charges_untold": "Its tag is on charges that Cost Explorer does not itemise",
    "mixed_hardware": "Ran on machines of more than one platform",
    "undeclared_start": "Had trained before its first sample, without a declared start",
    "counter_starts_late": "Ran for days before its counter's first datapoint",
    "unknown_purpose": "Purpose unknown",
    "unbilled_epochs": "Its epochs on days without accelerator-hours are not counted",
    "no_progress": "No progress reported",
    "losses_stop_early": "Loss reporting stopped before the run ended, so it has no final loss",
    "future_samples": "Samples dated after today are left out",
    "epochs_from_samples": "Epochs counted from samples",
    "parent_unknown": "Resumes an unknown run",
    "circular_resume": "Two runs name each other as parent",
}
WITHOUT_GPU_COST = ("not_comparable", "insufficient_baseline", "price_unavailable")
"""Reasons to leave out work that no GPU cost stands against: its dollars are what it cost
(`models/marts/trust/left_out_and_flagged.py`)."""


def reason(name: str) -> str:
    """Returns the words for a reason or a flag of a saving or a run; an unknown one is its name."""
    return REASONS.get(name, name.replace("_", " ").capitalize())
