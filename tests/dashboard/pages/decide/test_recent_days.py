"""METHOD §1: a pace is of the workload's own settled days, whatever the bills of others wait for.

Another payer's bill ends on 30 June. The workload's own is settled through 28 October: of its GPU
runs one was in May, and two in its last 84 settled days.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.pages.decide import queries
from dashboard.pages.decide.buying import queries as buying
from dashboard.snapshot.context import attach_data
from tests.support.world import Marts, World

DAYS = ("2025-05-01", "2025-10-01", "2025-10-10")
STALLED = {"BillingAccountId": "999900000002", "SubAccountId": "999900000002"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("stalled"))
    for day in DAYS:
        world.run(f"g{day}", "p4d.24xlarge", f"{day}T00:00:00", 24, 10, 2, workload="here")
    for day, hours in (("2025-05-05", 9), ("2025-10-05", 7)):
        world.hours(f"{day}T00:00:00", hours, "inf2.48xlarge", 13, {})
    world.charge("2025-06-30T00:00:00", 1, x_UsageType="Requests-Tier1", **STALLED)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return world.build(baseline={"method": "measured"})


@pytest.fixture(autouse=True)
def server(built: Marts) -> Iterator[None]:
    server = Flask("stalled")
    attach_data(server, built.settings)
    with server.app_context():
        yield


def test_hours_a_month_are_of_84_settled_days() -> None:
    """48 instance-hours in 12 weeks; with the run of May there would be 72."""
    (machine,) = [row for row in buying.machines("here") if row["own"]]
    assert (machine["hours"], machine["recent"]) == (72, 48)
    found = buying.machine("here", machine)
    assert found.hours == Decimal(48) * 52 / 144
    assert found.at_most == Decimal("0.023809524")
    assert queries.checklist("here")["gpu_hours"] == 48


def test_runs_a_month_are_of_84_settled_days_and_the_price_of_the_last() -> None:
    (row,) = queries.unmoved()
    assert (row["recent"], row["gpu_cost_per_epoch"]) == (2, 120)


def test_inference_is_known_by_the_hours_of_inferentia_on_the_bill() -> None:
    """7 of the last 84 settled days; the 9 of May are older."""
    assert queries.checklist("here")["inferentia_hours"] == 7
