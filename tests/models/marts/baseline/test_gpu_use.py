"""METHOD §5.3: which GPU hours of a lineage are repriced."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from models.config.loading import validated_settings
from models.marts.baseline.gpu_use import gpu_use
from tests.support.marts.hand_written_tables import rows, table
from tests.support.marts.spend_rows import SPEND, spent

WORK = {
    "date": "date", "workload": "string", "run": "string", "lineage": "string",
    "in_lineage": "boolean", "settled": "boolean",
}  # fmt: skip
PRICES = {
    "instance_type": "string", "region": "string", "series": "string", "since": "date",
    "until": "date", "usd_per_hour": "decimal(18, 9)", "stale_from": "date",
}  # fmt: skip


def test_hours_of_a_day_that_is_not_settled_are_not_repriced_as_its_work_does_not_count() -> None:
    """The bill of the second day is settled, but not who held machines: 48 hours, not 72."""
    days = [date(2026, 9, number) for number in (1, 2, 3)]
    bill = [spent(24, 240, date=day, hardware="gpu", instance_hours=Decimal(24)) for day in days]
    work = [
        {"date": day, "workload": "w", "run": "a", "lineage": "a", "in_lineage": True,
         "settled": day.day != 2}
        for day in days
    ]  # fmt: skip
    found = gpu_use(
        table(SPEND, *bill),
        table(WORK, *work),
        table(PRICES),
        validated_settings({}, home=Path()),
    )
    assert rows(found, "lineage", "instance_hours", "effective_cost") == [
        ("a", Decimal(48), Decimal(480))
    ]
