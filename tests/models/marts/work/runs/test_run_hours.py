"""METHOD §4.5: how long a run took by the clock, gaps and start-up included."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from tests.support.marts.savings_cases import TRN1
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal


def charged(world: World, run: str, *starts: str, hours: int = 1, **columns: object) -> None:
    """Lines of so many hours each."""
    for start in starts:
        end = datetime.fromisoformat(start) + timedelta(hours=hours)
        tags = {"workload": "atlas-7b", "run": run}
        world.hours(start, 1, TRN1, 16, tags, ChargePeriodEnd=end.isoformat(), **columns)


def reports(world: World, run: str, *times: str) -> None:
    for epoch, at in enumerate(times):
        world.sample(at, run, epoch, loss=1.5)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("hours"))
    for run in ("compiled", "silent", "late", "unheard"):
        charged(world, run, "2025-09-02T10:00:00", "2025-09-02T11:00:00", "2025-09-03T13:00:00")
    reports(world, "compiled", "2025-09-02T12:30:00", "2025-09-03T14:20:00")
    reports(world, "late", "2025-09-02T09:45:00", "2025-09-03T12:00:00")
    world.charge("2025-09-05T00:00:00", 3, x_UsageType="EBS:VolumeUsage.gp3",
                 tags={"workload": "atlas-7b", "run": "unheard"})  # fmt: skip
    for run in ("by day", "by day, compiled", "by day, silent"):
        charged(world, run, "2025-09-02T00:00:00", "2025-09-03T00:00:00", hours=24)
    reports(world, "by day", "2025-09-02T08:00:00", "2025-09-03T09:30:00")
    reports(world, "by day, compiled", "2025-09-03T08:00:00", "2025-09-03T09:30:00")
    charged(world, "to midnight", "2025-09-02T23:00:00")
    for invoice, hours in (("1", ("10", "13")), ("", ("11", "12")), ("2", ("14", "12"))):
        starts = (f"2025-09-02T{hour}:00:00" for hour in hours)
        charged(world, "invoiced", *starts, InvoiceId=invoice)
    reports(world, "not billed", "2025-09-02T08:00:00", "2025-09-02T09:00:00")
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return some_marts(world.pulled(), "runs")


@pytest.mark.parametrize(
    ("run", "hours"),
    [
        ("compiled", D("28.333333333")),
        ("silent", 28),
        ("late", D("28.25")),
        ("unheard", 28),
        ("by day", D("25.5")),
        ("by day, compiled", None),
        ("by day, silent", None),
        ("to midnight", 1),
        ("invoiced", 5),
        ("not billed", 1),
    ],
)
def test_a_run_lasts_from_its_first_to_its_last_hour_or_sample(
    marts: Marts, run: str, hours: object
) -> None:
    row = marts.row("SELECT elapsed_hours, wait_hours FROM runs WHERE run = ?", run)
    assert row == {"elapsed_hours": hours, "wait_hours": None}
