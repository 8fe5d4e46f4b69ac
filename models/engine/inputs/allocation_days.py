"""Lists the days of which each cluster's job allocations were delivered, and whether in full."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from models.engine.allocations.counted_deliveries import (
    account_of,
    cluster_of,
    counted_deliveries,
    is_of_whole_day,
    region_of,
)
from models.engine.context import BuildContext
from models.raw.delivery import Delivery

Place = tuple[str | None, str | None]
"""An account and a region."""


def allocation_days(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields a row per cluster and day of job allocations: whether they were pulled after the day.

    `account`, and `region`, are named where several tell of a cluster of this name: none settles a
    day of another.

    What its rows say of when they were observed is added once they are read, and the days of which
    the pods of a bill tell (`models.engine.allocations.held_intervals`).
    """
    counted = counted_deliveries(context.live)
    named = _places(counted)
    for delivery in counted:
        account, region = named(delivery)
        yield {
            "cluster": cluster_of(delivery),
            "account": account,
            "region": region,
            "day": date.fromisoformat(delivery.key.period),
            "complete": is_of_whole_day(delivery),
        }


def _places(deliveries: Sequence[Delivery]) -> Callable[[Delivery], Place]:
    """Returns a function that maps a delivery to account and region, null if not needed or unknown.

    A day whose key names less than that may be anybody's.
    """
    regions: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in deliveries:
        regions[cluster_of(each)][account_of(each)] |= {region_of(each)} - {""}

    def named(delivery: Delivery) -> Place:
        account, mine = account_of(delivery), regions[cluster_of(delivery)]
        if len(mine[account]) > 1 and account:
            region = region_of(delivery)
            return (account, region) if region else (None, None)
        others = mine.keys() - {account, ""}
        return (account, None) if account and others else (None, None)

    return named


def held_jobs(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, so the table begins empty; SQL of the allocations fills `held_jobs` later."""
    yield from ()


def held_times(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, so the table begins empty; SQL of allocations fills `held_times` later."""
    yield from ()


def over_allocations(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, so the table begins empty; the division of machines fills it later."""
    yield from ()
