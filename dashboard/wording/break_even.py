"""Says in one sentence whether a move has paid for itself, or when it will. METHOD §6."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from dashboard.wording.forecast import HORIZON, break_even_span
from dashboard.wording.format import count, day, dollars, number, percent, rounded, saving
from dashboard.wording.unknown import (
    COST_UNKNOWN,
    NOT_ENOUGH,
    NOTHING_YET,
    UNJUDGED,
    why_unknown,
)
from models.documents.not_moved import NOT_STARTED, invested_so_far

Row = dict[str, Any]


def portfolio_sentence(row: Row | None, moved: int) -> str:
    """Says in a sentence if all moves together paid for themselves, when, or what is unknown."""
    if row is None:
        return NOTHING_YET
    who = count(moved, "workload")
    return _sentence(row, f"Moving {who} to Trainium", f"{who} on Trainium")


def scope_sentence(row: Row) -> str:
    """Says in a sentence what the moves in the reader's scope saved and cost together."""
    if not row["workloads"]:
        return "No workload that you have access to is on the bill or reports progress."
    who, net = count(row["moved"], "workload"), row["cumulative_net_saving"]
    if not row["moved"]:
        return f"None of your {count(row['workloads'], 'workload')} trains on Trainium yet."
    if net is None or row["status"] in UNJUDGED:
        return f"What {who} on Trainium saved is unknown: {why_unknown(row)}."
    cost = f"has cost {dollars(-net)} more than staying on GPU"
    done = f"has saved {dollars(net)} net" if net >= 0 else cost
    return (
        f"Moving {who} to Trainium {done}; its balance is {saving(row['cumulative_net'])} "
        f"after {_invested(row)}."
    )


def workload_sentence(row: Row) -> str:
    """Says in a sentence if a workload's move has paid for itself, when, or what is unknown."""
    name = str(row["workload"])
    return _sentence(row, f"Moving {name} to Trainium", name)


def _sentence(row: Row, moving: str, subject: str) -> str:
    if row["status"] in CLAIMED and row[CLAIMED[row["status"]]] is None:
        return _unclaimed(row, moving, subject) + _going_on(row)
    sentence = SENTENCES.get(row["status"], _unheard_of)(row, moving, subject)
    return sentence + _going_on(row) + _until_the_end(row)


def _unclaimed(row: Row, moving: str, subject: str) -> str:
    """Says what is known of a move whose saving, or whose own cost, is unknown."""
    if row["cumulative_net_saving"] is None:
        return f"What {subject} has saved is unknown: {why_unknown(row)}."
    if row["status"] == "losing":
        return f"{_loses(row, moving)} {COST_UNKNOWN[0].upper()}{COST_UNKNOWN[1:]}."
    return f"{moving} has {_saved(row)}; {_because(row, COST_UNKNOWN)}."


def _going_on(row: Row) -> str:
    """Says what a month loses at the pace of the recent window; empty if it loses nothing."""
    monthly = row["forward_per_month"]
    if monthly is None or monthly >= 0:
        return ""
    return f" Going on as now loses {dollars(-monthly)} a month compared with GPU."


def _until_the_end(row: Row) -> str:
    """Says that training ends before break-even, and at which balance; else empty text."""
    if not row["ends_first"]:
        return ""
    balance = row["value_to_end"]
    at = "" if balance is None else f", at {saving(balance)}"
    return f" Training ends before it is paid back{at}."


def _broke_even(row: Row, moving: str, _subject: str) -> str:
    return (
        f"{moving} has paid for itself: break-even was on {day(row['break_even_date'])}, "
        f"and its balance is {saving(row['cumulative_net'])} after {_invested(row)}."
        f"{_headroom(row)}"
    )


def _headroom(row: Row) -> str:
    """Says how many more engineer-days a paid-back move can bear; empty without a day rate."""
    days = row["headroom_days"]
    if days is None:
        return ""
    if not days:
        return " One more engineer-day would undo that."
    return (
        f" {count(days, 'more engineer-day')} would still leave it paid for, "
        f"{number(days + 1)} would not."
    )


def _recovering(row: Row, moving: str, _subject: str) -> str:
    share = f"{moving} has recovered {percent(row['progress'])} of {_invested(row)}"
    return f"{share}; {_expected(row)}"


def _stopped(row: Row) -> str:
    """Returns the forecast's reason after its first `; ` (training stopped), or empty text."""
    text = (row["forecast_reason"] or "").partition("; ")[2]
    return f": {text}" if text else ""


