"""Rare windows, rare prices, and the tables that show what a baseline was made of.

One world, each workload one trouble, each region one price list: an hour of g5 is listed at $10
unless its region says otherwise.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from ingest.aws import listings
from models.config.settings import Settings
from models.intake import delivery_checks
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts, World, write

G5, P5, TRN1 = "g5.48xlarge", "p5.48xlarge", "trn1.32xlarge"
SPOT = {"x_UsageType": f"SpotUsage:{G5}"}
PLAN = {
    "PricingCategory": "Committed",
    "CommitmentDiscountId": "sp-1",
    "CommitmentDiscountStatus": "Used",
}
PRICES = (
    (G5, "xx-even", "on_demand", "10", "2020-01-01", "2025-10-30"),
    (G5, "xx-even", "committed", "6", "2020-01-01", "2025-10-30"),
    (TRN1, "xx-even", "on_demand", "20", "2020-01-01", "2025-10-30"),
    (TRN1, "xx-even", "on_demand", "18", "2025-08-01", "2025-10-30"),
    (G5, "xx-spot", "spot", "7", "2025-04-01", "2025-04-01"),
    (G5, "xx-spot", "spot", "8", "2025-05-02", "2025-10-01"),
    (G5, "xx-spot", "on_demand", "10", "2025-04-01", "2025-04-01"),
    (G5, "xx-spot", "on_demand", "9", "2025-09-10", "2025-09-10"),
    (G5, "xx-late", "spot", "8", "2025-05-03", "2025-10-01"),
    (G5, "xx-dear", "on_demand", "10", "2025-04-01", "2025-04-01"),
    (G5, "xx-dear", "on_demand", "12", "2025-06-01", "2025-06-01"),
    (G5, "xx-fall", "on_demand", "10", "2025-04-01", "2025-04-01"),
    (G5, "xx-fall", "on_demand", "8", "2025-06-01", "2025-06-01"),
    (G5, "xx-turn", "on_demand", "10", "2025-04-01", "2025-04-01"),
    (G5, "xx-turn", "on_demand", "10", "2025-06-01", "2025-06-01"),
    (G5, "xx-turn", "on_demand", "9", "2025-09-20", "2025-09-20"),
    (G5, "xx-turn", "on_demand", "8", "2025-10-28", "2025-10-28"),
    (G5, "xx-turn", "on_demand", "7", "2025-10-29", "2025-10-29"),
    (G5, "xx-told-a", "on_demand", "11", "2025-08-01", "2025-08-09"),
    (G5, "xx-told-a", "on_demand", "10", "2025-08-01", "2025-08-09"),
    (G5, "xx-told-b", "on_demand", "10", "2025-08-01", "2025-08-09"),
    (G5, "xx-told-b", "on_demand", "11", "2025-08-01", "2025-08-09"),
)
OFFERS = (
    (P5, "xx-sold", "2025-09-01", 1, 24, "960"),
    (P5, "xx-sold", "2025-09-01", 2, 24, "1440"),
    (P5, "xx-sold", "2025-09-01", 1, 24, "0"),
    (P5, "xx-sold", "2025-09-05", 1, 24, "840"),
    ("p4d.24xlarge", "xx-sold", "2025-09-01", 1, 24, "240"),
    (P5, "xx-sale", "2025-09-01", 1, 2, "1"),
)


def ran(
    world: World, workload: str, run: str, day: str, hours: object = 10, **columns: object
) -> None:
    """Hours of g5 at $10 each on one day, unless said otherwise."""
    tags = {"workload": workload, "run": run}
    given = {"RegionId": "xx-even", **columns}
    rate, kind = given.pop("rate", 10), str(given.pop("kind", G5))
    world.hours(f"{day}T00:00:00", hours, kind, rate, tags, **given)


def logged(world: World, workload: str, run: str, day: str, epochs: object, **told: object) -> None:
    """From 0 to `epochs` in ten hours."""
    for hour, epoch in (("00", 0), ("10", epochs)):
        world.sample(f"{day}T{hour}:00:00", run, epoch, workload=workload, **told)


def both(
    world: World, workload: str, run: str, day: str, epochs: object = 1, **more: object
) -> None:
    told = {name: more.pop(name) for name in ("loss", "tokens") if name in more}
    ran(world, workload, run, day, more.pop("hours", 10), **more)
    logged(world, workload, run, day, epochs, **told)


def windows(world: World) -> None:
    """One run in the window and one long before it, with others that failed all around them."""
    both(world, "aged", "before", "2024-01-09", "0.5", rate=100)
    both(world, "aged", "g1", "2024-01-10", loss=1.0)
    both(world, "aged", "first", "2024-01-10", "0.5", hours=3, loss=9.0)
    both(world, "aged", "g2", "2025-05-10", loss=1.1)
    both(world, "aged", "last", "2025-05-10", "0.5", hours=6, loss=9.0)
    both(world, "aged", "after", "2025-05-11", "0.5", rate=200)
    both(world, "aged", "t1", "2025-09-02", 2, kind=TRN1, loss=1.06)
    both(world, "aged", "t2", "2025-09-03", 2, kind=TRN1, loss=1.2)
    both(world, "lone", "g1", "2025-05-02")
    both(world, "lone", "g2", "2025-05-03", "0.5")
    both(world, "lone", "t1", "2025-09-02", kind=TRN1)


def targets(world: World) -> None:
    """The target is reached after one epoch, after three, and after 0.4 by a run that ends at 0.5.

    Of the five epochs that t2 took a port run did the first.
    """
    for run, day, reached, epochs in (
        ("g1", "2025-05-02", 1, 4),
        ("g2", "2025-05-03", 3, 4),
        ("failed", "2025-05-03", "0.4", "0.5"),
        ("t1", "2025-09-02", 1, 5),
    ):
        ran(world, "capped", run, day, kind=TRN1 if run == "t1" else G5)
        samples = ((0, 0, 3.0), (5, reached, 1.1), (10, epochs, 1.1))
        for hour, epoch, loss in samples:
            world.sample(f"{day}T{hour:02}:00:00", run, epoch, workload="capped", loss=loss)
    port, later = {"purpose": "port"}, {"resumed_from": "port"}
    for run, hour, epoch, loss, named in (
        ("port", "00", 0, 1.1, port), ("port", "05", 1, 1.1, port), ("t2", "06", 1, 3.0, later),
        ("t2", "10", 5, 1.1, later),
    ):  # fmt: skip
        ran(world, "capped", run, "2025-09-05", 5, kind=TRN1)
        at = f"2025-09-05T{hour}:00:00"
        world.sample(at, run, epoch, workload="capped", loss=loss, **named)


def prices(world: World) -> None:
    """Two alike runs each; where they ran and how they were bought differs."""
    for run, day in (("g1", "2025-05-02"), ("g2", "2025-05-04")):
        both(world, "spot", run, day, rate=4, ListCost=100, RegionId="xx-spot", **SPOT)
        both(world, "dear", run, day, RegionId="xx-dear")
        both(world, "turned", run, day, RegionId="xx-turn")
        both(world, "mixed", run, day, RegionId="xx-even" if run == "g1" else "xx-fall")
        both(world, "blank", run, day, RegionId="")
        ran(world, "blank", run, day, 5, rate=6, RegionId="", **PLAN)
        listed = 100 if run == "g1" else 300
        where = "xx-even" if run == "g1" else "xx-none"
        both(world, "half", run, day, RegionId=where, ListCost=listed)
        both(world, "late", run, day, RegionId="xx-late", **SPOT)
        both(world, "unlisted", run, day, hours=5)
        ran(world, "unlisted", run, day, 5, **({"ListCost": ""} if run == "g1" else {}))
    ran(world, "late", "g1", "2025-05-03", RegionId="xx-late", **SPOT)
    both(world, "turned", "t1", "2025-09-02", kind=TRN1)
    both(world, "turned", "t2", "2025-10-05", 2, kind=TRN1)
    ran(world, "turned", "t3", "2025-10-29", kind=TRN1)
    ran(world, "turned", "new", "2025-10-29", RegionId="xx-fall")


def on_offer(settings: Settings) -> None:
    """What EC2 would have sold, and an hour of what it had sold before."""
    operations = [
        ("DescribeCapacityBlockOfferings", "UpfrontFee", "CapacityBlockDurationHours", *offer)
        for offer in OFFERS
    ]
    extension = ("UpfrontFee", "CapacityBlockExtensionDurationHours")
    sold = (P5, "xx-sold", "2025-09-01", 1, 24, "24")
    operations.append(("DescribeCapacityBlockExtensionHistory", *extension, *sold))
    lines = [
        {
            "observed_on": date.fromisoformat(day),
            "said_at": datetime.fromisoformat(day),
            "account": ACCOUNT,
            "region": region,
            "operation": operation,
            "item": json.dumps(
                {"InstanceType": kind, "InstanceCount": count, for_hours: hours, for_fee: fee}
            ),
        }
        for operation, for_fee, for_hours, kind, region, day, count, hours, fee in operations
    ]
    with RawZone(settings.data / "raw").staging(Key("capacity", "offers", "all")) as staging:
        listings.write_rows(lines, "EC2", staging)
        staging.seal("capacity", totals=delivery_checks.check_delivery(staging, "capacity"))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("windows"))
    for trouble in (windows, targets, prices):
        trouble(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    names = ("instance_type", "region", "purchase_option", "usd_per_hour")
    columns = (*names, "effective_from", "observed_on")
    plan = {"plan": "Compute, 1 yr, No Upfront"}
    lines = [dict(zip(columns, row, strict=True)) | plan for row in PRICES]
    write(world.folder / "prices.csv", lines)
    sources = [
        {"kind": "focus", "location": "bill.csv"},
        {"kind": "progress_file", "location": "progress.csv"},
        {"kind": "prices", "location": "prices.csv"},
    ]
    config = {"sources": sources, "workloads": [{"name": "capped", "target_loss": 1.2}]}
    settings = world.settings(**config)
    settings.data.mkdir(parents=True, exist_ok=True)
    on_offer(settings)
    return some_marts(
        world.pulled(**config),
        "baselines",
        "baseline_hours",
        "baseline_parts",
        "baseline_runs",
        "price_changes",
        "price_history",
        "runs",
    )


def on(marts: Marts, workload: str, day: str = "2025-09-02") -> dict[str, Any]:
    return marts.row("SELECT * FROM baselines WHERE workload = ? AND date = ?", workload, day)


def told(marts: Marts, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in marts.rows(sql, *parameters)]


def test_failed_runs_count_from_the_first_to_the_last_that_stand_in(marts: Marts) -> None:
    """(100 + 30 + 100 + 60) ÷ 3: those that failed on the first's day and on the last's count."""
    for day in ("2025-05-10", "2025-09-02"):
        found = on(marts, "aged", day)
        assert (found["runs"], found["flags"]) == (2, ["stale"])
        assert found["measured"] == Decimal("96.666666667")
    assert found["reason"] == (
        "measured $96.67 is not above repriced $96.67 (2 GPU runs)"
        "; stale: some ended longer ago than the window"
    )


def test_quality_is_held_against_the_runs_that_qualify(marts: Marts) -> None:
    """Their median is 1.05: up to 1.0605 is as good, though the worse of them ended at 1.1."""
    words = told(marts, "SELECT run, parity FROM runs WHERE run IN ('t1', 't2') AND "
                 "workload = 'aged' ORDER BY 1")  # fmt: skip
    assert words == [("t1", "parity"), ("t2", "below_parity")]


def test_a_result_earns_what_one_took_on_gpu_and_a_port_run_its_part_of_nothing(
    marts: Marts,
) -> None:
    """(1 + 3 + 0.4) ÷ 3 epochs, of which t2 earns four fifths: a port run began it that day."""
    cap = Decimal("1.466666667")
    assert on(marts, "capped")["cap"] == cap
    found = told(marts, "SELECT epochs, credited_epochs FROM runs WHERE workload = 'capped' "
                 "AND run IN ('t1', 't2') ORDER BY run")  # fmt: skip
    assert found == [(5, cap), (4, Decimal("1.173333334"))]


def test_of_too_few_runs_those_that_failed_are_not_counted(marts: Marts) -> None:
    found = on(marts, "lone")
    assert (found["runs"], found["value"]) == (1, None)
    assert found["reason"].endswith("fewer than 2 qualifying GPU runs have ended (1)")


def test_spot_hours_at_list_follow_the_on_demand_price(marts: Marts) -> None:
    """Bought the day on which the Spot price rose to $8: 80 × 8 ÷ 8; listed at $10, then $9."""
    for day, listed in (("2025-09-02", 100), ("2025-09-12", 90)):
        found = on(marts, "spot", day)
        assert (found["measured"], found["repriced"]) == (40, 40)
        assert found["value_at_list"] == listed


def test_a_stale_price_is_flagged_whichever_way_it_decides(marts: Marts) -> None:
    """One that rose may have been cut since; one of two that fell decides."""
    found = on(marts, "dear")
    assert (found["value"], found["repriced"], found["flags"]) == (100, 120, ["stale_price"])
    assert found["reason"] == (
        "measured $100.00 is not above repriced $120.00 (2 GPU runs); price not confirmed for "
        "45 days"
    )
    found = on(marts, "mixed")
    assert (found["value"], found["flags"]) == (90, ["stale_price"])


def test_hours_of_no_region_are_named_once_however_they_were_bought(marts: Marts) -> None:
    assert on(marts, "blank")["reason"] == (
        "measured $130.00: price unavailable for 30.00 of 30.00 GPU hours, g5.48xlarge in no "
        "region, so none is repriced (2 GPU runs)"
    )


def test_at_list_a_part_of_the_hours_stands_for_nothing(marts: Marts) -> None:
    """Of one run of two the price is known: (100 + 300) ÷ 2, and not the known half alone."""
    found = on(marts, "half")
    assert (found["repriced"], found["value_at_list"]) == (None, 200)


def test_one_day_without_a_spot_price_leaves_the_reference_unknown(marts: Marts) -> None:
    found = on(marts, "late")
    assert (found["measured"], found["repriced"]) == (150, None)
    assert found["flags"] == ["price_unavailable"]


def test_hours_that_one_line_does_not_list_have_no_list_cost(marts: Marts) -> None:
    parts = told(marts, "SELECT instance_hours, list_cost, repriced FROM baseline_parts "
                 "WHERE workload = 'unlisted'")  # fmt: skip
    assert parts == [(20, None, 100)]
    assert on(marts, "unlisted")["value_at_list"] is None


def test_the_parts_are_those_of_the_last_settled_day(marts: Marts) -> None:
    """The price of that day, and not that of the day after."""
    assert told(marts, "SELECT * FROM baseline_parts WHERE workload = 'turned'") == [
        (date(2025, 10, 28), "turned", "g5", G5, "xx-turn", "on_demand", 2, 2, 20, 200, 200, 10,
         8, 1, None, 80, 0)
    ]  # fmt: skip


def test_a_months_baseline_is_that_of_its_last_settled_day(marts: Marts) -> None:
    """Of months in which Trainium made epochs."""
    hours = told(marts, "SELECT month, price, instance_hours, effective_cost, reference_cost, "
                 "repriced FROM baseline_hours WHERE workload = 'turned' ORDER BY 1")  # fmt: skip
    assert hours == [("2025-09", 9, 20, 200, 200, 90), ("2025-10", 8, 20, 200, 200, 80)]
    runs = told(marts, "SELECT month, lineage, ended_on, qualifies, epochs, cost "
                "FROM baseline_runs WHERE workload = 'turned' AND month = '2025-09' "
                "ORDER BY lineage")  # fmt: skip
    assert runs == [
        ("2025-09", "g1", date(2025, 5, 2), True, 1, 100),
        ("2025-09", "g2", date(2025, 5, 4), True, 1, 100),
    ]
    held = "WHERE workload IN ('turned', 'lone') ORDER BY 2"  # the latter has no baseline
    for mart in ("baseline_runs", "baseline_hours"):
        months = told(marts, f"SELECT DISTINCT workload, month FROM {mart} {held}")
        assert months == [("turned", "2025-09"), ("turned", "2025-10")]


def test_prices_that_a_baseline_stands_on_are_told_where_they_changed(marts: Marts) -> None:
    changes = told(marts, "SELECT workload, region, purchase_option, effective_from, usd_per_hour, "
                   "previous_usd_per_hour FROM price_changes ORDER BY ALL")  # fmt: skip
    assert changes == [
        ("dear", "xx-dear", "on_demand", date(2025, 6, 1), 12, 10),
        ("mixed", "xx-fall", "on_demand", date(2025, 6, 1), 8, 10),
        ("spot", "xx-spot", "spot", date(2025, 5, 2), 8, 7),
        ("turned", "xx-turn", "on_demand", date(2025, 9, 20), 9, 10),
        ("turned", "xx-turn", "on_demand", date(2025, 10, 28), 8, 9),
        ("turned", "xx-turn", "on_demand", date(2025, 10, 29), 7, 8),
    ]


def test_every_price_stands_in_its_series(marts: Marts) -> None:
    """Spot ends 45 days after it was last seen; a rate of a plan is no series."""
    history = told(marts, "SELECT region, instance_type, purchase_option, since, until, "
                   "usd_per_hour, previous_usd_per_hour FROM price_history WHERE region IN "
                   "('xx-even', 'xx-spot') ORDER BY ALL")  # fmt: skip
    assert history == [
        ("xx-even", G5, "on_demand", date(2020, 1, 1), None, 10, None),
        ("xx-even", TRN1, "on_demand", date(2020, 1, 1), date(2025, 8, 1), 20, None),
        ("xx-even", TRN1, "on_demand", date(2025, 8, 1), None, 18, 20),
        ("xx-spot", G5, "on_demand", date(2025, 4, 1), date(2025, 9, 10), 10, None),
        ("xx-spot", G5, "on_demand", date(2025, 9, 10), None, 9, 10),
        ("xx-spot", G5, "spot", date(2025, 4, 1), date(2025, 5, 2), 7, None),
        ("xx-spot", G5, "spot", date(2025, 5, 2), date(2025, 11, 15), 8, 7),
    ]


def test_of_two_prices_told_at_once_the_lower_whichever_stands_first(marts: Marts) -> None:
    asked = "SELECT region, usd_per_hour FROM price_history WHERE region LIKE 'xx-told%' ORDER BY 1"
    assert told(marts, asked) == [("xx-told-a", 10), ("xx-told-b", 10)]


def test_the_cheapest_offer_of_a_day_is_a_price_of_blocks(marts: Marts) -> None:
    """By instance-hour; a fee of $0 is none, and that of an extension no offer."""
    history = told(marts, "SELECT region, instance_type, purchase_option, since, until, "
                   "usd_per_hour, previous_usd_per_hour FROM price_history WHERE region IN "
                   "('xx-sold', 'xx-sale') ORDER BY ALL")  # fmt: skip
    first, then = date(2025, 9, 1), date(2025, 9, 5)
    assert history == [
        ("xx-sale", P5, "capacity_block", first, date(2025, 10, 16), Decimal("0.5"), None),
        ("xx-sold", "p4d.24xlarge", "capacity_block", first, date(2025, 10, 16), 10, None),
        ("xx-sold", P5, "capacity_block", first, then, 30, None),
        ("xx-sold", P5, "capacity_block", then, date(2025, 10, 20), 35, 30),
    ]
