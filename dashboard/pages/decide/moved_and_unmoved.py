"""Reads which workloads have not moved, and what those that have moved saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import Prospect, prospects, saving_share

Row = dict[str, Any]


@dataclass(frozen=True)
class MovedAndUnmoved:
    """The GPU workloads that have not moved, and the savings of those that have."""

    unmoved: list[Row]
    moved: list[Row]


def read_moved_and_unmoved() -> MovedAndUnmoved:
    """Reads the GPU workloads that have not moved, and what those that moved have saved."""
    return MovedAndUnmoved(queries.unmoved(), queries.moved_shares())


def ranked_prospects(asked: Assumptions, of: MovedAndUnmoved) -> list[Prospect]:
    """Ranks the GPU workloads that have not moved, the soonest expected payback first."""
    rate = queries.day_rate() if asked.rate is None else asked.rate
    return prospects(of.unmoved, saving_share(of.moved, asked), asked, rate)