def _losing(row: Row, moving: str, _subject: str) -> str:
    return (
        f"{_loses(row, moving)} Its balance is {saving(row['cumulative_net'])} "
        f"after {_invested(row)}{_at_this_pace(row)}."
    )


def _loses(row: Row, moving: str) -> str:
    """Says that a move loses money, and in which weeks it did."""
    return (
        f"{moving} is losing money: {_when(row)} training with its overhead cost more "
        "than it would have on GPU."
    )


def _when(row: Row) -> str:
    """Says which 12 weeks lost money: the last ones, or before a pause those of the last run."""
    monthly = row["forward_per_month"]
    paused = monthly is not None and monthly >= 0
    return "in the 12 weeks up to its last run" if paused else "over the last 12 weeks"


def _at_this_pace(row: Row) -> str:
    hopeless = row["never_share"] is not None and row["forecast_low"] is None
    text = f"; at this pace it does not break even within {HORIZON}{_stopped(row)}"
    return text if hopeless else ""


def _no_investment(row: Row, moving: str, _subject: str) -> str:
    return f"{moving} has {_saved(row)}; {_because(row, 'no investment is configured')}."


def _saved(row: Row) -> str:
    net: Decimal = row["cumulative_net_saving"]
    more = f"cost {dollars(-net)} more than staying on GPU"
    return more if net < 0 else f"saved {dollars(net)} net"


def _investing(row: Row, _moving: str, _subject: str) -> str:
    return invested_so_far(row["cumulative_investment"], dollars)


def _not_started(_row: Row, _moving: str, _subject: str) -> str:
    return NOT_STARTED


def _not_comparable(row: Row, _moving: str, subject: str) -> str:
    why = _because(row, "no Trainium run compares")
    return f"{subject} cannot be compared with GPU: {why}.{_spent(row)}"


def _insufficient(row: Row, _moving: str, subject: str) -> str:
    why = _because(row, "too few GPU runs have ended")
    return f"{subject} cannot be compared with GPU yet: {why}.{_spent(row)}"


def _unheard_of(row: Row, _moving: str, subject: str) -> str:
    return f"{subject}: {_because(row, 'this version does not know its status')}."


SENTENCES: dict[str, Callable[[Row, str, str], str]] = {
    "broke_even": _broke_even,
    "recovering": _recovering,
    "losing": _losing,
    "no_investment": _no_investment,
    "investing": _investing,
    "not_started": _not_started,
    "not_comparable": _not_comparable,
    "insufficient_baseline": _insufficient,
}

CLAIMED = {
    "broke_even": "cumulative_net",
    "recovering": "progress",
    "losing": "cumulative_net",
    "no_investment": "cumulative_net_saving",
}
"""Status → the amount that its sentence needs; without it a saving or investment is unknown."""


def _expected(row: Row) -> str:
    if row["forecast_low"]:
        dates = (row[f"forecast_{name}"] for name in ("low", "median", "high"))
        return f"break-even is expected {break_even_span(*dates)}."
    if row["never_share"] is not None:
        return f"break-even is not expected within {HORIZON}{_stopped(row)}."
    if months := row["payback_months"]:
        pace = f"at the pace of the last 12 weeks it takes about {_months(months)} more"
        return f"{pace}; {NOT_ENOUGH} for a dated forecast."
    return f"{NOT_ENOUGH} to say when it breaks even."


def _invested(row: Row) -> str:
    spent: Decimal | None = row["cumulative_investment"]
    if spent and spent < 0:
        return f"funding of {dollars(-spent)} more than was invested"
    return f"{dollars(spent)} invested" if spent else "nothing invested"


def _spent(row: Row) -> str:
    invested: Decimal | None = row["cumulative_investment"]
    if invested and invested < 0:
        return f" {funding_beyond(invested).capitalize()} so far."
    return f" {dollars(invested)} has been invested so far." if invested else ""


def funding_beyond(invested: Decimal) -> str:
    """Says by how much funding exceeds what was invested, which is then below 0."""
    return f"funding is {dollars(-invested)} more than was invested"


def _months(months: float) -> str:
    return count(max(int(rounded(months, 0)), 1), "month")


def _because(row: Row, otherwise: str) -> str:
    text = str(row["reason"] or otherwise).removeprefix("insufficient baseline: ")
    return text.rstrip(".")
