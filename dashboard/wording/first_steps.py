"""Names the steps from nothing to a first number, and how far each has come."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["done", "failed", "open"]
STATES: dict[State, str] = {"done": "Done", "failed": "Failed", "open": "To do"}


class FirstStep(NamedTuple):
    """A step to the first number: how far it has come, and what happened or what to run."""

    title: str
    state: State
    detail: str
