"""Decide: when a move would pay for itself, and which workload to move next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import Prospect, prospects, saving_share

Row = dict[str, Any]


@dataclass(frozen=True)
class Moves:
    """What every part of the page reads: workloads not yet moved, and what the moved ones saved."""

    unmoved: list[Row]
    moved: list[Row]


def read_moves() -> Moves:
    """Asked once for a whole answer."""
    return Moves(queries.unmoved(), queries.moved_shares())


def ranked_prospects(asked: Assumptions, of: Moves) -> list[Prospect]:
    """The workloads that have not moved, the soonest expected payback first."""
    rate = queries.day_rate() if asked.rate is None else asked.rate
    return prospects(of.unmoved, saving_share(of.moved, asked), asked, rate)
