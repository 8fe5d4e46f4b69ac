"""METHOD §5: which GPU runs stand behind a day, and what their hours cost on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.some_marts import copied, some_marts
from tests.support.world import Marts, World, write

P4D, P5, G5, TRN1 = "p4d.24xlarge", "p5.48xlarge", "g5.48xlarge", "trn1.32xlarge"
PRICES = (
    (P4D, "us-east-1", "spot", "12.50", "2025-05-01", "2025-05-20"),
    (P4D, "us-east-1", "spot", "7.50", "2025-08-20", "2025-08-20"),
    (P4D, "eu-west-1", "on_demand", "15", "2025-08-01", "2025-08-20"),
    (P4D, "us-east-5", "on_demand", "11.00", "2025-08-01", "2025-08-01"),
    (P4D, "us-east-5", "on_demand", "10.00", "2025-08-01", "2025-08-09"),
    (P4D, "us-east-8", "on_demand", "16.4682315", "2025-09-01", "2025-10-30"),
    (P5, "us-east-8", "on_demand", "75.00", "2025-09-01", "2025-10-30"),
    (P5, "us-east-9", "capacity_block", "40", "2025-05-01", "2025-05-20"),
    (P5, "us-east-9", "capacity_block", "30", "2025-08-20", "2025-08-20"),
    (G5, "us-east-6", "on_demand", "8", "2025-05-01", "2025-05-01"),
    (G5, "us-east-7", "on_demand", "10", "2025-05-01", "2025-07-20"),
    (G5, "us-east-9", "on_demand", "10.00", "2025-05-01", "2025-05-01"),
    (G5, "us-east-9", "on_demand", "8.00", "2025-07-20", "2025-07-20"),
)
"""Instance type, region, option, price, effective, observed: what no seed knows."""


def on(marts: Marts, workload: str, day: str = "2025-09-02") -> dict[str, Any]:
    return marts.row(f"SELECT * FROM baselines WHERE workload = ? AND date = '{day}'", workload)


def charges(world: World, workload: str) -> list[dict[str, Any]]:
    return [line for line in world.charges if f'"{workload}"' in str(line.get("Tags"))]


def beside_example_a(world: World) -> None:
    """METHOD §8 A alone, then with one GPU run more, or something else that differs.

    The run that failed ended between the two that did not.
    """
    for workload in ("atlas-7b", "observed", "stored"):
        migrated(world, workload)
    for workload, day, hours, rate, epochs, purpose in (
        ("failed", "05-10", 10, 25, "0.5", None),
        ("nearly", "05-20", 10, 25, "0.9", None),
        ("side", "05-20", 10, 50, 1, "validation"),
        ("running", "10-26", 10, 50, 1, None),
        ("joined", "09-20", 24, 25, 2, "baseline"),
    ):
        migrated(world, workload)
        said = {"workload": workload, "purpose": purpose}
        world.run("g3", P4D, f"2025-{day}T00:00:00", hours, rate, epochs, **said)
    for charge in charges(world, "observed"):
        charge["RegionId"] = "us-east-5"
    tags = {"workload": "stored", "run": "g1"}
    world.charge("2025-05-02T00:00:00", 200, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)


def aged(world: World) -> None:
    world.run("g0", P4D, "2024-04-01T00:00:00", 10, 25, "0.5", workload="aged")  # before them all
    for run, day, hours in (("g1", "05-02", 10), ("g2", "08-31", 20), ("g3", "09-02", 30)):
        world.run(run, P4D, f"2024-{day}T00:00:00", hours, 25, 1, workload="aged")
    world.run("t1", TRN1, "2025-08-31T00:00:00", 72, 16, 4, workload="aged")


def at_own_prices(world: World) -> None:
    """GPU runs by the instance and the region; on Trainium `unmoved` saves 400 − 160 twice."""
    spot, hosted = ({"x_UsageType": usage + P4D} for usage in ("SpotUsage:", "Train:ml."))
    for workload, run, kind, hours, rate, epochs, said in (
        ("one", "g1", P4D, 100, 25, 10, {}),
        ("platforms", "g1", P4D, 100, 20, 10, {"RegionId": "us-east-8"}),
        ("platforms", "g2", P5, 50, 50, 10, {"RegionId": "us-east-8"}),
        ("hosted", "g1", P4D, 100, 25, 10, {}),
        ("hosted", "g2", P4D, 110, 25, 10, hosted),
        ("spot", "g1", P4D, 20, 10, 2, spot),
        ("spot", "g2", P4D, 20, 10, 2, spot),
        ("stale", "g1", G5, 20, 10, 2, {"RegionId": "us-east-9"}),
        ("stale", "g2", G5, 20, 10, 2, {"RegionId": "us-east-9"}),
        ("unmoved", "g1", G5, 20, 10, 2, {"RegionId": "us-east-7"}),
        ("unmoved", "g2", G5, 20, 10, 2, {"RegionId": "us-east-7"}),
        ("unpriced", "g1", G5, 20, 10, 2, {"RegionId": "us-east-6"}),
        ("unpriced", "g2", G5, 20, 10, 2, {"RegionId": "xx-none-9"}),
    ):
        start, before = f"2025-05-{'02' if run == 'g1' else '12'}T00:00:00", len(world.charges)
        world.run(run, kind, start, hours, rate, epochs, workload=workload)
        for charge in world.charges[before:]:
            charge |= said
    for charge in charges(world, "platforms"):
        if P4D in charge["x_UsageType"]:
            charge["ListCost"] = Decimal(charge["ConsumedQuantity"]) * Decimal("21.957642")
    for workload in ("one", "platforms", "hosted", "spot", "stale", "unpriced"):
        world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload=workload)
    for run, day in (("t1", "2025-09-02"), ("t2", "2025-09-03")):
        world.run(run, TRN1, f"{day}T00:00:00", 10, 16, 4, workload="unmoved")


def bought(
    world: World, workload: str, name: str, hours: int, rate: object, **columns: object
) -> None:
    """A GPU run of one epoch on 2 May, and hours of it bought in some way."""
    tags = {"workload": workload, "run": name}
    world.hours("2025-05-02T00:00:00", hours, P4D, rate, tags, **columns)
    for hour, epoch in ((0, 0), (20, 1)):
        world.sample(f"2025-05-02T{hour:02}:00:00", name, epoch, workload=workload, loss=1.5)


def ways(world: World) -> None:
    """Two alike runs a workload; in us-east-1 the list price falls to 0.67 of what it was."""
    plan = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}
    for run in ("g1", "g2"):
        bought(world, "unlisted", run, 10, 25, ListCost="")
        bought(world, "planned", run, 10, 15, PricingCategory="Committed", **plan)
        bought(world, "mixed", run, 10, 20)
        bought(world, "mixed", run, 10, 10, x_UsageType=f"SpotUsage:{P4D}")
        bought(world, "nowhere", run, 10, 25, RegionId="xx-none-9")
    fee = {"ChargeCategory": "Purchase", "x_UsageType": f"CapacityBlockFee:{P5}"}
    world.charge("2025-05-02T00:00:00", 480, RegionId="us-east-9", **fee)
    for run in ("g1", "g2"):
        free = {"ListCost": 0, "ContractedCost": 0, "RegionId": "us-east-9"}
        bought(world, "block", run, 10, 0, x_UsageType=f"BoxUsage:{P5}", **free)
    bought(world, "regions", "g1", 10, 25)
    bought(world, "regions", "g2", 10, 20, RegionId="eu-west-1", ListCost=300)


def company(folder: Path) -> Marts:
    """One workload for each case."""
    world = World(folder)
    for case in (beside_example_a, aged, at_own_prices, ways):
        case(world)
    names = ("instance_type", "region", "purchase_option", "usd_per_hour", "effective_from")
    lines = [dict(zip((*names, "observed_on"), row, strict=True)) for row in PRICES]
    write(folder / "prices.csv", lines)
    kinds = {"focus": "bill", "progress_file": "progress", "prices": "prices"}
    sources = [{"kind": kind, "location": f"{name}.csv"} for kind, name in kinds.items()]
    day = {"start": datetime(2025, 5, 2, tzinfo=UTC), "end": datetime(2025, 5, 3, tzinfo=UTC)}
    block = {"instance_type": P5, "region": "us-east-9", "instances": 1, "fee": 480, **day}
    settings = world.pulled(sources=sources, capacity_blocks=[block])
    return some_marts(settings, "baselines", "break_even", "savings_daily")


@pytest.fixture(scope="module")
def by_method(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Marts]:
    """The company, and what other methods make of its baselines."""
    marts = company(tmp_path_factory.mktemp("conservative"))

    def under(method: str, *asked: str) -> Marts:
        folder = tmp_path_factory.mktemp(method)
        return some_marts(copied(marts, folder, baseline={"method": method}), *asked)

    repriced = under("repriced", "baselines", "break_even")
    return {
        "conservative": marts,
        "repriced": repriced,
        "measured": under("measured", "baselines"),
    }


@pytest.fixture(scope="module")
def marts(by_method: dict[str, Marts]) -> Marts:
    return by_method["conservative"]


def test_a_failed_gpu_run_adds_its_cost_and_no_run(marts: Marts) -> None:
    september = on(marts, "failed")
    assert september["runs"] == 2
    measured = Decimal(5500) / Decimal("20.5")
    assert september["measured"] == measured.quantize(Decimal("1e-9"))
    assert september["repriced"] == (measured * Decimal("0.67")).quantize(Decimal("1e-9"))
    assert september["flags"] == []


def test_a_run_of_nine_tenths_of_an_epoch_qualifies(marts: Marts) -> None:
    assert on(marts, "nearly")["runs"] == 3


@pytest.mark.parametrize("workload", ["side", "running"])
def test_side_runs_and_unended_runs_are_no_baseline(marts: Marts, workload: str) -> None:
    september = on(marts, workload)
    assert (september["runs"], september["measured"]) == (2, Decimal("262.5"))


def test_a_baseline_run_on_gpu_after_cutover_joins_when_it_has_ended(marts: Marts) -> None:
    assert on(marts, "joined", "2025-09-20")["runs"] == 2
    ended = on(marts, "joined", "2025-09-21")
    assert ended["runs"] == 3
    assert ended["measured"] == (Decimal(5850) / 22).quantize(Decimal("1e-9"))


def test_no_baseline_changes_because_time_passes(marts: Marts) -> None:
    full = on(marts, "aged", "2025-08-30")
    assert (full["runs"], full["measured"], full["flags"]) == (3, Decimal(500), [])
    for day, flags in (("2025-09-02", []), ("2025-09-03", ["stale"])):
        old = on(marts, "aged", day)  # g3 ended 365 days before the latter
        assert (old["runs"], old["measured"], old["flags"]) == (3, Decimal(500), flags)
    assert old["reason"].endswith(
        "(3 GPU runs); stale: the newest ended longer ago than the window"
    )
    early = on(marts, "aged", "2024-05-15")  # g1 had ended; g2 is the first to end later, not g3
    assert (early["runs"], early["measured"], early["flags"]) == (2, Decimal(375), ["topped_up"])
    assert early["reason"].endswith("; topped up with runs that ended later")


def test_before_enough_runs_have_ended_later_ones_are_topped_up(marts: Marts) -> None:
    early = on(marts, "atlas-7b", "2025-05-02")
    assert (early["runs"], early["flags"]) == (2, ["topped_up"])
    assert on(marts, "atlas-7b", "2025-05-16")["flags"] == []


def test_one_gpu_run_is_no_baseline_and_savings_are_unknown(marts: Marts) -> None:
    assert on(marts, "one")["value"] is None
    assert "insufficient baseline" in on(marts, "one")["reason"]
    standing = marts.standing("one")
    assert standing["status"] == "insufficient_baseline"
    assert standing["cumulative_net_saving"] is None
    day = "WHERE workload = 'one' AND date = '2025-09-02'"
    worked = marts.row(f"SELECT gross_saving, trn_cost FROM savings_daily {day}")
    assert worked == {"gross_saving": None, "trn_cost": Decimal(384)}


def test_platforms_pool_before_measured_and_repriced_are_compared(marts: Marts) -> None:
    """METHOD §5: computed per platform, pooled by epochs, then compared: never term by term."""
    row = on(marts, "platforms")
    assert row["measured"] == Decimal(225)
    assert row["repriced"] == Decimal("262.5")  # p4d 2000 × 0.75, p5 2500 × 1.5, over 20 epochs
    assert row["value"] == Decimal(225)
    assert row["reason"] == "measured $225.00 is not above repriced $262.50 (2 GPU runs)"


def test_where_one_price_is_unknown_conservative_is_measured_and_says_so(marts: Marts) -> None:
    """METHOD §5: where a price is unavailable, measured, flagged."""
    row = on(marts, "hosted")
    assert (row["measured"], row["repriced"]) == (Decimal("262.5"), None)
    assert row["value"] == Decimal("262.5")
    assert row["flags"] == ["price_unavailable"]
    assert row["reason"] == (
        "measured $262.50: price unavailable for 110.00 of 210.00 GPU hours, ml.p4d.24xlarge in "
        "us-east-1, so none is repriced (2 GPU runs)"
    )
    assert marts.standing("hosted")["flagged"] == {"price_unavailable": Decimal("650")}


@pytest.mark.parametrize("method", ["repriced", "conservative"])
def test_spot_hours_follow_the_spot_series_and_expire_with_it(
    by_method: dict[str, Marts], method: str
) -> None:
    known, last, expired = (
        on(by_method[method], "spot", day) for day in ("2025-09-02", "2025-10-03", "2025-10-04")
    )
    assert known["repriced"] == Decimal(60)  # 10 h × 7.50 × (10 ÷ 12.50)
    assert known["value"] == last["value"] == Decimal(60)
    assert expired["repriced"] is None
    unknown = "price unavailable for 40.00 of 40.00 GPU hours, p4d.24xlarge in us-east-1"
    assert expired["value"] == {"repriced": None, "conservative": Decimal(100)}[method]
    assert (
        expired["reason"]
        == {
            "repriced": f"{unknown}: the hours cannot be repriced (2 GPU runs)",
            "conservative": f"measured $100.00: {unknown}, so none is repriced (2 GPU runs)",
        }[method]
    )
    assert expired["flags"] == ["price_unavailable"]


@pytest.mark.parametrize("method", ["repriced", "conservative"])
def test_an_on_demand_price_is_stale_45_days_after_it_was_last_seen(
    by_method: dict[str, Marts], method: str
) -> None:
    marts = by_method[method]
    fresh, stale = on(marts, "stale"), on(marts, "stale", "2025-09-03")
    assert (fresh["value"], fresh["flags"]) == (Decimal(80), [])
    assert (stale["value"], stale["flags"]) == (Decimal(80), ["stale_price"])
    assert stale["reason"] == fresh["reason"] + "; price not confirmed for 45 days"
    assert list(marts.standing("stale")["flagged"]) == ["stale_price"]


def test_measured_that_a_stale_price_did_not_lower_is_counted_with_a_flag(marts: Marts) -> None:
    """t1 saves 400 − 160 on the last day of a known price, t2 as much on the day after."""
    fresh, stale = on(marts, "unmoved"), on(marts, "unmoved", "2025-09-03")
    assert fresh["reason"] == "measured $100.00 is not above repriced $100.00 (2 GPU runs)"
    assert stale["reason"] == fresh["reason"] + "; price not confirmed for 45 days"
    assert [(row["value"], row["flags"]) for row in (fresh, stale)] == [
        (100, []),
        (100, ["stale_price"]),
    ]
    standing = marts.standing("unmoved")
    assert standing["cumulative_gross_saving"] == 480
    assert standing["flagged"] == {"stale_price": 240}


def test_measured_stands_on_no_price_and_has_no_flag_of_one(by_method: dict[str, Marts]) -> None:
    """The price of the one run's hours is stale, that of the other's nobody knows."""
    row = on(by_method["measured"], "unpriced")
    assert (row["value"], row["flags"]) == (Decimal(100), [])
    assert row["reason"] == "measured $100.00: what an epoch cost (2 GPU runs)"


@pytest.mark.parametrize("method", ["repriced", "conservative"])
def test_a_stale_price_beside_a_missing_one_decides_nothing(
    by_method: dict[str, Marts], method: str
) -> None:
    row = on(by_method[method], "unpriced")
    assert (row["repriced"], row["flags"]) == (None, ["price_unavailable"])
    assert "not confirmed" not in row["reason"]


def test_a_newer_observation_of_the_same_change_replaces_the_older(marts: Marts) -> None:
    exact = Decimal("10.5") * 10 * Decimal(5250) / (Decimal("32.7726") * 210)
    assert on(marts, "observed")["repriced"] == exact.quantize(Decimal("1e-9"))


def test_other_components_are_repriced_at_their_measured_cost(marts: Marts) -> None:
    row = on(marts, "stored")
    assert (row["measured"], row["repriced"]) == (Decimal("272.5"), Decimal("185.875"))
    assert row["value_at_list"] == Decimal("10.5") * Decimal("21.957642") + 10


@pytest.fixture(scope="module")
def quoted(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """$150 for an epoch, but of `unquoted`; a GPU run that tells its loss, or does not, or none."""
    world = migrated(World(tmp_path_factory.mktemp("quoted")), "unquoted")
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload="none")
    for workload, on_gpu in (("told", 1.5), ("untold", None)):
        gpu = {"workload": workload, "loss": on_gpu}
        world.run("g1", P4D, "2025-05-02T00:00:00", 100, 25, 10, **gpu)
        for day, loss in ((2, 1.51), (5, 1.6), (8, None)):
            said = {"workload": workload, "loss": loss}
            world.run(f"t{day}", TRN1, f"2025-09-0{day}T00:00:00", 25, 16, 4, **said)
    names = ("none", "told", "untold")
    quotes = [{"name": name, "fixed_cost_per_epoch": Decimal(150)} for name in names]
    settings = world.pulled(baseline={"method": "fixed"}, workloads=quotes)
    return some_marts(settings, "runs", "baselines", "break_even")


def test_the_fixed_quote_needs_no_gpu_run(quoted: Marts) -> None:
    """4 × $150 − $400, against no loss of any baseline."""
    told = "SELECT parity, comparability, credited_epochs FROM runs WHERE workload = 'none'"
    run = quoted.row(told)
    assert run == {"parity": "unverified", "comparability": "comparable", "credited_epochs": 4}
    assert quoted.standing("none")["cumulative_gross_saving"] == 200


@pytest.mark.parametrize(("workload", "saved"), [("told", 200 - 800), ("untold", 600)])
def test_a_quote_holds_losses_against_the_gpu_runs_there_are(
    quoted: Marts, workload: str, saved: int
) -> None:
    """One, where a window needs two. 4 × $150 − $400 of each run, −$400 where it is worse."""
    assert quoted.standing(workload)["cumulative_gross_saving"] == saved
    moved = "workload = ? AND hardware = 'trainium' ORDER BY run"
    found = quoted.rows(f"SELECT parity FROM runs WHERE {moved}", workload)
    told = ["parity", "below_parity", "below_parity"]
    judged = told if workload == "told" else ["unverified"] * 3
    assert [row["parity"] for row in found] == judged


def test_the_fixed_quote_needs_a_quote(quoted: Marts) -> None:
    september, standing = on(quoted, "unquoted"), quoted.standing("unquoted")
    assert september["value"] is None
    assert september["reason"] == "no fixed_cost_per_epoch is configured for this workload"
    assert standing["status"] == "insufficient_baseline"
    assert standing["cumulative_net_saving"] is None


def test_every_day_of_the_calendar_has_a_baseline_row(marts: Marts) -> None:
    row = marts.row(
        "SELECT min(date) AS first, max(date) AS last, count(*) AS days, "
        "count(DISTINCT date) AS distinct_days FROM baselines WHERE workload = 'atlas-7b'"
    )
    days = (date(2025, 10, 28) - date(2025, 5, 2)).days + 1
    assert row == {
        "first": date(2025, 5, 2),
        "last": date(2025, 10, 28),
        "days": days,
        "distinct_days": days,
    }


@pytest.mark.parametrize(
    ("workload", "at_list"),
    [
        ("unlisted", None),
        ("planned", "219.57642"),
        ("mixed", "439.15284"),  # Spot hours too stand at the on-demand price: 20 × 21.957642
        ("block", "200"),  # the fee's own list price is the lower one
        ("regions", "184.78821"),  # (10 × 21.957642 + 10 × 15) ÷ 2
        ("nowhere", "327.726"),  # no price: as measured
    ],
)
def test_hours_at_list_stand_at_the_days_list_price(
    marts: Marts, workload: str, at_list: str | None
) -> None:
    row = on(marts, workload)
    assert row["value_at_list"] == (Decimal(at_list) if at_list else None)


@pytest.mark.parametrize(
    ("workload", "measured", "repriced"),
    [
        ("unlisted", "250", "167.5"),  # the price table × hours stands in: 250 × 0.67
        ("planned", "150", "100.5"),  # committed hours follow the on-demand list: 150 × 0.67
        ("mixed", "300", "194"),  # 200 × 0.67 + 100 × 7.50 ÷ 12.50
        ("block", "200", "150"),  # 10 of its 24 hours a run; 200 × 30 ÷ 40
        ("regions", "225", "133.75"),  # (250 × 0.67 + 200 × 150 ÷ 300) ÷ 2
        ("nowhere", "250", None),
    ],
)
def test_hours_are_repriced_by_how_and_where_they_were_bought(
    marts: Marts, workload: str, measured: str, repriced: str | None
) -> None:
    row = on(marts, workload)
    assert row["measured"] == Decimal(measured)
    assert row["repriced"] == (Decimal(repriced) if repriced else None)
    assert row["value"] == Decimal(repriced or measured)
    assert row["flags"] == ([] if repriced else ["price_unavailable"])
    assert ("price unavailable" in row["reason"]) == (repriced is None)
