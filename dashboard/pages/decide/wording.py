"""Says in one sentence when a move would pay for itself, and where its figures come from."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import Range
from dashboard.wording.format import GAP, count, dollars, number, percent, plain
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.forecast.verdict import NO_PACE, UNKNOWN
from models.forecast.what_if import Outcome

TODAY = "Today's value."
ASK = "Unknown: enter a value."
PACE = "The pace of the last 12 settled weeks."
FROM_MOVED = (
    "No settled production run on Trainium yet: the median share that moved workloads here saved."
)
SPENT = "Spent so far; add what you still expect to spend."
PLANNED = "Spent so far, and planned in the configuration."
CONFIGURED = "From the configuration."
UNCHANGED = "Relative to today's price."
FIGURES = {
    "runs": "Runs a month",
    "gpu": "A run on GPU, $",
    "trn": "A run on Trainium, $",
    "port": "Cost of the move, $",
    "upkeep": "Upkeep a month, $",
    "gpu_price": "GPU price change, %",
    "trn_price": "Trainium price change, %",
}
"""The figures of the what-if that may be entered, as their boxes are labelled."""


def what_if_sentence(
    workload: str, found: Outcome, assumptions_made: Sequence[str] = (), status: str = ""
) -> str:
    """Says when a move pays for itself, and what that assumes."""
    name = f"\u2068{workload}\u2069"
    first = f"{name} is losing today. " if status == "losing" else ""
    if status in NOT_MOVED_YET and found.payback_months == 0:
        return _at_once(name, found, assumptions_made)
    return first + _answer(name, found, assumptions_made)


def _at_once(name: str, found: Outcome, assumptions_made: Sequence[str]) -> str:
    """Says that a move with nothing left to pay pays at once, and what a month then saves."""
    month = dollars(found.net_per_month)
    return (
        f"{name} would pay for itself at once{_given(assumptions_made)}: nothing is left to pay "
        f"back, and at this pace a month saves {month}."
    )


def _answer(name: str, found: Outcome, assumptions_made: Sequence[str]) -> str:
    if found.paid:
        return f"{name} has paid for itself{_given(assumptions_made)}: {found.why}."
    if found.never:
        return f"Moving {name} never pays for itself{_given(assumptions_made)}: {found.why}."
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
    if found.ends_first:
        pace = f"at this pace it takes {number(found.payback_months, 1)}{GAP}months"
        return f"Training ends before {name} pays for itself{_given(assumptions_made)}: {pace}."
    runs = found.runs_to_break_even
    after = f", after {count(runs, 'more run')}" if runs is not None else ""
    return (
        f"{name} would pay for itself in {number(found.payback_months, 1)}{GAP}months{after}"
        f"{_given(assumptions_made)}."
    )


def as_entered(asked: Assumptions) -> str:
    """Says which figures of the what-if the reader entered; empty if all are the data's own."""
    values = {name: getattr(asked, name) for name in FIGURES}
    return "; ".join(
        _entered(FIGURES[name], value) for name, value in values.items() if value is not None
    )


def _entered(label: str, value: Decimal) -> str:
    what, _, unit = label.partition(", ")
    written = {"$": dollars(value), "%": f"{plain(value)}{GAP}%"}
    return f"{what}: {written.get(unit, plain(value))}"


def shares_note(saved: Range | None, moved: int, unverified: int, assumed: bool) -> str:
    """Says what share of GPU cost moves save: as entered, as moved workloads did, or unknown."""
    if saved is None:
        return "No workload here has moved and been compared, so what a move saves is unknown."
    low, middle, high = saved
    if assumed:
        return f"Saving of the GPU cost, as you entered it: {percent(middle, 1)}."
    text = f"{count(moved, 'moved workload')} here saved {percent(middle, 1)} of the GPU cost, net"
    if moved > 1:
        text += f" (median; from {percent(low, 1)} to {percent(high, 1)}). The intervals combine"
        text += " that range with the range of the effort. They are not probabilities."
    else:
        text += ". With one move there is no range of savings; the interval shows effort only."
    if unverified:
        text += f" {unverified} of them {'has' if unverified == 1 else 'have'} no verified loss."
    return text


def _given(assumptions_made: Sequence[str]) -> str:
    return f", if {' and '.join(assumptions_made)}" if assumptions_made else ""
