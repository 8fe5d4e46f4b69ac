"""What was used of commitments: those that may be for accelerators, not those for other machines.

Of a plan for any machine $80 were used on accelerators and $15 by nobody, of a reservation of p4d
$5 by nobody. A reservation of a database and a plan for m5 stood idle for $900.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from dashboard.pages.decide.buying.queries import COMMITTED_USE
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows import read_rows
from tests.support.some_marts import published
from tests.support.world import Marts, World

DAY = "2025-10-20T00:00:00"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("used"))
    tags = {"workload": "here", "run": "t1"}
    used = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}
    world.hours(DAY, 8, "trn1.32xlarge", 10, tags, **used)
    for name, meter, cost in (
        ("sp-1", "ComputeSP:1yrNoUpfront", 15),
        ("ri-1", "HeavyUsage:p4d.24xlarge", 5),
        ("ri-2", "HeavyUsage:db.r5.large", 700),
        ("sp-2", "EC2SP:m5.1yrNoUpfront", 200),
    ):
        unused = {"CommitmentDiscountId": name, "CommitmentDiscountStatus": "Unused"}
        world.charge(DAY, cost, x_UsageType=meter, BilledCost=0, **unused)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return published(world.pulled(), "spend_daily", "savings_daily")


@pytest.fixture(autouse=True)
def server(marts: Marts) -> Iterator[None]:
    server = Flask("used")
    attach_data(server, marts.settings)
    with server.app_context():
        yield


def test_what_other_machines_leave_idle_is_no_idle_of_accelerators() -> None:
    assert read_rows(COMMITTED_USE, workload="here", whole=True) == [
        {"purchase_option": "committed", "used": 80, "idle": 15 + 5}
    ]
