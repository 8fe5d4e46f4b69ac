"""Refunds and corrections of shared machines in later bills: lines behind those who held them.

Each case is an account with a machine and a cluster of its own.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.config.settings import Settings
from models.engine.source_lines import delivered_lines
from tests.support.bills.lines_behind import behind, costs
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import published_lines
from tests.support.world import World, pulled_by_month

D = Decimal
TRN1 = "trn1.32xlarge"
HOUR, MONTH, OVER_A_MONTH_END = "999900000001", "999900000002", "999900000003"


class Machine:
    """The machine of an account, at an hourly rate; jobs hold it in a cluster of its own."""

    def __init__(self, world: World, account: str, rate: object) -> None:
        self.world, self.rate = world, rate
        self.line = {"ResourceId": f"i-{account}", "SubAccountId": account}
        self.about = {"cluster": account, "resource": f"i-{account}", "workload": "atlas-7b"}
        self.jobs: list[dict[str, object]] = []

    def ran(self, at: str) -> None:
        self.world.hours(f"{at}:00:00", 1, TRN1, self.rate, {}, **self.line)

    def held(self, run: str, since: str, until: str, accelerators: int) -> None:
        """A job of its own for each interval."""
        about = {"run": run, "job": f"{run} {since}", "accelerators": accelerators}
        self.jobs.append(held(f"{since}:00:00", f"{until}:00:00", **about, **self.about))

    def refunded(self, since: str, until: str, cost: object) -> None:
        """A correction without hours, on the bill of October."""
        back = {"ChargeClass": "Correction", "ConsumedQuantity": None, **self.line}
        back |= {"ChargePeriodEnd": until, "BillingPeriodStart": "2025-10-01"}
        self.world.charge(since, cost, x_UsageType=f"USW2-BoxUsage:{TRN1}", **back)


def hour_corrected(world: World) -> Machine:
    """Of $21.50 at ten $8.00 come back in October; `half` held half of the machine."""
    machine = Machine(world, HOUR, "21.50")
    machine.ran("2025-09-01T10")
    machine.held("half", "2025-09-01T10", "2025-09-01T11", 8)
    back = {"ChargeClass": "Correction", "BillingPeriodStart": "2025-10-01", **machine.line}
    world.hours("2025-09-01T10:00:00", "-0.5", TRN1, "16", {}, **back)
    return machine


def month_refunded(world: World) -> Machine:
    """Of four hours on two days `one` held one, `two` two and nobody the last; $8 come back.

    On the first day of the month, which is the refund's, the machine did not run.
    """
    machine = Machine(world, MONTH, "20")
    for at in ("03T10", "03T11", "09T10", "09T13"):
        machine.ran(f"2025-09-{at}")
    for run, since, until in (
        ("one", "03T10", "03T11"),
        ("two", "03T11", "03T12"),
        ("two", "09T10", "09T11"),
    ):
        machine.held(run, f"2025-09-{since}", f"2025-09-{until}", 16)
    machine.refunded("2025-09-01T00:00:00", "2025-10-01T00:00:00", -8)
    return machine


def refunded_over_a_months_end(world: World) -> Machine:
    """`old` held the hour of the last day of August, `new` that of the first day of September."""
    machine = Machine(world, OVER_A_MONTH_END, "20")
    for run, day in (("old", "08-31"), ("new", "09-01")):
        machine.ran(f"2025-{day}T10")
        machine.held(run, f"2025-{day}T10", f"2025-{day}T11", 16)
    machine.refunded("2025-08-31T00:00:00", "2025-09-02T00:00:00", -8)
    return machine


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """All cases, a delivery of the bill for each month."""
    world = World(tmp_path_factory.mktemp("corrections"))
    machines = [hour_corrected(world), month_refunded(world), refunded_over_a_months_end(world)]
    world.charge("2025-10-30T00:00:00", 1)
    settings = pulled_by_month(world)
    deliver(settings.data, [job for machine in machines for job in machine.jobs])
    published_lines(settings)
    return settings


def test_corrections_of_later_bills_stand_behind_all_who_held_the_machine(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an hour, of a month, and over a month's end: behind the holders of both months."""
    told = costs(settings, f"{HOUR} {MONTH} {OVER_A_MONTH_END}")
    numbers = {account: each for account, (_, each) in told.items()}
    assert numbers == {
        HOUR: {"half": D("6.75"), "cluster_idle": D("6.75"), "other": 1},
        MONTH: {"one": 18, "two": 36, "cluster_idle": 18},
        OVER_A_MONTH_END: {"old": 16, "new": 16},
    }
    assert {account: lines for account, (lines, _) in told.items()} == numbers
    monkeypatch.setattr(delivered_lines, "FEW", 0)  # too many to copy
    assert costs(settings, f"{HOUR} {MONTH} {OVER_A_MONTH_END}") == told


def test_a_correction_of_a_later_bill_stands_behind_those_who_held_the_hour(
    settings: Settings,
) -> None:
    found = behind(settings, "run = 'half'", HOUR)
    assert (found.spread, found.lines, found.number) == (0, D("6.75"), D("6.75"))
    assert [row["effective_cost"] for row in found.rows] == [D("10.75"), D("-4")]


@pytest.mark.parametrize(
    ("account", "where"),
    [
        (MONTH, "run = 'two' AND date = '2025-09-01'"),
        (OVER_A_MONTH_END, "run = 'new' AND date < '2025-09-01'"),
    ],
)
def test_the_part_of_a_refund_stands_on_its_first_day(
    settings: Settings, account: str, where: str
) -> None:
    """On which the machine did not run, or ran for others."""
    found = behind(settings, where, account)
    assert (found.spread, found.lines, found.number) == (0, -4, -4)
