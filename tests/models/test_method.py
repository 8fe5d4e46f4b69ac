"""METHOD §8, to the last digit."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tests.support.world import Marts, World

TRN = ("t1", "t2", "t3")


def gross_by_run(marts: Marts) -> list[Decimal]:
    """The gross saving of each Trainium run's days, in order."""
    rows = marts.rows(
        "SELECT r.run, sum(s.gross_saving) AS saved FROM savings_daily s JOIN runs r ON "
        "s.date BETWEEN r.started_at::DATE AND r.ended_at::DATE AND r.hardware = 'trainium' "
        "WHERE s.settled GROUP BY r.run ORDER BY r.run"
    )
    return [row["saved"] for row in rows]


def test_a_the_baseline_is_repriced_at_the_days_price(atlas: World) -> None:
    day = "SELECT * FROM baselines WHERE workload = 'atlas-7b' AND date = '2025-09-02'"
    september = atlas.build().row(day)
    assert september["measured"] == Decimal("262.50")
    assert september["repriced"] == Decimal("175.875")
    assert september["value"] == Decimal("175.875")
    assert september["runs"] == 2
    assert "repriced $175.88 is below measured $262.50" in september["reason"]


def test_a_before_the_cut_the_measured_baseline_is_the_lower(atlas: World) -> None:
    day = "SELECT * FROM baselines WHERE workload = 'atlas-7b' AND date = '2025-05-31'"
    may = atlas.build().row(day)
    assert may["value"] == Decimal("262.50")
    assert may["reason"] == "measured $262.50 is not above repriced $262.50 (2 GPU runs)"


def test_a_savings_progress_and_runs_to_go(atlas: World) -> None:
    marts = atlas.build()
    standing = marts.standing()
    assert gross_by_run(marts) == [Decimal("303.50"), Decimal("359.375"), Decimal("475.25")]
    assert standing["cumulative_gross_saving"] == Decimal("1138.125")
    assert standing["cumulative_net_saving"] == Decimal("1138.125")
    assert standing["cumulative_investment"] == Decimal("10000")
    assert standing["cumulative_net"] == Decimal("-8861.875")
    assert standing["progress"] == Decimal("0.11381250")
    assert standing["runs_to_break_even"] == 24
    assert standing["status"] == "recovering"
    assert standing["parity"] == "parity"


def test_a_measured_would_claim_more_than_twice_as_much(atlas: World) -> None:
    standing = atlas.build(baseline={"method": "measured"}).standing()
    assert standing["cumulative_gross_saving"] == Decimal("2437.50")


def test_a_saving_at_list_leaves_the_discounts_out(atlas: World) -> None:
    total = "SELECT sum(saving_at_list) AS saving FROM savings_daily WHERE workload = 'atlas-7b'"
    assert atlas.build().row(total)["saving"] == Decimal("1442.703615")


def test_a_cost_per_epoch_is_a_ratio_of_sums(atlas: World) -> None:
    rows = atlas.build().rows(
        "SELECT hardware, cost, epochs, cost_per_epoch, runs FROM cost_per_epoch "
        "WHERE period = 'month' AND workload = 'atlas-7b' ORDER BY hardware"
    )
    assert [list(row.values()) for row in rows] == [
        ["gpu", Decimal(5250), Decimal(20), Decimal("262.5"), 2],
        ["trainium", Decimal(1500), Decimal(15), Decimal(100), 3],
    ]


def test_b_a_restart_repeats_work_and_a_resume_goes_on(atlas: World) -> None:
    for hour, epoch in enumerate(("0.0", "3.0", "2.0", "2.5", "5.0")):
        atlas.sample(f"2025-09-20T0{hour}:00:00", "b1", epoch)
    for hour, epoch in ((6, "3.0"), (7, "5.0"), (8, "7.0")):
        atlas.sample(f"2025-09-20T0{hour}:00:00", "b2", epoch, resumed_from="b1")
    rows = atlas.build().rows(
        "SELECT run, lineage, epochs, repeated_epochs FROM runs WHERE run LIKE 'b%' ORDER BY run"
    )
    assert [list(row.values()) for row in rows] == [
        ["b1", "b1", Decimal("5.0"), Decimal("1.0")],
        ["b2", "b1", Decimal("2.0"), Decimal("2.0")],
    ]


