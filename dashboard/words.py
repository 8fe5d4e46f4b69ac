"""What the pages say: the answer in words, plainly, whichever way it went."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dashboard.format import GAP, count, day, dollars, number, percent, saving

Row = dict[str, Any]

NOTHING_YET = "Nothing is published yet."
NOT_ENOUGH = "not enough data yet"
CURVE_KEY = "▼ investment · ◆ break-even · hatched: days whose bill is not complete."
NO_FORECAST = f"Forecast: {NOT_ENOUGH} for a dated break-even."
NO_INTERVAL = f"Interval of the cost per epoch: {NOT_ENOUGH}."

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

REASONS = {
    "unsettled": "Days whose cost is still arriving",
    "not_comparable": "Runs that do different work",
    "require_verified": "Workloads that must report a loss and do not",
    "unverified": "No loss reported, quality unknown",
    "price_unavailable": "No public price for the GPU hours",
    "stale_price": "GPU price last seen over 45 days ago",
    "pending": "Runs still going, quality not known yet",
    "cost_unknown": "Runs whose cost is unknown",
    "no_accelerator_hours": "Runs without accelerator-hours",
    "stranded_commitment": "Idle GPU commitments after the move",
    "mixed_hardware": "Ran on more than one hardware",
    "undeclared_start": "Started above one epoch without saying so",
    "unknown_purpose": "Purpose not understood",
    "no_progress": "No progress reported",
    "parent_unknown": "Resumes a run that is not known",
}


def status(name: str | None) -> Status:
    """The words for a status, also for one that a newer build may send."""
    return STATUSES.get(name or "", UNKNOWN)


def workload_order(row: Row) -> tuple[int, Decimal]:
    """What needs attention first, then by what was invested."""
    place = ATTENTION.index(row["status"]) if row["status"] in ATTENTION else len(ATTENTION)
    return place, -(row["cumulative_investment"] or Decimal(0))


def reason(name: str) -> str:
    """What money was left out, or flagged, for."""
    return REASONS.get(name, name.replace("_", " ").capitalize())


def portfolio_sentence(row: Row | None, moved: int) -> str:
    """The answer for everything that has moved; `moved` counts workloads on Trainium."""
    if row is None:
        return NOTHING_YET
    who = count(moved, "workload")
    return _sentence(row, f"Moving {who} to Trainium", f"{who} on Trainium")


def workload_sentence(row: Row) -> str:
    """The answer for one workload."""
    name = str(row["workload"])
    return _sentence(row, f"Moving {name} to Trainium", name)


def _sentence(row: Row, moving: str, subject: str) -> str:
    invested = dollars(row["cumulative_investment"])
    match row["status"]:
        case "broke_even":
            return (
                f"{moving} has paid for itself: break-even was on {day(row['break_even_date'])}, "
                f"and it stands at {saving(row['cumulative_net'])} after {invested} invested."
            )
        case "recovering":
            return f"{moving} has recovered {percent(row['progress'])} of {invested} invested; " + (
                _expected(row)
            )
        case "losing":
            return (
                f"{moving} is losing money: over the last 12 weeks training cost more than it "
                "would have on GPU. "
                f"It stands at {saving(row['cumulative_net'])} after {_invested(row)}."
            )
        case "no_investment":
            return (
                f"{moving} has {_saved(row['cumulative_net_saving'])}; no investment is "
                "configured, so there is nothing to break even on."
            )
        case "investing":
            return (
                f"{invested} has been invested in moving to Trainium; no production run has "
                "settled yet, so nothing is recovered."
            )
        case "not_started":
            return "Nothing has moved to Trainium yet, and nothing has been invested."
        case "not_comparable":
            return f"{subject} cannot be judged: {_because(row, 'no Trainium run compares')}."
        case "insufficient_baseline":
            return f"{subject} cannot be judged yet: {_because(row, 'too few GPU runs')}."
    return f"{subject}: {_because(row, 'its status is not known to this version')}."


def _expected(row: Row) -> str:
    if median := row["forecast_median"]:
        span = f"{day(row['forecast_low'])} – {day(row['forecast_high'])}"
        return f"break-even is expected on {day(median)} (80{GAP}%: {span})."
    if months := row["payback_months"]:
        pace = f"at the pace of the last 12 weeks it takes about {_months(months)} more"
        return f"{pace}; {NOT_ENOUGH} for a dated forecast."
    return f"{NOT_ENOUGH} to say when it breaks even."


def _invested(row: Row) -> str:
    spent = row["cumulative_investment"]
    return f"{dollars(spent)} invested" if spent else "nothing invested"


def _months(months: float) -> str:
    return "1 month" if round(months) <= 1 else f"{round(months)} months"


def _saved(net: Decimal | None) -> str:
    if net is not None and net < 0:
        return f"cost {dollars(-net)} more than staying on GPU"
    return f"saved {dollars(net)} net"


def _because(row: Row, otherwise: str) -> str:
    told = str(row["reason"] or otherwise).removeprefix("insufficient baseline: ")
    return told.rstrip(".")


def next_action(row: Row) -> str:
    """What to do about a workload, in one line."""
    left = row["runs_to_break_even"]
    match row["status"]:
        case "broke_even":
            return _with_parity(row, "Keep going: every further run adds to the saving.")
        case "recovering":
            pace = f"{number(left)} more runs like these to break even." if left else "Keep going."
            return _with_parity(row, pace)
        case "losing":
            return "Find where each dollar goes, or move back to GPU."
        case "no_investment":
            return "Add what the move cost, to see when it pays back."
        case "investing":
            return "Start the first production run on Trainium."
        case "not_started":
            return "Estimate the move before starting it."
        case "not_comparable":
            return "Train the same recipe on both, or tag the recipe."
        case "insufficient_baseline":
            return "Finish more GPU runs, or configure a quoted GPU price."
    return "Open it for details."


def _with_parity(row: Row, otherwise: str) -> str:
    return {
        "below_parity": "Check quality: final loss is worse than on GPU.",
        "mixed": "Check quality: some runs end with a worse loss than on GPU.",
        "unverified": "Report the loss, so that the saving can be verified.",
    }.get(row["parity"] or "", otherwise)
