"""Hours of a shared machine that no job held are hours of a machine that ran, on every page.

Of four hours of a machine at $20 a job holds the first and the last. A plan covers the first three.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.rates import queries as rates
from dashboard.pages.trust import queries as trust
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind.rates import COVERAGE, RATES
from dashboard.snapshot.rows_behind.source_rows import bill_lines, inputs
from dashboard.snapshot.rows_behind.spend import UNTAGGED_SPEND
from tests.support.delivered_allocations import deliver, held
from tests.support.world import Marts, World, build_once

D = Decimal
TRN1 = "trn1.32xlarge"
PLAN = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Beside the shared machine an hour of one that names nobody, and idle hours of the plan."""
    world = World(tmp_path_factory.mktemp("running"))
    for hour in range(4):
        bought = PLAN if hour < 3 else {}
        at = f"2025-09-01T0{hour}:00:00"
        world.hours(at, 1, TRN1, 20, {}, ResourceId="i-1", **bought)
    world.hours("2025-09-01T00:00:00", 1, TRN1, 20, {}, ResourceId="i-9")
    unused = PLAN | {"CommitmentDiscountStatus": "Unused"}
    world.charge("2025-09-01T00:00:00", 7, ResourceId="sp-1", **unused)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    settings = world.pulled(clusters={"gap_minutes": 0})
    job = {"accelerators": 16, "workload": "atlas-7b", "run": "t"}
    first = held("2025-09-01T00:00:00", "2025-09-01T01:00:00", job="1", **job)
    last = held("2025-09-01T03:00:00", "2025-09-01T04:00:00", job="2", **job)
    deliver(settings.data, [first, last])
    build_once(settings)
    return Marts(settings)


@pytest.fixture
def server(marts: Marts) -> Iterator[Flask]:
    server = Flask("running")
    attach_data(server, marts.settings)
    add_identity(server, marts.settings)
    with server.app_context():
        yield server


def test_coverage_is_of_every_hour_that_was_run(server: Flask) -> None:
    """Five instance-hours ran, three of them covered; the plan's idle is none of them."""
    (month,) = rates.coverage(View())
    assert (month["hours"], month["committed"], month["on_demand"]) == (5 * 16, 3 * 16, 2 * 16)
    assert month["idle"] == 7
    behind = inputs(COVERAGE, View())
    assert behind == {
        "Accelerator-hours": 5 * 16, "Committed accelerator-hours": 3 * 16, "Idle commitment, $": 7,
    }  # fmt: skip


def test_what_an_hour_cost_is_of_the_same_hours(server: Flask) -> None:
    (row,) = rates.rates(View())
    assert (row["hours"], row["cost"], row["list"]) == (5 * 16, 100, D("107.5"))


def test_what_names_no_workload_is_a_share_of_all_that_ran(server: Flask) -> None:
    """$20 of $100; the machine that no job held for two hours is no stranger's."""
    assert trust.untagged_share() == {"untagged": 20, "cost": 100}


def test_the_lines_behind_a_rate_add_up_to_its_cost(server: Flask) -> None:
    with bill_lines(RATES, View()) as behind:
        found = behind.first()
    assert (found.count, found.lines, found.number) == (5, 100, 100)


def test_a_charge_of_no_hours_leaves_the_hours_of_others_known(server: Flask) -> None:
    """Of a volume of nobody's, beside the hour of a machine of nobody's."""
    volume = (
        "(FROM spend_daily UNION ALL BY NAME SELECT * REPLACE (NULL AS accelerator_hours) "
        "FROM spend_daily WHERE attribution = 'untagged')"
    )
    of = replace(
        UNTAGGED_SPEND, inputs=UNTAGGED_SPEND.inputs.replace("FROM spend_daily", f"FROM {volume}")
    )
    assert inputs(of, View()) == {"Untagged, $": 40, "Accelerator-hours": 16}
