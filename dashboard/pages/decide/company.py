"""Decide: when a move would pay for itself, and which workload to move next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import Prospect, prospects, shares

Row = dict[str, Any]


@dataclass(frozen=True)
class Company:
    """What every part of the page reads: workloads not yet moved, and what the moved ones saved."""

    unmoved: list[Row]
    moved: list[Row]


def company() -> Company:
    """Asked once for a whole answer."""
    return Company(queries.unmoved(), queries.moved_shares())


def ranked_prospects(asked: Assumptions, of: Company) -> list[Prospect]:
    """The workloads that have not moved, the soonest expected payback first."""
    rate = queries.day_rate() if asked.rate is None else asked.rate
    return prospects(of.unmoved, shares(of.moved, asked), asked, rate)
