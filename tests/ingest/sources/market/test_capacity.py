"""What EC2 says about capacity; and METHOD §8 C without a word in the config."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError, ConfigError
from models.marts.cost.capacity_blocks import known_blocks
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import ENVIRONMENT, Configured, Fake
from tests.support.ingest.price_answers import EAST, P5, TRN1, offer, reservation, told, zone
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

SOURCE = {"kind": "capacity", "instance_types": [P5, "g5.xlarge"], "region": EAST}
BLOCK = reservation("cr-1", P5, 2, "2026-03-01", "2026-03-02", CreateDate="2026-02-20T09:00:00Z")
WORLD: dict[str, Any] = {
    "reservations": [
        BLOCK,
        reservation("cr-2", "m5.large", 3, "2026-01-01", "2026-01-02", ReservationType="default"),
    ],
    "capacity_blocks": [
        {"CapacityBlockId": "cb-1", "CapacityReservationIds": ["cr-1"], "State": "active"}
    ],
    "offers": [offer(P5, "1000.80"), offer(P5, "951.60", AvailabilityZone="us-east-1b")],
    "zones": [zone(P5), zone("g5.xlarge", "us-east-1b"), zone(P5, "us-west-2a")],
}


def pinned(configured: Configured, **other: object) -> Settings:
    settings: Settings = configured({**SOURCE, **other}, as_of="2026-10-31")
    return settings


def pulled(settings: Settings) -> tuple[int, int]:
    report = pull(settings, ["capacity"])
    report.raise_failures()
    return report.results[0].new, report.results[0].unchanged


def units(settings: Settings) -> list[str]:
    live = RawZone(settings.data / "raw").live("capacity")
    return [delivery.key.unit.removeprefix("999900000001-us-east-1 ") for delivery in live]


def test_each_answer_is_kept_and_asked_again_is_no_news(configured: Configured, aws: Fake) -> None:
    aws.shows(**WORLD, ec2_page=1)
    settings = pinned(configured)
    assert pulled(settings) == (4, 0)
    assert units(settings) == ["blocks", "offers", "reservations", "zones"]
    used = [{**one, "AvailableInstanceCount": 0} for one in WORLD["reservations"]]
    anew = [{**one, "CapacityBlockOfferingId": "cbo-9"} for one in WORLD["offers"]]
    aws.shows(**{**WORLD, "reservations": used, "offers": anew})
    assert pulled(settings) == (0, 4)
    (block,) = [row for row in told(settings, "capacity") if row["reservation"] == "cr-1"]
    assert {name: value for name, value in block.items() if value is not None} == {
        "kind": "reservation",
        "account": "999900000001",
        "region": EAST,
        "zone": "us-east-1a",
        "instance_type": P5,
        "reservation": "cr-1",
        "reservation_type": "capacity-block",
        "state": "active",
        "tenancy": "default",
        "owner": "999900000001",
        "instances": 2,
        "available": 2,
        "created": datetime.fromisoformat("2026-02-20T09:00"),
        "start": datetime.fromisoformat("2026-03-01T11:30"),
        "end": datetime.fromisoformat("2026-03-02T11:30"),
        "end_type": "limited",
        "observed_on": date(2026, 10, 31),
        "said_at": block["said_at"],
    }
    offers = [(row["zone"], row["fee"]) for row in told(settings, "capacity") if row["fee"]]
    assert offers == [("us-east-1a", Decimal("1000.8")), ("us-east-1b", Decimal("951.6"))]


def test_blocks_are_asked_for_where_aws_sells_them(configured: Configured, aws: Fake) -> None:
    aws.shows(**WORLD)
    pulled(pinned(configured))
    (asked,) = aws.asked("DescribeCapacityBlockOfferings")
    assert asked == {"InstanceType": P5, "InstanceCount": 1, "CapacityDurationHours": 24}


def test_that_no_block_is_on_offer_any_more_is_delivered_once(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(**WORLD)
    settings = pinned(configured)
    pulled(settings)
    aws.shows(**{**WORLD, "offers": []})
    assert pulled(settings) == (1, 3)
    assert pulled(settings) == (0, 4)
    offers = [row for row in told(settings, "capacity") if row["kind"] == "offer"]
    newest = max(row["said_at"] for row in offers)
    assert [(row["instance_type"], row["fee"]) for row in offers if row["said_at"] == newest] == [
        (P5, None)
    ]


def test_an_answer_of_nothing_takes_nothing_away(configured: Configured, aws: Fake) -> None:
    aws.shows(**WORLD)
    settings = pinned(configured)
    pulled(settings)
    aws.shows()
    assert pulled(settings) == (0, 0)
    assert units(settings) == ["blocks", "offers", "reservations", "zones"]


@pytest.mark.parametrize(
    ("action", "kept"),
    [
        ("DescribeCapacityReservations", []),
        ("DescribeCapacityBlocks", ["reservations"]),
        ("DescribeInstanceTypeOfferings", ["blocks", "reservations"]),
        ("DescribeCapacityBlockOfferings", ["blocks", "reservations", "zones"]),
    ],
)
def test_a_missing_permission_names_the_action_and_keeps_what_came_before(
    configured: Configured, aws: Fake, action: str, kept: list[str]
) -> None:
    denied = {"operation": action, "code": "UnauthorizedOperation", "on": [1]}
    aws.shows(**WORLD, errors=[denied])
    settings = pinned(configured)
    with pytest.raises(BreakevenError) as caught:
        pulled(settings)
    assert str(caught.value) == (
        f"capacity: ec2:{action} was refused: UnauthorizedOperation: injected "
        "(grant this action to the caller)"
    )
    assert units(settings) == kept


def test_a_fee_in_another_currency_is_refused_and_the_rest_stays(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(**{**WORLD, "offers": [offer(P5, "9000.00", CurrencyCode="CNY")]})
    settings = pinned(configured)
    with pytest.raises(BreakevenError, match="us-east-1 offers: Currency is not USD: CNY"):
        pulled(settings)
    assert units(settings) == ["blocks", "reservations", "zones"]


def test_a_reservation_of_no_instance_is_refused_unless_it_is_over(
    configured: Configured, aws: Fake
) -> None:
    empty = {**BLOCK, "TotalInstanceCount": 0}
    aws.shows(**{**WORLD, "reservations": [{**empty, "State": "active"}]})
    settings = pinned(configured)
    with pytest.raises(BreakevenError, match="of a reservation in force is 0: cr-1"):
        pulled(settings)
    aws.shows(**{**WORLD, "reservations": [{**empty, "State": "cancelled"}]})
    pulled(settings)
    assert "reservations" in units(settings)


def fee(world: World, day: str, amount: object, kind: str = P5, **columns: object) -> None:
    given = {"ChargeCategory": "Purchase", "x_UsageType": f"CapacityBlockFee:{kind}"}
    world.charge(f"{day}T00:00:00", amount, **{**given, **columns})


def used(world: World, day: str, hours: int, run: str, kind: str = P5, **more: object) -> None:
    tags = {"workload": "atlas-7b", "run": run}
    free = {"ListCost": 0, "ContractedCost": 0, **more}
    world.hours(f"{day}T12:00:00", hours, kind, 0, tags, **free)


def built(world: World, entries: list[dict[str, Any]] | None = None) -> SomeMarts:
    """The world with EC2 asked, and perhaps with blocks in the config."""
    world.charge("2026-03-25T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    sources = [{"kind": "focus", "location": "bill.csv"}, {"kind": "capacity"}]
    settings = world.pulled(as_of="2026-03-31", sources=sources, capacity_blocks=entries or [])
    return some_marts(settings, "runs", "spend_daily", "tie_out")


def cost(marts: SomeMarts) -> dict[str, Decimal | None]:
    return {row["run"]: row["cost"] for row in marts.rows("SELECT run, cost FROM runs")}


def idle(marts: SomeMarts, kind: str) -> Decimal | None:
    total = (
        "SELECT sum(effective_cost) AS c FROM spend_daily "
        "WHERE attribution = 'idle_commitment' AND instance_type = ?"
    )
    found: Decimal | None = marts.row(total, kind)["c"]
    return found


FEES = {
    P5: ("2026-02-20", None),
    "p5e.48xlarge": ("2026-02-21", -1200),
    "p4de.24xlarge": ("2026-03-01", -3000),
}
"""METHOD §8 C three times, each on a type of its own: the day of its fee, and a refund."""


@pytest.fixture(scope="module")
def alone(aws_server: Fake, tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """What EC2 told of their blocks is all that is known of them."""
    names = {kind: f"cr-{number}" for number, kind in enumerate(FEES, 1)}
    blocks = [
        {**BLOCK, "CapacityReservationId": name, "InstanceType": kind}
        for kind, name in names.items()
    ]
    world = World(tmp_path_factory.mktemp("blocks"))
    for kind, (day, refund) in FEES.items():
        fee(world, day, "3000.00", kind)
        if refund:
            back = {"ChargeCategory": "Adjustment", "ChargeClass": "Correction"}
            fee(world, "2026-03-05", refund, kind, **back)
        for date_ in ("2026-03-01", "2026-03-02"):
            used(world, date_, 20, kind, kind)
    aws_server.shows(reservations=blocks)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws_server.url}.items():
            patch.setenv(name, value)
        return built(world)


@pytest.mark.parametrize(
    ("kind", "run_cost", "rest"),
    [(P5, 2500, 500), ("p5e.48xlarge", 1500, 300), ("p4de.24xlarge", 0, 0)],
)
def test_c_needs_no_config_where_ec2_told_of_the_block(
    alone: SomeMarts, kind: str, run_cost: int, rest: int
) -> None:
    """METHOD §8 C; the fee dated at purchase, after midnight, or at the start."""
    assert cost(alone).keys() == FEES.keys()
    assert cost(alone)[kind] == run_cost
    assert idle(alone, kind) == rest
    assert {row["remainder"] for row in alone.rows("SELECT remainder FROM tie_out")} == {0}


@pytest.fixture
def many(world: World, aws: Fake) -> SomeMarts:
    """Blocks that EC2 told of, each on a type of its own, and one that it lost its fee.

    One of them the config tells of too.
    """
    aws.shows(
        reservations=[
            # one row pays for two, by their 24 and 72 instance-hours
            reservation("cr-a", P5, 1, "2026-03-03", "2026-03-04", CreateDate="2026-03-01T01:00Z"),
            reservation("cr-b", P5, 1, "2026-03-05", "2026-03-08", CreateDate="2026-03-01T02:00Z"),
            # bought on the day on which the other starts; AWS dates all fees at the start
            reservation(
                "cr-c", TRN1, 1, "2026-03-10", "2026-03-11", CreateDate="2026-03-01T00:00Z"
            ),
            reservation(
                "cr-d", TRN1, 1, "2026-03-12", "2026-03-13", CreateDate="2026-03-10T00:00Z"
            ),
            # an UltraServer's block: two reservations, one fee that carries the block's id
            reservation("cr-e", "trn2.48xlarge", 1, "2026-03-10", "2026-03-11"),
            reservation("cr-f", "trn2.48xlarge", 1, "2026-03-10", "2026-03-11"),
            # the fee on the bill is of another time; the payment of another block failed
            reservation("cr-g", "p4d.24xlarge", 1, "2026-03-10", "2026-03-11"),
            reservation(
                "cr-h", "p4de.24xlarge", 1, "2026-03-10", "2026-03-11", State="payment-failed"
            ),
            # 24 hours for 240, then 24 more for 600
            reservation("cr-i", "p5en.48xlarge", 1, "2026-03-10", "2026-03-12"),
            # EC2's dates do not find its fee; the config's entry does
            {**BLOCK, "CapacityReservationId": "cr-k", "InstanceType": "p5e.48xlarge"},
        ],
        capacity_blocks=[
            {"CapacityBlockId": "cb-e", "CapacityReservationIds": ["cr-e", "cr-f"]},
        ],
        extensions=[
            {
                "CapacityReservationId": "cr-i",
                "CapacityBlockExtensionStatus": "payment-succeeded",
                "CapacityBlockExtensionPurchaseDate": "2026-03-10T20:00:00Z",
                "CapacityBlockExtensionStartDate": "2026-03-11T11:30:00Z",
                "CapacityBlockExtensionEndDate": "2026-03-12T11:30:00Z",
                "UpfrontFee": "600.00",
                "CurrencyCode": "USD",
            }
        ],
    )
    longer = {"CommitmentDiscountId": "cr-i"}
    fee(world, "2026-03-11", 600, "p5en.48xlarge", **longer)
    fee(world, "2026-03-10", 240, "p5en.48xlarge", **longer)
    used(world, "2026-03-10", 12, "i", "p5en.48xlarge")
    used(world, "2026-03-12", 10, "j", "p5en.48xlarge")
    fee(world, "2026-03-01", 960)
    fee(world, "2026-03-10", 240, TRN1)
    fee(world, "2026-03-12", 480, TRN1)
    held = {"CommitmentDiscountId": "arn:aws:ec2:us-east-1:999900000001:capacity-block/cb-e"}
    fee(world, "2026-02-15", 4800, "trn2.48xlarge", **held)
    fee(world, "2026-03-05", 700, "p4d.24xlarge")
    fee(world, "2026-03-10", 800, "p4de.24xlarge")
    used(world, "2026-03-03", 6, "a")
    used(world, "2026-03-06", 24, "b")
    used(world, "2026-03-10", 12, "c", TRN1)
    used(world, "2026-03-12", 12, "d", TRN1)
    used(world, "2026-03-10", 10, "e", "trn2.48xlarge", CapacityReservationId="cr-e")
    used(world, "2026-03-10", 6, "g", "p4d.24xlarge")
    used(world, "2026-03-10", 6, "h", "p4de.24xlarge")
    fee(world, "2026-02-25", "3000.00", "p5e.48xlarge")
    used(world, "2026-03-01", 20, "k", "p5e.48xlarge")
    return built(world, [{**ENTRY, "instance_type": "p5e.48xlarge"}])


def test_a_fee_finds_its_block_by_id_and_by_day_or_not_at_all(many: SomeMarts) -> None:
    assert cost(many) == {
        "a": 60,  # 960 ÷ 96 an hour
        "b": 240,
        "c": 120,  # 240 ÷ 24
        "d": 240,  # 480 ÷ 24
        "e": 1000,  # 4800 ÷ 48
        "g": None,
        "h": None,
        "i": 120,
        "j": 250,
        "k": 1250,  # 3000 ÷ 48
    }
    assert idle(many, "p5e.48xlarge") == 1750
    kept = many.rows(
        "SELECT instance_type AS t, sum(effective_cost) AS c FROM spend_daily "
        "WHERE attribution = 'purchase' AND effective_cost > 0 GROUP BY t ORDER BY t"
    )
    assert [tuple(row.values()) for row in kept] == [("p4d.24xlarge", 700), ("p4de.24xlarge", 800)]
    assert {row["remainder"] for row in many.rows("SELECT remainder FROM tie_out")} == {0}


def test_a_block_that_became_longer_at_an_unknown_fee_has_no_cost() -> None:
    start, end = (datetime.fromisoformat(f"2026-03-{day}T11:30") for day in ("01", "03"))
    row = ("cr-1", "cb-1", "1", EAST, P5, 1, start, end, start)
    earlier = datetime.fromisoformat("2026-03-02T11:30")
    assert known_blocks.blocks_from_ec2([(*row, earlier)], []) == []
    (whole,) = known_blocks.blocks_from_ec2([(*row, end)], [])
    assert (whole.hours, whole.bought) == (48, date(2026, 3, 1))


ENTRY = {
    "instance_type": P5,
    "instances": 2,
    "start": "2026-03-01T11:30:00Z",
    "end": "2026-03-02T11:30:00Z",
    "fee": 3000,
}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"instances": 3},
            "2026-03-01T11:30Z differs from what EC2 says about cr-1: instances = 3, EC2: 2",
        ),
        (
            {"end": "2026-03-03T11:30:00Z", "reservation": "cr-1"},
            "EC2 says about cr-1: end = 2026-03-03T11:30Z, EC2: 2026-03-02T11:30Z",
        ),
        ({"account": "999900000002", "reservation": "cr-1"}, "account = 999900000002, EC2: 9999"),
    ],
)
def test_an_entry_that_contradicts_ec2_is_refused_in_one_line(
    world: World, aws: Fake, given: dict[str, Any], said: str
) -> None:
    aws.shows(reservations=[BLOCK])
    fee(world, "2026-02-20", "3000.00")
    with pytest.raises(ConfigError) as caught:
        built(world, [{**ENTRY, **given}])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
