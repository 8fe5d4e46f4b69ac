"""Refunds and corrections: what they take back, and what they say nothing about."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

P4D = "p4d.24xlarge"
BACK = {"ChargeClass": "Correction", "ResourceId": "i-1"}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """Two GPU runs; of g1's 100 hours ten are paid back, told by how many, and g2 is refunded."""
    world = World(tmp_path_factory.mktemp("corrected"))
    world.run("g1", P4D, "2025-05-02", 100, 25, 10)
    tags = {"workload": "atlas-7b", "run": "g1"}
    world.hours("2025-05-03T00:00:00", 5, P4D, -25, tags, **BACK)
    world.hours("2025-05-04T00:00:00", -5, P4D, 25, tags, **BACK)
    world.run("g2", P4D, "2025-05-12", 110, 25, 10)
    refund = {"ChargeCategory": "Adjustment", "ListCost": "", "ContractedCost": ""}
    named = {"x_UsageType": f"BoxUsage:{P4D}", "tags": tags | {"run": "g2"}}
    world.charge("2025-05-13T00:00:00", -50, **refund | named | {"ListCost": "-65"})
    world.charge("2025-05-14T00:00:00", -20, **refund | named | {"x_UsageType": "NatGateway-Bytes"})
    world.run("g3", P4D, "2025-06-02", 10, 25, 2, workload="borea")
    tags = {"workload": "borea", "run": "g3"}
    world.hours("2025-06-02T00:00:00", -2, P4D, 25, tags, ListCost="", **BACK)
    world.charge("2025-10-30T00:00:00", 1)
    return some_marts(world.pulled(), "spend_daily", "runs", "baselines")


def test_hours_paid_back_were_not_used_whatever_their_sign(marts: SomeMarts) -> None:
    """Five of g1's hours are told as 5, five as -5; what g2 got back, 70, is dollars alone."""
    asked = "sum(instance_hours) AS h, sum(effective_cost) AS cost, sum(contracted_cost) AS agreed"
    rows = marts.rows(f"SELECT run, {asked} FROM spend_daily WHERE workload = 'atlas-7b' "
                      "GROUP BY run ORDER BY run")  # fmt: skip
    assert [tuple(row.values()) for row in rows] == [
        ("g1", 90, 2250, 2250),
        ("g2", 110, 2680, 2750),
    ]


def test_a_refund_without_a_list_price_leaves_the_list_cost_known(marts: SomeMarts) -> None:
    """90 and 110 hours at 32.7726; of g3's two hours the bill does not say what they were at."""
    rows = marts.rows("SELECT run, list_cost FROM runs ORDER BY run")
    assert {row["run"]: row["list_cost"] for row in rows} == {
        "g1": Decimal("2949.534"), "g2": Decimal("3604.986"), "g3": None,
    }  # fmt: skip


def test_the_baseline_stands_on_what_was_kept(marts: SomeMarts) -> None:
    """4,930 ÷ 20 an epoch, 20 dollars of it traffic; the cut of June 2025 leaves 67 % of the rest.

    Ten hours an epoch × 21.957642 × (4,950 ÷ 6,554.52) is 165.825, less 1 for the traffic.
    """
    row = marts.row(
        "SELECT measured, repriced, value FROM baselines "
        "WHERE workload = 'atlas-7b' AND date = '2025-10-01'"
    )
    assert row == {
        "measured": Decimal("246.5"), "repriced": Decimal("164.825"), "value": Decimal("164.825"),
    }  # fmt: skip
