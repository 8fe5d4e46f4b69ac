"""METHOD §6: overhead and idle commitment of a workload, and what is left of its saving.

Each case is METHOD §8 A once more, as a workload of its own, and what differs.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import (
    covered,
    entry,
    forgets,
    idle,
    of,
    overheads,
)
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
GROSS = Decimal("1138.125")


CASES = ("cutover", "forgotten", "not yet", "shared", "accelerated", "shed", "member", "one month")


def tags_alone(world: World) -> None:
    """Hours that name their workload alone, or a run that only keeps or ports something."""
    own = {"workload": "cutover"}
    for day in ("05-02", "08-30", "09-01"):
        world.hours(f"2025-{day}", 10, TRN1, 16, own)
    disk = {"x_UsageType": "EBS:VolumeUsage.gp3"}
    world.charge("2025-08-30", 3, tags=own | {"run": "stored"}, **disk)  # it does not run
    world.hours("2025-09-20", 10, P4D, 20, own)
    world.hours("2025-09-21", 1, TRN1, 7, own)
    world.charge("2025-10-05", 2, tags=own, **disk)
    for charge in of(world, "forgotten", "t1"):
        charge["EffectiveCost"] *= 5
    forgets(world, "forgotten", "t1")
    own = {"workload": "not yet"}
    world.hours("2025-08-20", 5, P4D, 20, own)
    world.hours("2025-08-25", 5, TRN1, 20, own)  # before the first Trainium run
    world.hours("2025-08-22", 5, TRN1, 20, own | {"run": "porting"})
    for at, run, epoch, purpose in (
        ("2025-08-20T00", "lost", 0, None),
        ("2025-08-20T05", "lost", 1, None),
        ("2025-08-25T00", "porting", 1, "port"),
        ("2025-08-22T00", "lost", 1, None),
    ):
        world.sample(f"{at}:00:00", run, epoch, workload="not yet", loss=1.5, purpose=purpose)


def commitments(world: World) -> None:
    """Plans that covered Trainium runs, or none that month; nobody moved before 2 September."""
    covered(world, "shared", "t1", "t2")
    idle(world, "09-30", 115, "shared")
    unused = {"CommitmentDiscountId": "shared", "CommitmentDiscountStatus": "Unused"}
    tags = {"workload": "shared", "run": "t2"}  # nobody used them: they cover no run
    world.hours("2025-09-08", 10, TRN1, 0, tags, **unused)
    covered(world, "accelerated", "t1")
    for run, plan, kind in (
        ("prep", "accelerated", "m5.24xlarge"),
        ("eval", "sp-cpu", "m5.24xlarge"),
        ("serve", "sp-cpu", "inf2.48xlarge"),
    ):
        world.hours("2025-09-05", 75, kind, 3, {"workload": "harbor", "run": run})
        covered(world, "harbor", run, plan=plan)
    idle(world, "09-30", 100, "accelerated")
    idle(world, "09-30", 40, "sp-cpu")
    covered(world, "shed", "t1")
    idle(world, "09-30", 2000, "shed")
    forgets(world, "shed", "t1")
    covered(world, "one month", "t1")
    idle(world, "10-10", 70, "one month")
    idle(world, "10-11", 900, "sp-of-the-web-fleet")
    for day, cost in (("09-01", 16), ("09-02", 5), ("10-10", 4)):
        idle(world, day, cost, "ri-1", x_UsageType=f"BoxUsage:{TRN1}", BilledCost=cost)
    world.run("h1", TRN1, "2025-10-20", 5, 16, 1, workload="harbor")
    for charge in of(world, "member", "t"):
        charge["SubAccountId"] = "999900000002"
    covered(world, "member", "t1", "t2")
    payer = {"SubAccountId": "999900000003"}
    idle(world, "09-30", 115, "member", **payer)
    fee = {"ChargeCategory": "Purchase", "CommitmentDiscountId": "member", "EffectiveCost": 0}
    world.charge("2025-09-30", 1035, x_UsageType="ComputeSP:1yrNoUpfront", **fee | payer)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("savings"))
    for workload in CASES:
        migrated(world, workload)
    tags_alone(world)
    commitments(world)
    settings = world.pulled(investments=[entry(workload=None, amount=1)])
    return some_marts(settings, "savings_daily", "portfolio_daily", "break_even", "tie_out")


def test_overhead_counts_from_cutover_and_not_the_gpu_sides(marts: Marts) -> None:
    assert overheads(marts, "cutover") == {date(2025, 9, 21): 7, date(2025, 10, 5): 2}


def test_a_forgotten_run_tag_hides_no_loss(marts: Marts) -> None:
    """The first run costs $2,000; its epochs no longer count, its hours are overhead from then."""
    tagged = GROSS - 1600
    net = marts.standing("forgotten")["cumulative_net_saving"]
    assert net == GROSS - Decimal("303.5") - 2000 < tagged


def test_gpu_hours_without_a_run_tag_are_no_cutover(marts: Marts) -> None:
    """A run that reports while only GPU ran under the workload's tag has not moved."""
    assert overheads(marts, "not yet") == {}


