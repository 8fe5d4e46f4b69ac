"""What the worked examples (docs/method) also imply, to the last digit."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

TRN = ("t1", "t2", "t3")
FIXED = [{"name": "atlas-7b", "fixed_cost_per_epoch": Decimal(250)}]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> World:
    """METHOD §8 A, and `late`: the same with a run whose second day is not billed."""
    world = migrated(migrated(World(tmp_path_factory.mktemp("late"))), "late")
    for at, epoch in (("2025-10-29T00:00:00", 0), ("2025-10-30T12:00:00", 6)):
        world.sample(at, "t4", epoch, workload="late", loss=1.5)
    world.hours("2025-10-29T00:00:00", 1, "trn1.32xlarge", 16, {"workload": "late", "run": "t4"})
    world.pulled()
    return world


@pytest.fixture(scope="module")
def marts(company: World) -> SomeMarts:
    names = ("baselines", "savings_daily", "portfolio_daily", "break_even", "cost_per_epoch")
    return some_marts(company.settings(workloads=FIXED), *names)


def test_a_before_the_cut_the_measured_baseline_is_the_lower(marts: SomeMarts) -> None:
    day = "SELECT * FROM baselines WHERE workload = 'atlas-7b' AND date = '2025-05-31'"
    may = marts.row(day)
    assert may["value"] == Decimal("262.50")
    assert may["reason"] == "measured $262.50 is not above repriced $262.50 (2 GPU runs)"


PAID_BACK = {"999900000001": 0, "999900000002": 1200}
"""Of the fee of $3,000, by account."""


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """METHOD §8 F, a workload that is planned, and METHOD §8 C in two accounts in March 2026."""
    world = migrated(World(tmp_path_factory.mktemp("later")))
    for sample in world.samples:
        sample["recipe"] = "full" if sample["run"] in TRN else "qlora"
    blocks = [with_block(world, *told) for told in PAID_BACK.items()]
    world.charge("2026-03-20T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    settings = world.pulled(
        as_of="2026-03-31", capacity_blocks=blocks, workloads=[{"name": "planned"}]
    )
    return some_marts(settings, "break_even", "runs", "savings_daily", "spend_daily", "tie_out")


def with_block(world: World, account: str, refund: int) -> dict[str, object]:
    """Forty of a Capacity Block's 48 hours are a run's, which is named as the account."""
    fee: dict[str, object] = {
        "ChargeCategory": "Purchase",
        "x_UsageType": "CapacityBlockFee:p5.48xlarge",
        "SubAccountId": account,
    }
    world.charge("2026-02-20T00:00:00", "3000.00", **fee)
    if refund:
        undone = {"ChargeCategory": "Adjustment", "ChargeClass": "Correction"}
        world.charge("2026-03-05T00:00:00", -refund, **fee | undone)
    for day in ("2026-03-01T12:00:00", "2026-03-02T00:00:00"):
        tags = {"workload": "block", "run": account}
        free = {"ListCost": 0, "ContractedCost": 0, "SubAccountId": account}
        world.hours(day, 20, "p5.48xlarge", 0, tags, **free)
    return {
        "instance_type": "p5.48xlarge",
        "instances": 2,
        "start": datetime(2026, 3, 1, 11, 30, tzinfo=UTC),
        "end": datetime(2026, 3, 2, 11, 30, tzinfo=UTC),
        "fee": Decimal("3000.00"),
        "account": account,
    }


@pytest.mark.parametrize(
    ("account", "run_cost", "idle"),
    [("999900000001", 2500, 500), ("999900000002", 1500, 300)],
    ids=["paid", "paid back"],
)
def test_c_a_capacity_block_costs_its_fee_by_the_hour(
    later: SomeMarts, account: str, run_cost: int, idle: int
) -> None:
    run = "SELECT cost FROM runs WHERE run = ?"
    assert later.row(run, account) == {"cost": Decimal(run_cost)}
    total = (
        "SELECT sum(effective_cost) AS cost FROM spend_daily WHERE attribution = ? "
        "AND account = ? AND billing_period >= '2026-01'"
    )
    assert later.row(total, "idle_commitment", account) == {"cost": Decimal(idle)}
    assert later.row(total, "purchase", account) == {"cost": 0}
    assert {row["remainder"] for row in later.rows("SELECT remainder FROM tie_out")} == {0}


def test_d_a_day_without_its_cost_enters_no_headline(marts: SomeMarts) -> None:
    """But for that run, `late` did what atlas-7b did."""
    standing = "SELECT * FROM break_even WHERE workload = ?"
    before = marts.row(standing, "atlas-7b")
    for mart, whose in (("savings_daily", "workload = 'late'"), ("portfolio_daily", "true")):
        unsettled = marts.row(
            "SELECT sum(epochs) AS epochs, sum(gross_saving) AS saved, bool_or(settled) AS settled "
            f"FROM {mart} WHERE date > '2025-10-28' AND {whose}"
        )
        assert unsettled == {"epochs": Decimal(6), "saved": None, "settled": False}
    after = marts.row(standing, "late")
    for name in ("cumulative_net_saving", "progress", "runs_to_break_even", "status"):
        assert after[name] == before[name]
    assert after["left_out"] == {"unsettled": Decimal("1039.25")}
    months = "SELECT 1 FROM cost_per_epoch WHERE period = 'month' AND period_start = ?"
    assert marts.rows(months, "2025-09-01")
    assert marts.rows(months, "2025-10-01") == []


def test_f_another_recipe_does_not_compare(later: SomeMarts) -> None:
    query = "SELECT * FROM break_even WHERE workload = ?"
    assert later.row(query, "(portfolio)")["status"] == "not_comparable"
    standing = later.row(query, "atlas-7b")
    assert standing["status"] == "not_comparable"
    assert standing["cumulative_net_saving"] is None
    differs = "no Trainium run shares recipe and unit of work with the GPU runs"
    assert standing["reason"] == differs
    worked = later.rows("SELECT gross_saving FROM savings_daily WHERE trn_cost > 0")
    assert worked
    assert all(row["gross_saving"] is None for row in worked)


@pytest.mark.parametrize("method", ["measured", "repriced", "fixed", "conservative"])
def test_each_method_says_what_its_value_is(company: World, marts: SomeMarts, method: str) -> None:
    """`conservative` is the default, and a quote changes nothing of it."""
    settings = company.settings(baseline={"method": method}, workloads=FIXED)
    found = marts if method == "conservative" else some_marts(settings, "baselines")
    row = found.row(
        "SELECT value, method, reason FROM baselines "
        "WHERE workload = 'atlas-7b' AND date = '2025-09-02'"
    )
    expected = {
        "measured": "262.5",
        "repriced": "175.875",
        "fixed": "250",
        "conservative": "175.875",
    }
    told = {
        "measured": "measured $262.50: what an epoch cost (2 GPU runs)",
        "repriced": "repriced $175.88: the same hours at the day's price (2 GPU runs)",
        "fixed": "the quote in the config, $250.00 an epoch",
        "conservative": "repriced $175.88 is below measured $262.50 (2 GPU runs)",
    }
    assert row == {"value": Decimal(expected[method]), "method": method, "reason": told[method]}
