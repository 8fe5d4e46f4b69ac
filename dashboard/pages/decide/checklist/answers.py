"""Parses the reader's answers to the checklist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from dashboard.pages.decide.assumptions import decimal_parameter, text_parameter
from models.forecast.horizon import MONTHS as HORIZON

CHOICES = {
    "arch": {
        "": "Not answered",
        "supported": "Supported as it is",
        "port": "To be ported by hand",
        "kernels": "Own CUDA kernels",
    },
    "cloud": {"": "Not answered", "aws": "AWS alone", "several": "Several clouds"},
    "team": {
        "": "Not answered",
        "knows": "Knows Neuron",
        "learns": "Can learn it",
        "none": "No time",
    },
    "serve": {
        "": "Not answered",
        "none": "Not served",
        "neuron": "On Neuron",
        "any": "On anything",
        "cuda": "Bound to CUDA",
    },
    "plan": {
        "": "As on the bill",
        "free": "None by then",
        "covers": "Covers Trainium too",
        "bound": "GPU alone",
    },
}
"""Choices of each question, by the parameter of the address."""
NUMBERS = ("budget", "horizon")


@dataclass(frozen=True)
class Answers:
    """The reader's answers to the migration checklist; empty or None where not given."""

    arch: str = ""
    cloud: str = ""
    team: str = ""
    serve: str = ""
    plan: str = ""
    budget: Decimal | None = None
    horizon: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """Parses the reader's answers to the checklist from URL parameters; drops invalid ones."""
        words = {name: text_parameter(query.get(name)) for name in CHOICES}
        values = {name: text if text in CHOICES[name] else "" for name, text in words.items()}
        budget, horizon = (decimal_parameter(text_parameter(query.get(name))) for name in NUMBERS)
        return cls(**values, budget=budget, horizon=horizon or None)

    @property
    def months(self) -> Decimal:
        """Months to look ahead for a payback: the reader's, else those of the forecast."""
        return Decimal(HORIZON) if self.horizon is None else self.horizon
