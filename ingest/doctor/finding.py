"""What one check found: what was looked at, what that means, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from models.contract.errors import BreakevenError, BudgetError, BusyError

State = Literal["ok", "skipped", "warning", "blocks"]
"""`skipped`: it could not be looked at, and what it waits for is said; `blocks`: exit 1."""
NOT_ASKED = (BudgetError, BusyError)
"""Why a paid request was not sent: the day's cap, or somebody else who writes."""


@dataclass(frozen=True)
class Finding:
    """One line of `breakeven doctor`, and below it what is to be pasted.

    `remedy` is a command, a console path or a part of the config.
    """

    check: str
    about: str
    state: State
    found: str
    remedy: str = ""

    def line(self) -> str:
        """For people."""
        remedy = self.remedy.replace("\n", "\n         ")
        advice = f" -> {remedy}" if remedy else ""
        return f"{self.state:<8} {self.check}: {self.about}: {self.found}{advice}"

    def document(self) -> dict[str, str]:
        """For machines."""
        return asdict(self)


def refused(check: str, about: str, error: BreakevenError, state: State = "blocks") -> Finding:
    """What an error says, as a finding; what could not be asked is not known to be wrong."""
    if isinstance(error, NOT_ASKED):
        state = "skipped"
    return Finding(check, about, state, error.said.removeprefix(f"{about}: "), error.remedy)
