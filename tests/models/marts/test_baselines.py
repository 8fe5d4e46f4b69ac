"""METHOD §5: which GPU runs stand behind a day, and what their hours cost on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.world import Marts, World, write

SEPTEMBER = "SELECT * FROM baselines WHERE workload = 'atlas-7b' AND date = '2025-09-02'"
P4D, P5, TRN1 = "p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge"
TAGS = {"workload": "atlas-7b", "run": "g3"}


def on(marts: Marts, day: str) -> dict[str, Any]:
    return marts.row(f"SELECT * FROM baselines WHERE workload = 'atlas-7b' AND date = '{day}'")


def own_prices(world: World, *rows: tuple[str, str, str, str, str]) -> list[dict[str, str]]:
    """`sources` with a price file: instance type, option, price, effective, observed."""
    names = ("instance_type", "purchase_option", "usd_per_hour", "effective_from", "observed_on")
    lines = [dict(zip(names, row, strict=True)) | {"region": "us-east-1"} for row in rows]
    write(world.folder / "prices.csv", lines)
    return [
        {"kind": "focus", "location": "bill.csv"},
        {"kind": "progress_file", "location": "progress.csv"},
        {"kind": "prices", "location": "prices.csv"},
    ]


def test_a_failed_gpu_run_adds_its_cost_and_no_run(atlas: World) -> None:
    atlas.run("g3", P4D, "2025-05-20T00:00:00", 10, 25, "0.5")
    september = atlas.build().row(SEPTEMBER)
    assert september["runs"] == 2
    measured = Decimal(5500) / Decimal("20.5")
    assert september["measured"] == measured.quantize(Decimal("1e-9"))
    assert september["repriced"] == (measured * Decimal("0.67")).quantize(Decimal("1e-9"))
    assert september["flags"] == []


def test_a_run_of_nine_tenths_of_an_epoch_qualifies(atlas: World) -> None:
    atlas.run("g3", P4D, "2025-05-20T00:00:00", 10, 25, "0.9")
    assert atlas.build().row(SEPTEMBER)["runs"] == 3


def test_side_runs_and_unended_runs_are_no_baseline(atlas: World) -> None:
    atlas.run("g3", P4D, "2025-05-20T00:00:00", 10, 50, 1, purpose="validation")
    atlas.run("g4", P4D, "2025-10-26T00:00:00", 10, 50, 1)
    september = atlas.build().row(SEPTEMBER)
    assert (september["runs"], september["measured"]) == (2, Decimal("262.5"))


def test_a_baseline_run_on_gpu_after_cutover_joins_when_it_has_ended(atlas: World) -> None:
    atlas.run("g3", P4D, "2025-09-20T00:00:00", 24, 25, 2, purpose="baseline")
    marts = atlas.build()
    assert on(marts, "2025-09-20")["runs"] == 2
    assert on(marts, "2025-09-21")["runs"] == 3
    assert on(marts, "2025-09-21")["measured"] == (Decimal(5850) / 22).quantize(Decimal("1e-9"))


def test_the_window_holds_365_days_and_then_the_latest_whatever_their_age(world: World) -> None:
    world.run("g0", P4D, "2024-04-01T00:00:00", 10, 25, "0.5")  # failed before all that stand in
    world.run("g1", P4D, "2024-05-02T00:00:00", 10, 25, 1)
    world.run("g2", P4D, "2024-08-31T00:00:00", 20, 25, 1)
    world.run("g3", P4D, "2024-09-02T00:00:00", 30, 25, 1)
    world.run("t1", TRN1, "2025-08-31T00:00:00", 72, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    marts = world.build()
    full = on(marts, "2025-08-30")
    assert (full["runs"], full["measured"], full["flags"]) == (2, Decimal(625), [])
    aged = on(marts, "2025-08-31")
    assert (aged["runs"], aged["measured"], aged["flags"]) == (2, Decimal(625), ["stale"])
    assert aged["reason"].endswith("(2 GPU runs); stale: some ended longer ago than the window")
    early = on(marts, "2024-05-15")  # g1 had ended; g2 is the first to end later, and not g3
    assert (early["runs"], early["measured"], early["flags"]) == (2, Decimal(375), ["topped_up"])
    assert early["reason"].endswith("; topped up with runs that ended later")


def test_before_enough_runs_have_ended_later_ones_are_topped_up(atlas: World) -> None:
    marts = atlas.build()
    early = on(marts, "2025-05-02")
    assert (early["runs"], early["flags"]) == (2, ["topped_up"])
    assert on(marts, "2025-05-16")["flags"] == []


def test_one_gpu_run_is_no_baseline_and_savings_are_unknown(world: World) -> None:
    world.run("g1", P4D, "2025-05-02T00:00:00", 100, 25, 10)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    marts = world.build()
    assert marts.row(SEPTEMBER)["value"] is None
    assert "insufficient baseline" in marts.row(SEPTEMBER)["reason"]
    standing = marts.standing()
    assert standing["status"] == "insufficient_baseline"
    assert standing["cumulative_net_saving"] is None
    worked = "SELECT gross_saving, trn_cost FROM savings_daily WHERE date = '2025-09-02'"
    assert marts.row(worked) == {"gross_saving": None, "trn_cost": Decimal(384)}


def test_platforms_pool_before_measured_and_repriced_are_compared(world: World) -> None:
    """METHOD §5: computed per platform, pooled by epochs, then compared: never term by term."""
    world.run("g1", P4D, "2025-07-02T00:00:00", 100, 20, 10)
    world.run("g2", "p5.48xlarge", "2025-07-12T00:00:00", 50, 50, 10)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    for charge in world.charges:
        if "p4d" in str(charge.get("x_UsageType")):
            charge["ListCost"] = Decimal(charge["ConsumedQuantity"]) * Decimal("21.957642")
    sources = own_prices(
        world,
        (P4D, "on_demand", "16.4682315", "2025-09-01", "2025-10-30"),
        ("p5.48xlarge", "on_demand", "75.00", "2025-09-01", "2025-10-30"),
    )
    row = world.build(sources=sources).row(SEPTEMBER)
    assert row["measured"] == Decimal(225)
    assert row["repriced"] == Decimal("262.5")  # p4d 2000 × 0.75, p5 2500 × 1.5, over 20 epochs
    assert row["value"] == Decimal(225)
    assert row["reason"] == "measured $225.00 is not above repriced $262.50 (2 GPU runs)"


def test_where_one_price_is_unknown_conservative_is_measured_and_says_so(world: World) -> None:
    """METHOD §5: where a price is unavailable, measured, flagged."""
    world.run("g1", P4D, "2025-05-02T00:00:00", 100, 25, 10)
    world.run("g2", "ml.p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    for charge in world.charges:
        usage = str(charge.get("x_UsageType"))
        charge["x_UsageType"] = usage.replace("BoxUsage:ml.", "Train:ml.")
    marts = world.build()
    row = marts.row(SEPTEMBER)
    assert (row["measured"], row["repriced"]) == (Decimal("262.5"), None)
    assert row["value"] == Decimal("262.5")
    assert row["flags"] == ["price_unavailable"]
    assert row["reason"] == (
        "measured $262.50: price unavailable for 110.00 of 210.00 GPU hours, ml.p4d.24xlarge in "
        "us-east-1, so none is repriced (2 GPU runs)"
    )
    assert marts.standing()["flagged"] == {"price_unavailable": Decimal("650")}


@pytest.mark.parametrize("method", ["repriced", "conservative"])
def test_spot_hours_follow_the_spot_series_and_expire_with_it(world: World, method: str) -> None:
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, P4D, f"{day}T00:00:00", 20, 10, 2)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    for charge in world.charges:
        if "p4d" in str(charge.get("x_UsageType")):
            charge["x_UsageType"] = f"SpotUsage:{P4D}"
    sources = own_prices(
        world,
        (P4D, "spot", "12.50", "2025-05-01", "2025-05-20"),
        (P4D, "spot", "7.50", "2025-08-20", "2025-08-20"),
    )
    marts = world.build(sources=sources, baseline={"method": method})
    known, last, expired = (on(marts, day) for day in ("2025-09-02", "2025-10-03", "2025-10-04"))
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
    world: World, method: str
) -> None:
    """No seed knows g5.48xlarge in us-east-9: only this file does."""
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, "g5.48xlarge", f"{day}T00:00:00", 20, 10, 2)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    for charge in world.charges:
        charge["RegionId"] = "us-east-9"
    sources = own_prices(
        world,
        ("g5.48xlarge", "on_demand", "10.00", "2025-05-01", "2025-05-01"),
        ("g5.48xlarge", "on_demand", "8.00", "2025-07-20", "2025-07-20"),
    )
    lines = (world.folder / "prices.csv").read_text().replace("us-east-1", "us-east-9")
    (world.folder / "prices.csv").write_text(lines)
    marts = world.build(sources=sources, baseline={"method": method})
    fresh, stale = on(marts, "2025-09-02"), on(marts, "2025-09-03")
    assert (fresh["value"], fresh["flags"]) == (Decimal(80), [])
    assert (stale["value"], stale["flags"]) == (Decimal(80), ["stale_price"])
    assert stale["reason"] == fresh["reason"] + "; price not confirmed for 45 days"
    assert list(marts.standing()["flagged"]) == ["stale_price"]


def test_measured_that_a_stale_price_did_not_lower_is_counted_with_a_flag(world: World) -> None:
    """t1 saves 400 − 160 on the last day of a known price, t2 as much on the day after."""
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, "g5.48xlarge", f"{day}T00:00:00", 20, 10, 2)
    for name, day in (("t1", "2025-09-02"), ("t2", "2025-09-03")):
        world.run(name, TRN1, f"{day}T00:00:00", 10, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    for charge in world.charges:
        charge["RegionId"] = "us-east-9"
    sources = own_prices(world, ("g5.48xlarge", "on_demand", "10", "2025-05-01", "2025-07-20"))
    lines = (world.folder / "prices.csv").read_text().replace("us-east-1", "us-east-9")
    (world.folder / "prices.csv").write_text(lines)
    marts = world.build(sources=sources)
    fresh, stale = on(marts, "2025-09-02"), on(marts, "2025-09-03")
    assert fresh["reason"] == "measured $100.00 is not above repriced $100.00 (2 GPU runs)"
    assert stale["reason"] == fresh["reason"] + "; price not confirmed for 45 days"
    assert [(row["value"], row["flags"]) for row in (fresh, stale)] == [
        (100, []),
        (100, ["stale_price"]),
    ]
    standing = marts.standing()
    assert standing["cumulative_gross_saving"] == 480
    assert standing["flagged"] == {"stale_price": 240}


def test_measured_stands_on_no_price_and_has_no_flag_of_one(world: World) -> None:
    """The price of the one run's hours is stale, that of the other's nobody knows."""
    for name, region in (("g1", "us-east-9"), ("g2", "xx-none-9")):
        world.run(name, "g5.48xlarge", "2025-05-02T00:00:00", 20, 10, 2)
        world.charges[-1]["RegionId"] = region
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    sources = own_prices(world, ("g5.48xlarge", "on_demand", "8", "2025-05-01", "2025-05-01"))
    lines = (world.folder / "prices.csv").read_text().replace("us-east-1", "us-east-9")
    (world.folder / "prices.csv").write_text(lines)
    row = world.build(sources=sources, baseline={"method": "measured"}).row(SEPTEMBER)
    assert (row["value"], row["flags"]) == (Decimal(100), [])
    assert row["reason"] == "measured $100.00: what an epoch cost (2 GPU runs)"


def test_a_newer_observation_of_the_same_change_replaces_the_older(atlas: World) -> None:
    sources = own_prices(
        atlas,
        (P4D, "on_demand", "11.00", "2025-08-01", "2025-08-01"),
        (P4D, "on_demand", "10.00", "2025-08-01", "2025-08-09"),
    )
    row = atlas.build(sources=sources).row(SEPTEMBER)
    exact = Decimal("10.5") * 10 * Decimal(5250) / (Decimal("32.7726") * 210)
    assert row["repriced"] == exact.quantize(Decimal("1e-9"))


def test_other_components_are_repriced_at_their_measured_cost(atlas: World) -> None:
    tags = {"workload": "atlas-7b", "run": "g1"}
    atlas.charge("2025-05-02T00:00:00", 200, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    row = atlas.build().row(SEPTEMBER)
    assert (row["measured"], row["repriced"]) == (Decimal("272.5"), Decimal("185.875"))
    assert row["value_at_list"] == Decimal("10.5") * Decimal("21.957642") + 10


def test_the_fixed_quote_needs_no_gpu_run(world: World) -> None:
    """4 × $150 − $400, against no loss of any baseline."""
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", 1)
    quote = [{"name": "atlas-7b", "fixed_cost_per_epoch": Decimal(150)}]
    marts = world.build(baseline={"method": "fixed"}, workloads=quote)
    run = marts.row("SELECT parity, comparability, credited_epochs FROM runs")
    assert run == {"parity": "unverified", "comparability": None, "credited_epochs": 4}
    assert marts.standing()["cumulative_gross_saving"] == 200


@pytest.mark.parametrize(("on_gpu", "saved"), [(1.5, 200 - 800), (None, 600)])
def test_a_quote_holds_losses_against_the_gpu_runs_there_are(
    world: World, on_gpu: float | None, saved: int
) -> None:
    """One, where a window needs two. 4 × $150 − $400 of each run, −$400 where it is worse."""
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10, loss=on_gpu)
    for day, loss in ((2, 1.51), (5, 1.6), (8, None)):
        run = f"t{day}"
        world.run(run, "trn1.32xlarge", f"2025-09-0{day}T00:00:00", 25, 16, 4, loss=loss)
    world.charge("2025-10-30T00:00:00", 1)
    quote = [{"name": "atlas-7b", "fixed_cost_per_epoch": Decimal(150)}]
    marts = world.build(baseline={"method": "fixed"}, workloads=quote)
    assert marts.standing()["cumulative_gross_saving"] == saved
    found = marts.rows("SELECT parity FROM runs WHERE hardware = 'trainium' ORDER BY run")
    judged = ["parity", "below_parity", "below_parity"] if on_gpu else ["unverified"] * 3
    assert [row["parity"] for row in found] == judged


def test_the_fixed_quote_needs_a_quote(atlas: World) -> None:
    marts = atlas.build(baseline={"method": "fixed"})
    assert marts.row(SEPTEMBER)["value"] is None
    told = "no fixed_cost_per_epoch is configured for this workload"
    assert marts.row(SEPTEMBER)["reason"] == told
    assert marts.standing()["status"] == "insufficient_baseline"
    assert marts.standing()["cumulative_net_saving"] is None


def test_every_day_of_the_calendar_has_a_baseline_row(atlas: World) -> None:
    row = atlas.build().row(
        "SELECT min(date) AS first, max(date) AS last, count(*) AS days, "
        "count(DISTINCT date) AS distinct_days FROM baselines"
    )
    days = (date(2025, 10, 28) - date(2025, 5, 2)).days + 1
    assert row == {
        "first": date(2025, 5, 2),
        "last": date(2025, 10, 28),
        "days": days,
        "distinct_days": days,
    }


def bought(
    world: World, workload: str, name: str, hours: int, rate: object, **columns: object
) -> None:
    """A GPU run of one epoch on 2 May, and hours of it bought in some way."""
    tags = {"workload": workload, "run": name}
    world.hours("2025-05-02T00:00:00", hours, P4D, rate, tags, **columns)
    for hour, epoch in ((0, 0), (20, 1)):
        world.sample(f"2025-05-02T{hour:02}:00:00", name, epoch, workload=workload, loss=1.5)


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Two alike runs a workload; in us-east-1 the list price falls to 0.67 of what it was."""
    world = World(tmp_path_factory.mktemp("ways"))
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
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    sources = own_prices(
        world,
        (P4D, "spot", "12.50", "2025-05-01", "2025-05-20"),
        (P4D, "spot", "7.50", "2025-08-20", "2025-08-20"),
    )
    with (world.folder / "prices.csv").open("a") as prices:
        prices.write(f"{P4D},on_demand,15,2025-08-01,2025-08-20,eu-west-1\r\n")
        prices.write(f"{P5},capacity_block,40,2025-05-01,2025-05-20,us-east-9\r\n")
        prices.write(f"{P5},capacity_block,30,2025-08-20,2025-08-20,us-east-9\r\n")
    day = {"start": datetime(2025, 5, 2, tzinfo=UTC), "end": datetime(2025, 5, 3, tzinfo=UTC)}
    block = {"instance_type": P5, "region": "us-east-9", "instances": 1, "fee": 480, **day}
    return world.build(sources=sources, capacity_blocks=[block])


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
    ways: Marts, workload: str, at_list: str | None
) -> None:
    row = ways.row(SEPTEMBER.replace("atlas-7b", workload))
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
    ways: Marts, workload: str, measured: str, repriced: str | None
) -> None:
    row = ways.row(SEPTEMBER.replace("atlas-7b", workload))
    assert row["measured"] == Decimal(measured)
    assert row["repriced"] == (Decimal(repriced) if repriced else None)
    assert row["value"] == Decimal(repriced or measured)
    assert row["flags"] == ([] if repriced else ["price_unavailable"])
    assert ("price unavailable" in row["reason"]) == (repriced is None)
