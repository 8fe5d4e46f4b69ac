"""METHOD §2.5, §6: what is unknown of a saving is unknown, and never $0."""

from __future__ import annotations

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import (
    covered,
    of,
)
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P5 = "trn1.32xlarge", "p5.48xlarge"


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §2.5: block hours under the workload tag alone, or of a port run, cost $0."""
    world = World(tmp_path_factory.mktemp("unknown"))
    free = {"ListCost": 0, "ContractedCost": 0}
    for workload, day, hours, run in (
        ("overhead", "09-20", 20, {}),
        ("port", "08-20", 10, {"run": "p1"}),
    ):
        tags = {"workload": workload} | run
        migrated(world, workload).hours(f"2025-{day}", hours, TRN1, 0, tags, **free)
    world.sample("2025-08-20", "p1", 0, workload="port", purpose="port")
    return some_marts(world.pulled(), "savings_daily", "counted_costs")


def test_overhead_at_an_unknown_price_is_unknown_never_zero(unknown: Marts) -> None:
    where = "WHERE workload = 'overhead' AND date = '2025-09-20'"
    day = unknown.row(f"SELECT overhead, net_saving FROM savings_daily {where}")
    assert day == {"overhead": None, "net_saving": None}


def test_charges_of_an_unknown_price_stand_behind_the_unknown_saving(unknown: Marts) -> None:
    query = "SELECT part, run, amount FROM counted_costs WHERE workload = ? AND date = ?"
    for workload, day, part, run in (
        ("overhead", "2025-09-20", "overhead", None),
        ("port", "2025-08-20", "port", "p1"),
    ):
        found = unknown.row(query, workload, day)
        assert found == {"part": part, "run": run, "amount": None}


def test_a_port_run_at_an_unknown_price_makes_the_investment_unknown(unknown: Marts) -> None:
    """What needs an unknown price is unknown, never zero."""
    where = "WHERE workload = 'port' AND date = '2025-08-20'"
    assert unknown.row(f"SELECT investment FROM savings_daily {where}") == {"investment": None}


@pytest.fixture(scope="module")
def billed(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """On the billed basis: hours of `atlas-7b` that a plan paid for, of `block` that a fee did."""
    atlas = migrated(World(tmp_path_factory.mktemp("billed")))
    own = {"workload": "atlas-7b"}
    covered(atlas, "atlas-7b", "t1", plan="sp-1")
    plan = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}
    atlas.hours("2025-09-20T00:00:00", 20, TRN1, 10, own, **plan)
    for charge in atlas.charges:
        if charge.get("CommitmentDiscountId"):
            charge["BilledCost"] = 0
    paid = own | {"run": "t2"}  # Spot at $0, and a disk whose dollars are told otherwise, are known
    atlas.hours("2025-09-09T00:00:00", 1, TRN1, 0, paid, x_UsageType=f"SpotUsage:{TRN1}")
    disk = {"x_UsageType": "EBS:VolumeUsage.gp3", "EffectiveCost": 2}
    atlas.charge("2025-09-09T00:00:00", 0, tags=paid, **disk)
    block = {"workload": "block", "run": "b1"}
    atlas.hours("2025-09-02T00:00:00", 10, P5, 0, block, ListCost=0, ContractedCost=0)
    settings = atlas.pulled(cost={"basis": "billed"})
    return some_marts(settings, "runs", "savings_daily", "break_even")


def test_as_billed_hours_that_a_plan_paid_for_are_unknown_never_free(billed: Marts) -> None:
    assert billed.row("SELECT cost FROM runs WHERE run = 't2'") == {"cost": 520}
    run = billed.row("SELECT cost, flags FROM runs WHERE run = 't1'")
    assert run == {"cost": None, "flags": ["cost_unknown"]}
    assert billed.standing()["left_out"] == {"cost_unknown": None}
    said = "; Trainium runs are left out: as billed, hours that a plan or a Capacity Block paid for"
    assert said in billed.standing()["reason"]
    where = "WHERE workload = 'atlas-7b' AND date = '2025-09-20'"
    day = billed.row(f"SELECT overhead, net_saving FROM savings_daily {where}")
    assert day == {"overhead": None, "net_saving": None}


def test_block_hours_are_unknown_as_billed_too(billed: Marts) -> None:
    """METHOD §2.7: on the billed basis the fee is a purchase, and the hours are not free."""
    assert billed.row("SELECT cost FROM runs WHERE run = 'b1'") == {"cost": None}


def test_a_run_without_a_list_price_is_left_out_at_list_and_that_is_said(atlas: World) -> None:
    for charge in of(atlas, "atlas-7b", "t1"):
        charge["ListCost"] = ""
    row = some_marts(atlas.pulled(cost={"basis": "list"}), "break_even").standing()
    assert row["left_out"] == {"cost_unknown": None}
    assert "left out: the bill has no list cost for some of their hours" in row["reason"]
    assert "Capacity Block" not in row["reason"]
