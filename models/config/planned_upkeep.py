"""Computes a move's upkeep a month from the config (METHOD §6.1).

It is what is due once all of it has begun, today at the earliest. Entries that are over by then do
not count: of two that follow one another only the later does. Example: $100 a month from January
to March and $60 from April on are $60.
"""

from __future__ import annotations

from decimal import Decimal

from models.config.settings import Settings


def planned_upkeep(settings: Settings, workload: str) -> Decimal:
    """Sums a workload's upkeep in dollars per month, as due once all of its entries have begun."""
    of = [each for each in settings.investments if each.workload == workload]
    upkeep = [each for each in of if each.amount_per_month is not None]
    begun = max([settings.today, *(each.date for each in upkeep)])
    due = [each for each in upkeep if each.until is None or each.until >= begun]
    return sum((each.amount_per_month or Decimal(0) for each in due), Decimal(0))
