"""Defines a finding of `breakeven doctor`: what was checked, its state, and the remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from models.contract.errors import BreakevenError, BudgetError, BusyError
from models.contract.safe_text import without_credentials

State = Literal["ok", "skipped", "warning", "blocks"]
"""`skipped`: it could not be checked yet, and the finding says why; `blocks`: exit code 1."""
NOT_SENT = (BudgetError, BusyError)
"""Errors that keep a paid request from being sent: the day's budget, or another writer."""


@dataclass(frozen=True)
class Finding:
    """One finding of `breakeven doctor`: what was checked, its state, and a remedy to paste.

    `remedy` is a command, a console path or a part of the config.
    """

    check: str
    about: str
    state: State
    found: str
    remedy: str = ""

    def line(self) -> str:
        """Formats a doctor's finding as text for the terminal, without credentials."""
        remedy = self.remedy.replace("\n", "\n         ")
        advice = f" -> {remedy}" if remedy else ""
        text = f"{self.state:<8} {self.check}: {self.about}: {self.found}{advice}"
        return without_credentials(text)

    def document(self) -> dict[str, str]:
        """Returns a doctor's finding as a dict of texts, ready for JSON, without credentials."""
        return {name: without_credentials(text) for name, text in asdict(self).items()}


def finding_of(check: str, about: str, error: BreakevenError, state: State = "blocks") -> Finding:
    """Makes a doctor's finding of an error; `skipped` if it is a `BudgetError` or `BusyError`."""
    if isinstance(error, NOT_SENT):
        state = "skipped"
    return Finding(check, about, state, error.problem.removeprefix(f"{about}: "), error.remedy)
