"""Sums the one-time investments planned after a workload's last settled day, by week."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from models.config.settings import Settings
from models.contract.portfolio import PORTFOLIO
from models.forecast.case import millionths
from models.forecast.draws import Whole
from models.forecast.horizon import DAYS, WEEKS


def planned_spending(standing: dict[str, Any], settings: Settings) -> Whole:
    """Sums one-time investments planned from after the cutoff to each week's end, in millionths."""
    cutoff: date = standing["cutoff"]
    planned = [
        (entry.date, entry.one_time)
        for entry in settings.investments
        if entry.date > cutoff and standing["workload"] in (entry.workload, PORTFOLIO)
    ]
    ends = (cutoff + timedelta(days=week * DAYS) for week in range(WEEKS + 1))
    spent = (sum((cost for day, cost in planned if day <= end), Decimal(0)) for end in ends)
    return np.array([millionths(amount) for amount in spent], dtype=np.int64)
