"""Lists the days of which each cluster's allocations were delivered, and whether in full."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from models.engine.allocations.counted_deliveries import (
    account_of,
    cluster_of,
    counted_deliveries,
)
from models.engine.context import BuildContext
from models.raw.delivery import Delivery

DAY = timedelta(days=1)


def allocation_days(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the days with allocations of each cluster, and whether they were pulled after the day.

    `account` is named where several tell of a cluster of this name: none settles a day of another.

    What its rows say of when they were observed is added once they are read, and the days of which
    the pods of a bill tell (`models.engine.allocations.held_intervals`).
    """
    counted = counted_deliveries(context.live)
    alike = _of_several_accounts(counted)
    for delivery in counted:
        cluster = cluster_of(delivery)
        day = datetime.fromisoformat(delivery.key.period).replace(tzinfo=UTC)
        yield {
            "cluster": cluster,
            "account": account_of(delivery) or None if cluster in alike else None,
            "day": day.date(),
            "complete": delivery.pulled_at >= day + DAY,
        }


def _of_several_accounts(deliveries: Sequence[Delivery]) -> set[str]:
    """Returns the names of clusters of which more than one account tells."""
    accounts: defaultdict[str, set[str]] = defaultdict(set)
    for delivery in deliveries:
        accounts[cluster_of(delivery)].add(account_of(delivery))
    return {cluster for cluster, named in accounts.items() if len(named - {""}) > 1}


def held_jobs(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, for an empty table; jobs of known runs are written with the allocations."""
    yield from ()


def over_allocations(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, for an empty table; over-allocated periods are written by the division."""
    yield from ()
