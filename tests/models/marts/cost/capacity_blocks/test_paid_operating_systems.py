"""METHOD §2.7: hours of a Capacity Block under a paid operating system cost it and their part."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from models.engine.source_lines.bill_lines import bill_lines
from tests.support.some_marts import published, some_marts
from tests.support.world import ACCOUNT, Marts, World, one_core

TRN2 = "trn2.48xlarge"
ARN = f"arn:aws:ec2:us-east-1:{ACCOUNT}:capacity-reservation/"
BLOCK = {
    "instance_type": TRN2,
    "instances": 1,
    "start": "2026-03-05T11:30:00Z",
    "end": "2026-03-06T11:30:00Z",
    "fee": 720,
    "reservation": "cr-0abc",
}
OTHER = "cr-0def"
"""A reservation on demand, which is no block."""


@pytest.fixture(scope="module", params=["", ARN], ids=["by id", "by ARN"])
def marts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Eight hours of 24 at $2.50 for RHEL, four of Linux at $0, and two on demand."""
    world = World(tmp_path_factory.mktemp("rhel"))
    fee = {"ChargeCategory": "Purchase", "x_UsageType": f"CapacityBlockFee:{TRN2}"}
    world.charge("2026-03-05T00:00:00", 720, **fee)
    for run, hours, price, reservation in (
        ("rhel", range(12, 20), "2.5", "cr-0abc"),
        ("linux", range(20, 24), 0, "cr-0abc"),
        ("reserved", range(2), 40, OTHER),
    ):
        named = {"CapacityReservationId": f"{request.param}{reservation}"}
        tags = {"workload": "atlas-7b", "run": run}
        for hour in hours:
            at = f"2026-03-05T{hour:02}:00:00"
            world.hours(at, 1, TRN2, price, tags, ContractedCost=price, **named)
    world.charge("2026-04-10T00:00:00", 1, x_UsageType="Requests-Tier1")
    sources = [{"kind": "focus", "location": "bill.csv"}]
    made = world.pulled(as_of="2026-04-30", capacity_blocks=[BLOCK], sources=sources)
    return published(made, "spend_daily", "tie_out", "runs")


def test_a_run_bears_its_part_of_the_fee_and_its_system(marts: Marts) -> None:
    """$30 an hour of the block, and $2.50 for RHEL."""
    found = marts.rows("SELECT run, cost, accelerator_hours AS chips FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in found] == [
        ("linux", Decimal(120), 64), ("reserved", Decimal(80), 32), ("rhel", Decimal(260), 128),
    ]  # fmt: skip


def test_the_lines_behind_a_run_are_those_of_its_system_and_its_part_of_the_fee_is_moved(
    marts: Marts,
) -> None:
    """A line of a fee is behind no run."""
    where = "run IN ('rhel', 'reserved')"
    with one_core(), bill_lines(marts.settings, where, {}, "effective") as lines:
        found = lines.first()
    assert (found.count, found.number, found.lines, found.spread) == (8 + 2, 340, 20 + 80, 240)


def test_what_nobody_used_of_the_block_is_idle_and_the_bill_ties_out(marts: Marts) -> None:
    idle = marts.rows(
        "SELECT date, instance_hours AS hours, effective_cost AS cost FROM spend_daily "
        "WHERE attribution = 'idle_commitment' ORDER BY date"
    )
    assert [tuple(row.values()) for row in idle] == [
        (date(2026, 3, 5), Decimal("0.5"), Decimal(15)),
        (date(2026, 3, 6), Decimal("11.5"), Decimal(345)),
    ]
    assert {row["remainder"] for row in marts.rows("SELECT remainder FROM tie_out")} == {0}


def test_a_block_whose_fee_has_not_been_billed_has_an_unknown_cost(tmp_path: Path) -> None:
    """Its eight hours count, though no line of the bill is free; two more were on demand."""
    world = World(tmp_path)
    tags = {"workload": "atlas-7b", "run": "mixed"}
    for hours, price, named in (
        (range(12, 20), "2.5", {"CapacityReservationId": "cr-0abc"}), (range(2), 40, {}),
    ):  # fmt: skip
        for hour in hours:
            world.hours(f"2026-03-05T{hour:02}:00:00", 1, TRN2, price, tags, **named)
    world.charge("2026-04-10T00:00:00", 1, x_UsageType="Requests-Tier1")
    made = world.pulled(as_of="2026-04-30", capacity_blocks=[BLOCK])
    run = some_marts(made, "runs").row("SELECT cost, accelerator_hours AS chips FROM runs")
    assert run == {"cost": None, "chips": 160}
