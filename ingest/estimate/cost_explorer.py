"""Predicts what a month of Cost Explorer costs: $0.01 for every page of every request."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from math import ceil

from ingest.estimate.prediction import Prediction, paid
from ingest.estimate.scale import Scale
from ingest.source import Source
from ingest.sources.bill.cost_explorer import CostExplorer
from ingest.sources.bill.cost_explorer.pages import PRICE

DAYS = 31
"""Days of the predicted month, and of the month before it."""
FIRST_DAYS = 31 * 14
RECOMPUTED = 3
"""How often a day AWS recomputes a bill; more pulls find no further changes."""
REFUNDS = 2
"""Requests that show whose refunds are: those of runs, and those of workloads without a run."""


def cost_explorer(
    empty: Prediction, source: Source, pulls: list[datetime], scale: Scale
) -> Prediction:
    """Predicts a month's requests and dollars of the Cost Explorer feed, and its first pull's."""
    if isinstance(source, CostExplorer) and not source.is_money:
        return paid(empty, len(pulls), PRICE)
    pages = _refund_pages(pulls, scale)
    for number, pull in enumerate(pulls):
        today = sum(other.date() == pull.date() for other in pulls[:number])
        before = DAYS if pull.day <= scale.restated_days else 0
        pages += _pair_pages(scale, 2) + (
            _day_pages(scale, pull.day + before) if today < RECOMPUTED else 0
        )
    refunds = REFUNDS if scale.refunds else 0
    first = _pair_pages(scale, 14) + _day_pages(scale, FIRST_DAYS) + refunds
    return replace(paid(empty, pages, PRICE), first_pull=first * PRICE)


def _refund_pages(pulls: list[datetime], scale: Scale) -> int:
    """Counts a month's paid Cost Explorer pages on refunds: 2 a week, 2 per change; 0 if none."""
    weeks = {pull.isocalendar()[:2] for pull in pulls}
    return REFUNDS * min(len(weeks) + scale.refunds, len(pulls)) if scale.refunds else 0


def _pair_pages(scale: Scale, months: int) -> int:
    """Counts the paid Cost Explorer pages that give the monthly totals of runs and workloads."""
    runs = ceil(scale.runs * DAYS / 14)
    return ceil(months * (scale.workloads * (runs + 1) + 1) / scale.groups)


def _day_pages(scale: Scale, days: int) -> int:
    """Counts the paid pages of Cost Explorer's requests by day, for `days` days."""
    groups = [scale.workloads * scale.usage_types, scale.other_types]
    usage = sum(ceil(days * number / scale.groups) for number in groups)
    covered = len(groups) if scale.committed else 0
    return 1 + usage + covered + ceil(days * scale.rest_types / scale.groups)
