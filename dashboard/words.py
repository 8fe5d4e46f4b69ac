"""The names of things: statuses, qualities, reasons, and the notes under the figures."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

Row = dict[str, Any]

NOTHING_YET = "Nothing is published yet."
NOT_ENOUGH = "not enough data yet"
CURVE_KEY = "▼ investment · ◆ break-even · hatched: days whose bill is not complete."
FAN_KEY = "Dashed: forecast; shaded: 80 of 100 futures."
EXPECTED_KEY = "◇ expected break-even, 80 of 100 within the bar."
BAND_KEY = "Shaded: Trainium's mean, 80 of 100 within."
BANDS_KEY = "Shaded: the GPU baseline and Trainium's mean, 80 of 100 within."
NO_HOURS = "No accelerator-hours on the bill belong to these runs, so their cost is unknown."
HORIZON = "24 months"
"""How far a forecast looks."""

UNJUDGED = {
    "not_comparable": (
        "No saving is claimed",
        "The GPU and the Trainium runs do different work, so there is nothing to set off.",
    ),
    "insufficient_baseline": (
        "No saving can be computed yet",
        "Too few GPU runs have finished to know what an epoch costs there.",
    ),
}
"""Statuses without a savings curve: the words that stand in its place."""

WHY_UNKNOWN = {
    "not_comparable": "the GPU and the Trainium runs do different work",
    "insufficient_baseline": "too few GPU runs have ended to know what an epoch costs there",
    "not_started": "nothing has trained on Trainium yet",
    "investing": "no production run on Trainium has settled yet",
}
NO_COUNTERFACTUAL = "what the GPU would have cost is not known for every day"

ATTENTION = ("losing", "not_comparable", "insufficient_baseline", "recovering")


@dataclass(frozen=True)
class Status:
    """How a standing is named and looks; `icon` and `tone` are style names."""

    label: str
    icon: str
    tone: str
    meaning: str


STATUSES = {
    "broke_even": Status(
        "Paid for itself",
        "check",
        "good",
        "Net savings have covered the whole investment and still do.",
    ),
    "recovering": Status(
        "Recovering",
        "up",
        "going",
        "Saving money, but the investment is not fully recovered yet.",
    ),
    "losing": Status(
        "Losing money",
        "down",
        "bad",
        "Over the last twelve weeks of training, Trainium cost more than the GPU would have.",
    ),
    "investing": Status(
        "Investing",
        "dots",
        "quiet",
        "Money has been spent on moving; no production run on Trainium has settled yet.",
    ),
    "not_started": Status(
        "Not started",
        "ring",
        "quiet",
        "No production run on Trainium and nothing invested yet.",
    ),
    "no_investment": Status(
        "No investment set",
        "dots",
        "quiet",
        "Savings are counted, but no investment is configured that they could recover.",
    ),
    "insufficient_baseline": Status(
        "Too few GPU runs",
        "question",
        "warn",
        "There are too few finished GPU runs to know what an epoch costs there.",
    ),
    "not_comparable": Status(
        "Not comparable",
        "unequal",
        "warn",
        "The GPU and the Trainium runs do different work, so no saving is claimed.",
    ),
}
UNKNOWN = Status("Unknown", "question", "warn", "This status is not known to this version.")

PARITY = {
    "parity": ("On par", "Final loss is as good as on GPU, within tolerance."),
    "below_parity": ("Below par", "Final loss is worse than on GPU: its cost counts, no saving."),
    "mixed": ("Mixed", "Some runs end with a worse loss than on GPU: those claim no saving."),
    "pending": ("Pending", "Runs have not ended yet: counted for now."),
    "unverified": ("Unverified", "No loss is reported anywhere: counted, and named as unverified."),
}

NOT_COMPARED = "Nothing to compare with"
"""A run of a workload that ran on one hardware, or for no saving."""

REASONS = {
    "unsettled": "Days whose cost is still arriving",
    "not_comparable": "Runs that do different work",
    "insufficient_baseline": "Workloads without a GPU baseline",
    "require_verified": "Workloads that must report a loss and do not",
    "unverified": "No loss reported, quality unknown",
    "price_unavailable": "No public price for the GPU hours",
    "stale_price": "GPU price last seen 45 days ago or more",
    "pending": "Runs still going, quality not known yet",
    "cost_unknown": "Runs whose cost is unknown",
    "no_accelerator_hours": "Epochs without accelerator-hours",
    "stranded_commitment": "Idle GPU commitments after the move",
    "gross_cost": "Cost before discounts: the account has no net figures",
    "charges_untold": "Other charges bear its tag: Cost Explorer does not say what they were for",
    "mixed_hardware": "Ran on more than one hardware",
    "undeclared_start": "Started above one epoch without saying so",
    "counter_starts_late": "Ran for days before its counter's first datapoint",
    "unknown_purpose": "Purpose not understood",
    "baseline_on_trainium": "Called a baseline, but ran on Trainium",
    "unbilled_epochs": "Its epochs on days without accelerator-hours are not counted",
    "no_progress": "No progress reported",
    "losses_stop_early": "Its losses stop before its work does: no final loss",
    "future_samples": "Samples dated after today are left out",
    "epochs_from_samples": "Epochs counted from samples",
    "samples_per_epoch_unknown": "Samples without samples_per_epoch, which make no epoch",
    "per_token": "Compared per token: epochs differ in size",
    "parent_unknown": "Resumes a run that is not known",
    "circular_resume": "Resumes a run that resumes it",
}


def status(name: str | None) -> Status:
    """The words for a status, also for one that a newer build may send."""
    return STATUSES.get(name or "", UNKNOWN)


def unjudged(standing: Row) -> bool:
    """Whether nothing may be claimed: no saving is known, or none compares."""
    return standing.get("status") in UNJUDGED or standing.get("cumulative_net_saving") is None


def why_unknown(standing: Row) -> str:
    """Why a saving is unknown, in the words that stand beside it."""
    return WHY_UNKNOWN.get(standing.get("status") or "", NO_COUNTERFACTUAL)


def workload_order(row: Row) -> tuple[int, Decimal]:
    """What needs attention first, then by what was invested."""
    place = ATTENTION.index(row["status"]) if row["status"] in ATTENTION else len(ATTENTION)
    return place, -(row["cumulative_investment"] or Decimal(0))


def compared(found: str | None) -> str:
    """Whether a run's work is that of the other hardware, or in what it differs."""
    return found.capitalize() if found else NOT_COMPARED


def reason(name: str) -> str:
    """What money was left out, or flagged, for."""
    return REASONS.get(name, name.replace("_", " ").capitalize())