def test_a_forgotten_run_tag_on_every_run_hides_no_loss(atlas: World) -> None:
    """No run is left that could save; the $1,500 they cost are overhead all the same."""
    forgets(atlas, "atlas-7b", "t")
    atlas.hours("2025-09-02T00:00:00", 1, TRN1, "0.40", {})
    marts = some_marts(atlas.pulled(investments=[entry(amount=1000)]), "break_even")
    for workload in ("atlas-7b", "(portfolio)"):
        row = marts.standing(workload)
        assert (row["cumulative_net_saving"], row["status"]) == (Decimal(-1500), "investing")
        assert "but $0.40 (effective) of Trainium" in row["reason"]


@pytest.mark.parametrize(
    ("workload", "amount"), [("shared", 115), ("accelerated", 100), ("member", 115)]
)
def test_idle_commitment_falls_on_the_runs_it_covered(
    marts: Marts, workload: str, amount: int
) -> None:
    assert sum(overheads(marts, workload).values()) == amount
    assert marts.standing(workload)["cumulative_net_saving"] == GROSS - amount


def test_idle_commitment_falls_by_hours(marts: Marts) -> None:
    days = overheads(marts, "shared").items()
    assert sum(amount for day, amount in days if day <= date(2025, 9, 3)) == 50  # 25 of 57.5 hours


def test_a_run_without_accelerators_bears_no_idle_commitment(marts: Marts) -> None:
    """By all hours covered, 75 of 100 of the $100 of `accelerated` would be harbor's own."""
    assert overheads(marts, "harbor") == {}


def test_a_forgotten_run_tag_sheds_no_idle_commitment(marts: Marts) -> None:
    """The saving of t1 is gone with its tag, and what its plan left idle stays: $2,000."""
    whole = GROSS - Decimal("703.50") - 2000
    assert marts.standing("shed")["cumulative_net_saving"] == whole


def test_a_plan_that_another_account_bought_falls_on_the_member_it_covered(marts: Marts) -> None:
    """Fee and idle rows are the purchaser's, covered hours the member's."""
    rows = marts.rows(
        "SELECT account, basis, direct, idle_commitment AS idle, purchase, remainder FROM tie_out "
        "WHERE month = '2025-09' AND account <> '999900000001' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("999900000002", "billed", 1500, 0, 0, 0),
        ("999900000002", "effective", 1500, 0, 0, 0),
        ("999900000003", "billed", 0, 0, 1035, 0),
        ("999900000003", "effective", 0, 115, 0, 0),
    ]


def test_idle_that_covered_no_run_that_month_stays_with_the_portfolio(marts: Marts) -> None:
    """Since the first of all moved: ri-1's, sp-cpu's, and the plan's that covered t1 last month.

    Every other dollar that the portfolio bears is one workload's, once.
    """
    assert overheads(marts, "one month") == {}
    assert marts.standing("one month")["cumulative_net_saving"] == GROSS
    rows = marts.rows(
        """SELECT date, any_value(whole.overhead) - coalesce(sum(own.overhead), 0) AS amount
        FROM portfolio_daily AS whole LEFT JOIN savings_daily AS own USING (date)
        WHERE whole.settled GROUP BY date HAVING amount <> 0 ORDER BY date"""
    )
    assert [tuple(row.values()) for row in rows] == [
        (date(2025, 9, 2), 5), (date(2025, 9, 30), 40), (date(2025, 10, 10), 70 + 4),
    ]  # fmt: skip
    own = "SELECT sum(cumulative_net_saving) AS net FROM break_even WHERE workload <> '(portfolio)'"
    net = marts.row(own)["net"] - 5 - 40 - 70 - 4
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == net
