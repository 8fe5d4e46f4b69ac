"""What a workload is sure to spend in the weeks ahead: upkeep and planned investments."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from models.config.migration import Investment
from models.config.settings import Settings
from models.contract.portfolio import PORTFOLIO
from models.forecast.case import millionths
from models.forecast.draws import Whole
from models.forecast.horizon import DAYS, WEEKS

MONTHS, WEEKS_A_YEAR = 12, 52


def planned_spending(standing: dict[str, Any], settings: Settings) -> Whole:
    """Sums upkeep and planned investments from the cutoff to each week's end, in millionths."""
    cutoff: date = standing["cutoff"]
    weeks = range(WEEKS + 1)
    upkeep = standing["monthly_upkeep"] or Decimal(0)
    planned = [
        entry
        for entry in settings.investments
        if entry.date > cutoff and standing["workload"] in (entry.workload, PORTFOLIO)
    ]
    spent = [
        upkeep * MONTHS / WEEKS_A_YEAR * week + sum(_due(entry, cutoff, week) for entry in planned)
        for week in weeks
    ]
    return np.array([millionths(Decimal(amount)) for amount in spent], dtype=np.int64)


def _due(entry: Investment, cutoff: date, week: int) -> Decimal:
    """Returns what a planned investment has cost by the end of a week; 0 before its date."""
    days = (cutoff + timedelta(days=week * DAYS) - entry.date).days
    if days < 0:
        return Decimal(0)
    monthly = Decimal(entry.amount_per_month or 0)
    return entry.one_time + monthly * MONTHS / WEEKS_A_YEAR * days / DAYS
