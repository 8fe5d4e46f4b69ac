"""Reads which workloads have not moved, and what those that have moved saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import Prospect, prospects, saving_share

Row = dict[str, Any]


@dataclass(frozen=True)
class Moves:
    """The GPU workloads that have not moved, and the savings of those that have."""

    unmoved: list[Row]
    moved: list[Row]


def read_moves() -> Moves:
    """Reads the GPU workloads that have not moved, and what those that moved have saved."""
    return Moves(queries.unmoved(), queries.moved_shares())


def ranked_prospects(asked: Assumptions, of: Moves) -> list[Prospect]:
    """Ranks the GPU workloads that have not moved, the soonest expected payback first."""
    rate = queries.day_rate() if asked.rate is None else asked.rate
    return prospects(of.unmoved, saving_share(of.moved, asked), asked, rate)
