"""METHOD §8 A with prices that AWS told: a cut counts from its day."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal

from models.engine.fleet import fleet
from tests.conftest import migrated
from tests.support.ingest.fake_aws import Fake
from tests.support.ingest.price_answers import EAST, change, offer, product, reserved_term, zone
from tests.support.world import World

P4D = "p4d.24xlarge"


def test_what_aws_says_reprices_from_its_day_on(world: World, aws: Fake) -> None:
    """From 15 September a p4d costs $20: 10.5 h × 20 × 5,250 ÷ 6,882.246 an epoch."""
    listed = product(P4D, "20.0000000000", "2025-09-15")
    listed["terms"]["Reserved"] |= {"S.A": reserved_term("3yr", "All Upfront", "0", "262800")}
    aws.shows(
        products=[listed],
        spot=[change(P4D, "us-east-1a", "9.500000", "2025-10-30T06:00:00Z")],
        offers=[offer(P4D, "283.20"), offer(P4D, "240.00", AvailabilityZone="us-east-1b")],
        zones=[zone(P4D), zone("trn1.32xlarge", "us-east-1c")],
    )
    files = [{"kind": "focus", "location": "bill.csv"}]
    files += [{"kind": "progress_file", "location": "progress.csv"}]
    feeds = [{"kind": kind} for kind in ("price_list", "spot_prices", "capacity")]
    marts = migrated(world).build(sources=files + feeds)
    repriced = "SELECT repriced FROM baselines WHERE date = ?"
    assert marts.row(repriced, date(2025, 9, 14)) == {"repriced": Decimal("175.875")}
    cut = marts.row(repriced, date(2025, 9, 15))["repriced"]
    assert cut.quantize(Decimal("0.000001")) == Decimal("160.194797")
    runs = "SELECT sum(gross_saving) AS saved FROM savings_daily WHERE date >= '2025-09-15'"
    saved = marts.row(runs)["saved"]
    assert saved.quantize(Decimal("0.0001")) == Decimal("381.1688")  # 6 × 160.194797 − 580
    offers = marts.rows("SELECT zone, fee, usd_per_hour FROM capacity_offers ORDER BY fee")
    assert [tuple(row.values()) for row in offers] == [
        ("us-east-1b", 240, 10),
        ("us-east-1a", Decimal("283.2"), Decimal("11.8")),
    ]
    held = marts.row("SELECT region, plan, years, usd_per_hour FROM committed_rates")
    assert list(held.values()) == [EAST, "Standard reserved, 3 yr, All Upfront", 3, 10]
    there = marts.rows("SELECT region, zone, instance_type FROM offered ORDER BY zone")
    assert [tuple(row.values()) for row in there] == [
        (EAST, "us-east-1a", P4D),
        (EAST, "us-east-1c", "trn1.32xlarge"),
    ]
    billed = [(P4D, EAST), ("trn1.32xlarge", EAST)]
    asked = [request["Filters"][1]["Value"] for request in aws.asked("GetProducts")]
    assert asked == [kind for kind, _ in billed]
    shutil.rmtree(marts.settings.data / "raw")  # from now on the snapshot tells what to ask
    assert fleet(marts.settings) == billed
    fresh = marts.rows("SELECT source FROM freshness WHERE last_success IS NOT NULL")
    assert {row["source"] for row in fresh} >= {"price_list", "spot_prices", "capacity"}
