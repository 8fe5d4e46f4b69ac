"""Lists the days of which each cluster's allocations were delivered, and whether in full."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from models.engine.allocations.counted_deliveries import cluster_of, counted_deliveries
from models.engine.context import BuildContext

DAY = timedelta(days=1)


def allocation_days(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the days with allocations of each cluster, and whether they were pulled after the day.

    What its rows say of when they were observed is added once they are read, and the days of which
    the pods of a bill tell (`models.engine.allocations.held_intervals`).
    """
    for delivery in counted_deliveries(context.live):
        day = datetime.fromisoformat(delivery.key.period).replace(tzinfo=UTC)
        yield {
            "cluster": cluster_of(delivery),
            "day": day.date(),
            "complete": delivery.pulled_at >= day + DAY,
        }


def held_jobs(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, for an empty table; jobs of known runs are written with the allocations."""
    yield from ()


def over_allocations(_: BuildContext) -> Iterator[dict[str, Any]]:
    """Yields no rows, for an empty table; over-allocated periods are written by the division."""
    yield from ()
