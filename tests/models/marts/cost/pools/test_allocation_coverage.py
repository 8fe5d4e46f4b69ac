"""METHOD §2.10: how much of a cluster's hours is known, and by how much jobs held too much."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from models.contract.schema import BESIDE, NUMBER
from models.marts.cost.pools.allocation_coverage import allocation_coverage
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
DAYS = {
    "date": "date", "cluster": "string", "holding": "string", "accelerator_hours": NUMBER,
    "allocation_flags": "string", "delivered": "boolean",
    "awaited": "boolean",
}  # fmt: skip


def part(day: int, holding: str, hours: int, flags: str | None = None) -> dict[str, object]:
    about = {"cluster": "hpc", "delivered": day < 3, "allocation_flags": flags}
    about |= {"awaited": day == 3}
    return {"date": date(2026, 9, day), "holding": holding, "accelerator_hours": D(hours), **about}


def test_hours_are_told_apart_and_seconds_beyond_the_machines_are_summed() -> None:
    """The bill of the fourth is not settled: its allocations are not late."""
    parts = [
        part(1, "held", 12, "over_allocated"),
        part(1, "unknown", 4, "daily_allocation,over_allocated"),
        part(2, "idle", 10, "daily_allocation"),
        part(3, "drained", 6),
        part(4, "idle", 8),
    ]
    beyond = ((9, "hpc", 1800), (9, "hpc", 60), (9, "lab", 7), (8, "hpc", 5))
    over = [
        {"date": date(2026, month, 1), "cluster": cluster, "over_seconds": D(seconds)}
        for month, cluster, seconds in beyond
    ]
    found = allocation_coverage(table(DAYS, *parts), table(BESIDE["over_allocations"], *over))
    assert rows(
        found, "month", "known_hours", "unknown_hours", "idle_hours", "undelivered_hours",
        "over_allocated_hours", "over_allocated_seconds", "daily_hours", "coverage",
        "days", "undelivered_days",
    ) == [("2026-09", 12, 4, 10, 14, 16, 1860, 14, D("0.3"), 4, 1)]  # fmt: skip