@pytest.mark.parametrize(
    ("refund", "run_cost", "idle"), [(None, 2500, 500), (-3000, 0, 0), (-1200, 1500, 300)]
)
def test_c_a_capacity_block_costs_its_fee_by_the_hour(
    world: World, refund: int | None, run_cost: int, idle: int
) -> None:
    fee = {"ChargeCategory": "Purchase", "x_UsageType": "CapacityBlockFee:p5.48xlarge"}
    world.charge("2026-02-20T00:00:00", "3000.00", **fee)
    if refund:
        undone = {"ChargeCategory": "Adjustment", "ChargeClass": "Correction"}
        world.charge("2026-03-05T00:00:00", refund, **fee | undone)
    for day in ("2026-03-01T12:00:00", "2026-03-02T00:00:00"):
        tags = {"workload": "atlas-7b", "run": "g1"}
        world.hours(day, 20, "p5.48xlarge", 0, tags, ListCost=0, ContractedCost=0)
    block = {
        "instance_type": "p5.48xlarge",
        "instances": 2,
        "start": datetime(2026, 3, 1, 11, 30, tzinfo=UTC),
        "end": datetime(2026, 3, 2, 11, 30, tzinfo=UTC),
        "fee": Decimal("3000.00"),
    }
    world.charge("2026-03-20T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    marts = world.build(as_of="2026-03-31", capacity_blocks=[block])
    assert marts.row("SELECT cost FROM runs") == {"cost": Decimal(run_cost)}
    total = "SELECT sum(effective_cost) AS cost FROM spend_daily WHERE attribution = ?"
    assert marts.row(total, "idle_commitment") == {"cost": Decimal(idle)}
    assert marts.row(total, "purchase") == {"cost": 0}
    assert {row["remainder"] for row in marts.rows("SELECT remainder FROM tie_out")} == {0}


def test_d_a_day_without_its_cost_enters_no_headline(atlas: World) -> None:
    before = atlas.build().standing()
    for at, epoch in (("2025-10-29T00:00:00", 0), ("2025-10-30T12:00:00", 6)):
        atlas.sample(at, "t4", epoch, loss=1.5)
    atlas.hours(
        "2025-10-29T00:00:00", 1, "trn1.32xlarge", 16, {"workload": "atlas-7b", "run": "t4"}
    )
    marts = atlas.build()
    for mart in ("savings_daily", "portfolio_daily"):
        unsettled = marts.row(
            "SELECT sum(epochs) AS epochs, sum(gross_saving) AS saved, bool_or(settled) AS settled "
            f"FROM {mart} WHERE date > '2025-10-28'"
        )
        assert unsettled == {"epochs": Decimal(6), "saved": None, "settled": False}
    after = marts.standing()
    for name in ("cumulative_net_saving", "progress", "runs_to_break_even", "status"):
        assert after[name] == before[name]
    assert after["left_out"] == {"unsettled": Decimal("1039.25")}
    october = "SELECT 1 FROM cost_per_epoch WHERE period = 'month' AND period_start = '2025-10-01'"
    assert marts.rows(october) == []


def test_e_a_loss_is_said_as_plainly_as_a_gain(world: World, atlas: World) -> None:
    world.charges = [c for c in world.charges if "trn1" not in str(c.get("x_UsageType"))]
    world.samples = [s for s in world.samples if s["run"] not in TRN]
    starts = ("2025-09-02", "2025-09-08", "2025-09-15")
    for name, day, epochs in zip(TRN, starts, (4, 5, 6), strict=True):
        tags = {"workload": "atlas-7b", "run": name}
        world.hours(day, 19, "trn1.32xlarge", 10 * epochs, tags)
        for hour, epoch in ((0, 0), (20, epochs)):
            world.sample(f"{day}T{hour:02}:00:00", name, epoch, loss=1.5)
    standing = world.build().standing()
    assert standing["cumulative_gross_saving"] == Decimal("-211.875")
    assert standing["progress"] == 0
    assert standing["status"] == "losing"
    assert standing["runs_to_break_even"] is None


def test_f_another_recipe_does_not_compare(atlas: World) -> None:
    for sample in atlas.samples:
        sample["recipe"] = "full" if sample["run"] in TRN else "qlora"
    marts = atlas.build(workloads=[{"name": "planned"}])
    assert marts.standing("(portfolio)")["status"] == "not_comparable"
    standing = marts.standing()
    assert standing["status"] == "not_comparable"
    assert standing["cumulative_net_saving"] is None
    differs = "no Trainium run shares recipe and samples per epoch with the GPU runs"
    assert standing["reason"] == differs
    worked = marts.rows("SELECT gross_saving FROM savings_daily WHERE trn_cost > 0")
    assert worked
    assert all(row["gross_saving"] is None for row in worked)


def test_g_overhead_counts(atlas: World) -> None:
    atlas.hours("2025-09-20T00:00:00", 20, "trn1.32xlarge", 15, {"workload": "atlas-7b"})
    standing = atlas.build().standing()
    assert standing["cumulative_gross_saving"] == Decimal("1138.125")
    assert standing["cumulative_net_saving"] == Decimal("838.125")


def test_h_below_parity_costs_and_earns_nothing(atlas: World) -> None:
    for sample in atlas.samples:
        if sample["run"] == "t3":
            sample["loss"] = 1.5 * 1.05
    marts = atlas.build()
    assert marts.standing()["cumulative_net_saving"] == Decimal("82.875")
    verdict = marts.row("SELECT parity, credited_epochs, cost FROM runs WHERE run = 't3'")
    assert verdict == {"parity": "below_parity", "credited_epochs": 0, "cost": Decimal(580)}


@pytest.mark.parametrize("method", ["measured", "repriced", "fixed", "conservative"])
def test_each_method_says_what_its_value_is(atlas: World, method: str) -> None:
    fixed = [{"name": "atlas-7b", "fixed_cost_per_epoch": Decimal(250)}]
    marts = atlas.build(baseline={"method": method}, workloads=fixed)
    row = marts.row("SELECT value, method, reason FROM baselines WHERE date = '2025-09-02'")
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
