"""Counts the months until a workload's training ends, from the config (METHOD §6.4).

Example: a workload that `ends` 547.5 days from now trains for 18 months.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from models.config.settings import Settings

DAYS_A_YEAR, MONTHS_A_YEAR = 365, 12


def months_to_end(settings: Settings, workload: str, day: date | None) -> Decimal | None:
    """Returns months from a day (None: today) to a workload's end, at least 0; None without end."""
    ends = next((each.ends for each in settings.workloads if each.name == workload), None)
    if ends is None:
        return None
    days = max((ends - (day or settings.today)).days, 0)
    return Decimal(days * MONTHS_A_YEAR) / DAYS_A_YEAR
