"""Says in one sentence when a move would pay for itself, and where its figures come from."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.pages.decide.ranking.prospects import Range
from dashboard.wording.format import GAP, count, dollars, number, percent
from models.forecast.verdict import NO_PACE, UNKNOWN
from models.forecast.what_if import Outcome

TODAY = "Today's, as published."
ASK = "Unknown: set it."
PACE = "The pace of the last 12 settled weeks."
FROM_MOVED = "No run yet: the median share that moved workloads here saved."
SPENT = "Spent so far; what is still to come is yours to add."
CONFIGURED = "What the configuration says."
UNCHANGED = "On top of today's price."
TRN_CHANGE = "Trainium price change, %"


def what_if_sentence(
    workload: str, found: Outcome, resting_on: Sequence[str] = (), status: str = ""
) -> str:
    """Says when a move pays for itself, and what that takes for granted."""
    name = f"\u2068{workload}\u2069"
    first = f"{name} is losing today. " if status == "losing" else ""
    return first + _answer(name, found, resting_on)


def _answer(name: str, found: Outcome, resting_on: Sequence[str]) -> str:
    if found.paid:
        return f"{name} has paid for itself{_given(resting_on)}: {found.why}."
    if found.never:
        return f"Moving {name} never pays for itself{_given(resting_on)}: {found.why}."
    if found.payback_months is None:
        if found.runs_to_break_even is None:
            return f"When {name} pays for itself is {UNKNOWN}: {found.why}."
        return (
            f"{name} would pay for itself after {count(found.runs_to_break_even, 'more run')}; "
            f"in how many months is {UNKNOWN}: {NO_PACE}."
        )
    if not found.payback_months:
        month = dollars(found.net_per_month)
        return f"{name} has paid for itself; at this pace a month saves {month}."
    runs = found.runs_to_break_even
    after = f", after {count(runs, 'more run')}" if runs is not None else ""
    return (
        f"{name} would pay for itself in {number(found.payback_months, 1)}{GAP}months{after}"
        f"{_given(resting_on)}."
    )


def shares_note(saved: Range | None, moved: int, unverified: int, assumed: bool) -> str:
    """Says where the saving expected of a move comes from."""
    if saved is None:
        return "No workload here has moved and been compared, so what a move saves is unknown."
    low, middle, high = saved
    if assumed:
        return f"Saving of the GPU cost as you assume it: {percent(middle, 1)}."
    text = f"{count(moved, 'moved workload')} here saved {percent(middle, 1)} of the GPU cost, net"
    if moved > 1:
        text += f" (median; from {percent(low, 1)} to {percent(high, 1)}). The intervals combine"
        text += " that range with the range of the effort. They are not probabilities."
    else:
        text += ". One move is no range, so the intervals are of the effort alone."
    if unverified:
        text += f" Without proof of equal quality: {unverified}."
    return text


def _given(resting_on: Sequence[str]) -> str:
    return f", if {' and '.join(resting_on)}" if resting_on else ""
