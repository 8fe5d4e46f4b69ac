"""Computes a move's upkeep a month from the config (METHOD §6.1).

`planned_upkeep` is what is due once all of it has begun, today at the earliest. Entries that are
over by then do not count: of two that follow one another only the later does. Example: $100 a month
from January to March and $60 from April on are $60. `upkeep_due_on` is what is due on a day.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from models.config.migration import Investment
from models.config.settings import Settings


def planned_upkeep(settings: Settings, workload: str) -> Decimal:
    """Sums a workload's monthly upkeep in dollars once all its `upkeep` investments have begun."""
    begun = max([settings.today, *(each.date for each in _upkeep(settings, workload))])
    return upkeep_due_on(begun, settings, workload)


def upkeep_due_on(day: date, settings: Settings, workload: str) -> Decimal:
    """Sums a workload's monthly upkeep in dollars: of the `upkeep` investments in force on a day.

    One without `until` ends with the workload.
    """
    ends = next((each.ends for each in settings.workloads if each.name == workload), None)
    every = [each for each in _upkeep(settings, workload) if each.date <= day]
    due = [each for each in every if (each.until or ends or day) >= day]
    return sum((each.amount_per_month or Decimal(0) for each in due), Decimal(0))


def _upkeep(settings: Settings, workload: str) -> list[Investment]:
    of = [each for each in settings.investments if each.workload == workload]
    return [each for each in of if each.amount_per_month is not None]
