"""Defines a step of setting up and its states; says what AWS will bill and what was checked."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal
from typing import Literal, NamedTuple

from models.contract.decimal_text import CENT, dollars

State = Literal["done", "failed", "open", "warning", "blocks", "known"]
STATES: dict[State, str] = {
    "done": "Done",
    "failed": "Failed",
    "open": "To do",
    "warning": "Warning",
    "blocks": "Blocks",
    "known": "Estimated",
}
CHECKS = "Checks"
COST = "What AWS will bill for being asked"


class SetupStep(NamedTuple):
    """A step of setting up: how far it has come, and what happened or what to run."""

    title: str
    state: State
    detail: str


def request_cost(monthly: Decimal, first_pull: Decimal) -> str:
    """Says the most that AWS will bill for requests: each month, and once to pull all history."""
    if not monthly + first_pull:
        return "Nothing."
    once = f"; all of history once {_at_most(first_pull)}" if first_pull else ""
    return (
        f"At most {_at_most(monthly)} a month on the schedule of the config{once}. "
        "`breakeven estimate` has the parts."
    )


def _at_most(amount: Decimal) -> str:
    """Formats an upper bound, so it is rounded up: half a thousandth of a dollar is $0.01."""
    return dollars(amount.quantize(CENT, ROUND_UP))


def checks_passed(fine: int, blocked: bool) -> str:
    """Says how many checks of config and files passed at start, and which command checks anew."""
    more = "Mend what blocks. " if blocked else ""
    return (
        f"{fine} of the config and its files were fine when this server started. {more}"
        "`breakeven doctor` checks anew, and what AWS allows"
    )
