"""METHOD §2.7: a block's fee stands where its hours are, to the last cent, or is unknown."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from models.contract import schema
from models.marts.cost.capacity_blocks.block_days import block_days
from models.marts.cost.capacity_blocks.with_block_costs import amortised
from tests.support.marts.hand_written_tables import rows, table
from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts, World

P5, P4D, P4DE, TRN1 = "p5.48xlarge", "p4d.24xlarge", "p4de.24xlarge", "trn1.32xlarge"
EAST, WEST = "us-east-1", "us-west-2"
MEMBER = "999900000002"


def block(instance_type: str, instances: int, start: str, end: str, fee: int) -> dict[str, Any]:
    return {
        "instance_type": instance_type,
        "instances": instances,
        "start": datetime.fromisoformat(f"{start}T11:30+00:00").astimezone(UTC),
        "end": datetime.fromisoformat(f"{end}T11:30+00:00").astimezone(UTC),
        "fee": fee,
    }


BLOCKS = [
    block(P5, 2, "2026-03-30", "2026-04-02", 7200),
    {**block(TRN1, 1, "2026-03-10", "2026-03-12", 480), "region": WEST},
    {**block(TRN1, 3, "2026-03-11", "2026-03-12", 1440), "region": WEST},
    {**block(P5, 1, "2026-03-15", "2026-03-16", 1200), "account": MEMBER},
    block(P4D, 1, "2026-03-05", "2026-03-06", 900),
    block(P4DE, 1, "2026-03-05", "2026-03-06", 1000),
    block("p5e.48xlarge", 1, "2026-03-05", "2026-03-06", 500),
]


def fee(world: World, day: str, amount: object, instance_type: str, **columns: object) -> None:
    """A line of the bill that names no hours; AWS may or may not call it effective."""
    given = {"ChargeCategory": "Purchase", "x_UsageType": f"CapacityBlockFee:{instance_type}"}
    world.charge(f"{day}T00:00:00", amount, **{**given, **columns})


def used(world: World, day: str, hours: str, instance_type: str, run: str, **more: object) -> None:
    """Hours of a block, as AWS bills them: at $0, with or without what they cost on demand."""
    tags = {"workload": "atlas-7b", "run": run} if run else {}
    world.hours(f"{day}T00:00:00", hours, instance_type, 0, tags, ContractedCost=0, **more)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Every case at once, each on an instance type, region or account of its own."""
    world = World(tmp_path_factory.mktemp("blocks"))
    fee(world, "2026-03-30", 5000, P5)  # at start, in two lines, over a month end
    fee(world, "2026-03-30", 2200, P5)
    for day, hours, run in (
        ("2026-03-30", "24", "g1"),
        ("2026-03-31", "48", "g1"),
        ("2026-04-01", "48", "g1"),
        ("2026-04-02", "10", "g2"),
    ):
        used(world, day, hours, P5, run)
    used(world, "2026-03-31", "6", P5, "g8", ConsumedUnit="Requests")  # nobody knows how long
    # at purchase, two blocks in one line, of which AWS calls nothing effective
    fee(world, "2026-02-01", 1920, TRN1, RegionId=WEST, EffectiveCost=0)
    for day, hours in (("2026-03-10", "12.5"), ("2026-03-11", "61.5"), ("2026-03-12", "23")):
        used(world, day, hours, TRN1, "t1", RegionId=WEST)
    there = {"SubAccountId": MEMBER, "RegionId": WEST}
    fee(world, "2026-03-15", 1200, P5, **there)
    used(world, "2026-03-15", "15", P5, "g3", **there)  # 2.5 hours more than the block has
    used(world, "2026-03-16", "11.5", P5, "g3", **there)
    fee(world, "2026-03-01", 900, P4D)
    used(world, "2026-03-05", "6", P4D, "g4")
    undone = {"ChargeCategory": "Adjustment", "ChargeClass": "Correction"}
    fee(world, "2026-03-20", -900, P4D, **undone)
    fee(world, "2026-03-05", 1000, P4DE)
    fee(world, "2026-04-10", -400, P4DE, ChargeCategory="Adjustment")
    used(world, "2026-03-05", "43200", P4DE, "g5", ConsumedUnit="Seconds")
    used(world, "2026-03-06", "6", P4DE, "")
    used(world, "2026-03-05", "5", "p5e.48xlarge", "g6")  # no fee on the bill
    fee(world, "2026-03-05", 777, "p5en.48xlarge")  # no block in the config
    used(world, "2026-03-05", "4", "p5en.48xlarge", "g7")
    _every_other_bucket(world)
    sources = [{"kind": "focus", "location": "bill.csv"}]
    return some_marts(
        world.pulled(as_of="2026-04-30", capacity_blocks=BLOCKS, sources=sources),
        "runs",
        "spend_daily",
        "tie_out",
    )


def _every_other_bucket(world: World) -> None:
    day, box = "2026-03-20T00:00:00", {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1}
    plan = {"CommitmentDiscountId": "sp-1", "BilledCost": 0, "x_UsageType": "ComputeSP:1yr"}
    world.charge(day, 11, ChargeCategory="Tax")
    world.charge(day, 12, ServiceName="AWS Support (Business)")
    world.charge(day, -13, ChargeCategory="Credit")
    world.charge(day, -14, ChargeCategory="Adjustment")
    world.charge(day, 15, EffectiveCost=0, ChargeCategory="Purchase", x_UsageType="ComputeSP:1yr")
    world.charge(day, 16, CommitmentDiscountStatus="Unused", **plan)
    world.charge(day, 17, tags={"workload": "atlas-7b", "run": "t1"}, **box)
    world.charge(day, 18, tags={"workload": "atlas-7b"}, **box)
    world.charge(day, 19, tags={"workload": "nobody-ran"}, **box)
    world.charge(day, 20, **box)
    world.charge("2026-04-29T00:00:00", 21, x_UsageType="Requests-Tier1")


def test_each_run_bears_the_hours_it_used(blocks: Marts) -> None:
    costs = blocks.rows("SELECT run, cost FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in costs] == [
        ("g1", Decimal(6000)),
        ("g2", Decimal(500)),
        ("g3", None),
        ("g4", Decimal(0)),
        ("g5", Decimal(300)),
        ("g6", None),
        ("g7", None),
        ("g8", None),
        ("t1", Decimal("1552.5")),  # 125 + 990 + 402.50 of the blocks, 17 + 18 beside
    ]


def test_the_rest_of_a_block_is_idle_in_the_month_of_its_hours(blocks: Marts) -> None:
    rows = blocks.rows(
        "SELECT billing_period, region, instance_type, sum(instance_hours) AS hours, "
        "sum(effective_cost) AS cost, sum(list_cost) AS list, sum(billed_cost) AS billed "
        "FROM spend_daily WHERE attribution = 'idle_commitment' AND instance_type IS NOT NULL "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2026-03", EAST, P4D, 18, 0, 0, 0),
        ("2026-03", EAST, P4DE, 6, 150, Decimal(150), 0),
        ("2026-03", EAST, P5, 1, 50, 50, 0),
        ("2026-03", WEST, TRN1, 23, Decimal("402.5"), Decimal("402.5"), 0),
        ("2026-04", EAST, P5, 13, 650, 650, 0),
    ]


def test_hours_beyond_the_block_keep_no_price_and_lose_none_of_the_fee(blocks: Marts) -> None:
    rows = blocks.rows(
        "SELECT date, unpriced, instance_hours AS hours, accelerator_hours AS chips, "
        "effective_cost AS cost FROM spend_daily WHERE run = 'g3' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        (date(2026, 3, 15), False, Decimal("12.5"), 100, 625),
        (date(2026, 3, 15), True, Decimal("2.5"), 20, None),
        (date(2026, 3, 16), False, Decimal("11.5"), 92, 575),
    ]


def test_hours_without_a_fee_or_without_a_block_are_named(blocks: Marts) -> None:
    for run in ("g3", "g6", "g7", "g8"):
        row = blocks.row("SELECT flags FROM runs WHERE run = ?", run)
        assert "cost_unknown" in row["flags"]
    kept = blocks.row(
        "SELECT sum(effective_cost) AS cost FROM spend_daily WHERE attribution = 'purchase' "
        "AND instance_type = 'p5en.48xlarge'"
    )
    assert kept == {"cost": Decimal(777)}


def test_untagged_hours_of_a_block_are_untagged_spend(blocks: Marts) -> None:
    row = blocks.row(
        f"SELECT attribution, effective_cost AS cost FROM spend_daily "
        f"WHERE run IS NULL AND instance_type = '{P4DE}' AND instance_hours = 6 AND "
        "attribution <> 'idle_commitment'"
    )
    assert row == {"attribution": "untagged", "cost": Decimal(150)}


def test_the_fee_stays_a_purchase_in_its_billed_month(blocks: Marts) -> None:
    rows = blocks.rows(
        "SELECT billing_period, instance_type, sum(billed_cost) AS billed, "
        "sum(effective_cost) AS effective FROM spend_daily WHERE attribution = 'purchase' "
        "AND purchase_option = 'capacity_block' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2026-02", TRN1, 1920, 0),
        ("2026-03", P4D, 0, 0),
        ("2026-03", P4DE, 1000, 0),
        ("2026-03", P5, 8400, 0),
        ("2026-03", "p5en.48xlarge", 777, 777),
        ("2026-04", P4DE, -400, 0),
    ]


BUCKETS = (
    "direct + shared + overhead + idle_commitment + untagged + purchase + credit + refund + tax "
    "+ support + other"
)


def test_a_bill_with_every_bucket_ties_out_on_both_bases(blocks: Marts) -> None:
    rows = blocks.rows(
        f"SELECT month, account, basis, {BUCKETS} AS held, bridge, block_spread AS spread, "
        "bill_total AS total, remainder FROM tie_out ORDER BY month, account, basis"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2026-02", ACCOUNT, "billed", 1920, 0, 0, 1920, 0),
        ("2026-02", ACCOUNT, "effective", 0, -1920, 0, 0, 0),
        ("2026-03", ACCOUNT, "billed", 9062, 0, 0, 9062, 0),
        ("2026-03", ACCOUNT, "effective", 7033, -2029, -2030, 9063, 0),
        ("2026-03", MEMBER, "billed", 1200, 0, 0, 1200, 0),
        ("2026-03", MEMBER, "effective", 1200, 0, 0, 1200, 0),
        ("2026-04", ACCOUNT, "billed", -379, 0, 0, -379, 0),
        ("2026-04", ACCOUNT, "effective", 3571, 3950, 3950, -379, 0),
    ]
    empty = blocks.row(
        "SELECT "
        + ", ".join(f"count(*) FILTER ({name} <> 0) AS {name}" for name in BUCKETS.split(" + "))
        + " FROM tie_out WHERE basis = 'effective'"
    )
    assert all(empty.values()), empty


def test_a_run_bears_the_hours_of_a_block_that_another_account_shares(tmp_path: Path) -> None:
    """40 of 48 hours in the member's account, of a fee of $3,000 in the owner's."""
    world = World(tmp_path)
    arn = f"arn:aws:ec2:{EAST}:{ACCOUNT}:capacity-reservation/cr-0a1"
    fee(world, "2026-03-05", 3000, P5)
    for day, hours in (("2026-03-05", "20"), ("2026-03-06", "20")):
        used(world, day, hours, P5, "g1", SubAccountId=MEMBER, CapacityReservationId=arn)
    world.charge("2026-03-20T00:00:00", 1, x_UsageType="Requests-Tier1")
    shared = block(P5, 2, "2026-03-05", "2026-03-06", 3000) | {"reservation": "cr-0a1"}
    sources = [{"kind": "focus", "location": "bill.csv"}]
    pulled = world.pulled(as_of="2026-03-31", capacity_blocks=[shared], sources=sources)
    marts = some_marts(pulled, "spend_daily", "tie_out")
    spent = marts.rows(
        "SELECT account, attribution, sum(effective_cost) AS cost FROM spend_daily "
        f"WHERE instance_type = '{P5}' AND attribution <> 'purchase' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in spent] == [
        (ACCOUNT, "idle_commitment", 500),
        (MEMBER, "direct", 2500),
    ]
    spread = marts.rows(
        "SELECT account, block_spread AS spread, remainder AS left FROM tie_out "
        "WHERE basis = 'effective' ORDER BY account"
    )
    assert [tuple(row.values()) for row in spread] == [(ACCOUNT, -2500, 0), (MEMBER, 2500, 0)]


TRUTH = """
WITH config (type, region, account, instances, start, stop, fee) AS (VALUES
    ('p5.48xlarge', 'us-east-1', '999900000001', 2, '2026-03-30 11:30', '2026-04-02 11:30', 7200),
    ('trn1.32xlarge', 'us-west-2', '999900000001', 1, '2026-03-10 11:30', '2026-03-12 11:30', 480),
    ('trn1.32xlarge', 'us-west-2', '999900000001', 3, '2026-03-11 11:30', '2026-03-12 11:30', 1440),
    ('p5.48xlarge', 'us-west-2', '999900000002', 1, '2026-03-15 11:30', '2026-03-16 11:30', 1200),
    ('p4d.24xlarge', 'us-east-1', '999900000001', 1, '2026-03-05 11:30', '2026-03-06 11:30', 0),
    ('p4de.24xlarge', 'us-east-1', '999900000001', 1, '2026-03-05 11:30', '2026-03-06 11:30', 600)),
minutes AS (
    SELECT *, unnest(generate_series(start::TIMESTAMP, stop::TIMESTAMP - INTERVAL 30 MINUTE,
        INTERVAL 30 MINUTE)) AS half FROM config),
rates AS (
    SELECT type, region, account, half::DATE AS day, sum(instances) / 2.0 AS hours,
        sum(instances / 2.0 * fee / (instances * date_diff('hour', start::TIMESTAMP,
            stop::TIMESTAMP))) AS dollars
    FROM minutes GROUP BY ALL),
usage AS (
    SELECT ChargePeriodStart::DATE AS day, split_part(x_UsageType, ':', 2) AS type,
        RegionId AS region, SubAccountId AS account, Tags->>'run' AS run,
        sum(ConsumedQuantity::DOUBLE / CASE ConsumedUnit WHEN 'Hours' THEN 1 ELSE 3600 END) AS used
    FROM bill WHERE x_UsageType LIKE 'BoxUsage:%' AND EffectiveCost::DOUBLE = 0
        AND ConsumedUnit <> 'Requests' GROUP BY ALL)
SELECT day, type, region, run, round(used * dollars / greatest(hours, total), 6) AS cost
FROM (SELECT *, sum(used) OVER (PARTITION BY day, type, region, account) AS total FROM usage)
JOIN rates USING (type, region, account, day)
UNION ALL
SELECT day, type, region, 'idle', round((hours - coalesce(total, 0)) * dollars / hours, 6)
FROM rates LEFT JOIN (SELECT day, type, region, account, sum(used) AS total FROM usage GROUP BY ALL)
    USING (type, region, account, day)
WHERE hours > coalesce(total, 0)
ORDER BY ALL"""


def test_half_hour_by_half_hour_it_comes_to_the_same(blocks: Marts) -> None:
    """The second truth: plain SQL over the lines, the blocks cut into half hours."""
    lines = blocks.settings.home / "bill.csv"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW bill AS FROM read_csv('{lines}', all_varchar = true)")
        truth = connection.execute(TRUTH).fetchall()
    product = blocks.rows(
        "SELECT date, instance_type, region, "
        "CASE WHEN attribution = 'idle_commitment' THEN 'idle' ELSE run END AS run, "
        "round(sum(effective_cost), 6)::DOUBLE AS cost FROM spend_daily "
        "WHERE purchase_option = 'capacity_block' AND NOT unpriced AND "
        "attribution <> 'purchase' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in product] == truth
    assert len(truth) == 19


def test_a_day_that_was_used_up_has_no_idle_hours(blocks: Marts) -> None:
    empty = "SELECT count(*) AS n FROM spend_daily WHERE attribution = 'idle_commitment' AND "
    assert blocks.row(empty + "instance_hours <= 0") == {"n": 0}


def test_the_hours_of_a_block_are_its_days_at_the_fee_that_was_billed() -> None:
    """From noon of the first to 18:00 of the third, and from 06:00 to midnight.

    A block's own region comes before the fee's. Where a basis tells nothing of a paid fee, or $0,
    the fee is its price.
    """
    first = datetime(2026, 3, 1)  # noqa: DTZ001 - as a table has it
    noon, end = first + timedelta(hours=12), first + timedelta(days=2, hours=18)
    half = timedelta(minutes=30)
    dawn, midnight = first + timedelta(hours=6), first + timedelta(days=1)
    known = [
        {"block": "long", "instances": 2, "start": noon, "end": end, "region": WEST},
        {"block": "short", "instances": 1, "start": dawn, "end": midnight},
        {"block": "refunded", "instances": 1, "start": dawn, "end": midnight},
        {"block": "night", "instances": 1, "start": midnight - half, "end": midnight + half},
        {"block": "unpaid", "instances": 1, "start": dawn, "end": midnight},
    ]
    paid = [
        ("long", None, 100, 110, 90),
        ("long", None, 60, None, None),
        ("short", EAST, 180, 200, 0),
        ("night", EAST, 10, 10, 10),
        ("refunded", EAST, 180, None, 0),
        ("refunded", EAST, -180, None, 0),
        ("elsewhere", EAST, 7, 7, 7),
    ]
    names = ("block", "region", "billed_cost", "list_cost", "contracted_cost")
    own = {"account": "1", "billing_account": "2"}
    found = block_days(
        table(schema.BESIDE["known_blocks"], *known),
        table(
            schema.BESIDE["block_fees"], *(own | dict(zip(names, fee, strict=True)) for fee in paid)
        ),
    )
    told = ("block", "date", "region", "block_hours", "fee", "list_cost", "contracted_cost")
    assert rows(found, *told) == [
        ("long", date(2026, 3, 1), WEST, 24, 160, 160, 160),
        ("long", date(2026, 3, 2), WEST, 48, 160, 160, 160),
        ("long", date(2026, 3, 3), WEST, 36, 160, 160, 160),
        ("night", date(2026, 3, 1), EAST, Decimal("0.5"), 10, 10, 10),
        ("night", date(2026, 3, 2), EAST, Decimal("0.5"), 10, 10, 10),
        ("refunded", date(2026, 3, 1), EAST, 18, 0, 0, 0),
        ("short", date(2026, 3, 1), EAST, 18, 180, 200, 180),
    ]
    assert set(rows(found, "account", "billing_account")) == {("1", "2")}


PLACE = ("billing_account", "account", "region", "instance_type")
BASES = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
ATTRIBUTED = {
    **dict.fromkeys((*PLACE, "reservation", "commitment"), "string"), "date": "date",
    **dict.fromkeys(("attribution", "purchase_option"), "string"), "unpriced": "boolean",
    **dict.fromkeys(BASES, schema.MONEY),
}  # fmt: skip


def test_only_the_fee_that_a_block_took_gives_up_its_cost() -> None:
    """To the last cent, a refund apart from a charge, and nothing that merely stands beside it."""
    day, other = date(2026, 3, 1), date(2026, 3, 2)
    bought = {"attribution": "purchase", "purchase_option": "capacity_block"}
    cent, half = Decimal("0.01"), Decimal("0.5")
    told: list[tuple[Any, dict[str, Any], Any]] = [
        (3000, bought, -3000),
        (100, {**bought, "attribution": "tax"}, 0),
        (33, {**bought, "purchase_option": "committed"}, 0),
        (50, {"attribution": "direct", "purchase_option": "on_demand"}, 0),
        (777, {**bought, "date": other}, 0),
        (-400, {**bought, "date": other}, 400),
        (-7, bought, 0),
        (8, {**bought, "reservation": "cr-1", "commitment": "cb-9"}, -8),
        (9, {**bought, "commitment": "cb-2"}, -9),
        (10, {**bought, "commitment": "cb-3"}, 0),
        (half, {**bought, "instance_type": P4D}, -half),
        (-cent, {**bought, "instance_type": P4DE}, cent),
        (11, {**bought, "region": None}, -11),
    ]
    usual = {**dict.fromkeys(PLACE, "1"), "instance_type": P5, "date": day, "unpriced": False}
    charges = [usual | said | dict.fromkeys(BASES, cost) for cost, said, _ in told]
    taken = [
        {}, {}, {"date": other, "refunded": True}, {"held": "cr-1"}, {"held": "cb-2"},
        {"instance_type": P4D}, {"instance_type": P4DE, "refunded": True}, {"region": None},
    ]  # fmt: skip
    hours = {**charges[0], "unpriced": True}
    free = {**charges[5], **dict.fromkeys(BASES, 0), "list_cost": 12}  # beside a refund, and none
    made = amortised(
        table(ATTRIBUTED, *charges, hours, free),
        table({**ATTRIBUTED, "spread": schema.MONEY}, {**hours, "unpriced": False, "spread": 5}),
        table(
            schema.BESIDE["block_fees"],
            *({**usual, "block": str(n), "refunded": False, **one} for n, one in enumerate(taken)),
        ),
    )
    found = rows(made, "billed_cost", "spread", "effective_cost", "list_cost", "contracted_cost")
    kept = [(cost, spread, *[0 if spread else cost] * 3) for cost, _, spread in told]
    assert sorted(found) == sorted([*kept, (3000, 5, 3000, 3000, 3000), (0, 0, 0, 12, 0)])


def by_the_hour(world: World, run: str, first: str, half_hours: int, **more: object) -> None:
    """AWS' lines of a machine: an hour each, the first and the last perhaps half used."""
    at = datetime.fromisoformat(first)
    end = at + timedelta(minutes=30 * half_hours)
    while at < end:
        hour = at.replace(minute=0)
        until = min(end, hour + timedelta(hours=1))
        amount = (until - at) / timedelta(hours=1)
        free = {"ListCost": 0, "ContractedCost": 0, **more}
        tags = {"workload": "atlas-7b", "run": run}
        world.hours(hour.isoformat(), amount, P5, 0, tags, **free)
        at = until


def test_blocks_that_change_within_a_day_are_paid_by_the_hour(world: World) -> None:
    """$100 an hour until 11:30 and $200 from then on, for one machine; half of g2's is idle."""
    blocks = [block(P5, 1, "2026-03-02", "2026-03-03", 2400)]
    blocks += [block(P5, 1, "2026-03-03", "2026-03-04", 4800)]
    for region, suffix, named in ((EAST, "", False), (WEST, "w", True)):
        for number, amount in enumerate((2400, 4800)):
            fee(world, f"2026-03-0{2 + number}", amount, P5, RegionId=region)
            run = f"g{1 + number}{suffix}"
            held = {"CapacityReservationId": f"cr-{number}"} if named else {}
            first = f"2026-03-0{2 + number}T11:30:00"
            by_the_hour(world, run, first, (48, 25)[number], RegionId=region, **held)
    # a day's hours in one line say nothing of the hour: 24 at (11.5 × 100 + 12.5 × 200) ÷ 24
    whole = {"RegionId": "eu-west-1", "ChargePeriodEnd": "2026-03-04T00:00:00"}
    fee(world, "2026-03-02", 7200, P5, RegionId="eu-west-1")
    used(world, "2026-03-03", "24", P5, "day", **whole)
    # two machines, each in a block of its own, and then both in one
    south, halves = "ap-south-1", (2400, 2400, 9600)
    for day, amount in zip((2, 2, 3), halves, strict=True):
        fee(world, f"2026-03-0{day}", amount, P5, RegionId=south)
    for number, count in enumerate((48, 25)):
        for _ in range(2):
            by_the_hour(
                world, f"g{1 + number}s", f"2026-03-0{2 + number}T11:30:00", count, RegionId=south
            )
    world.charge("2026-04-29T00:00:00", 21, x_UsageType="Requests-Tier1")
    there = [{**each, "region": region} for region in (EAST, WEST, "eu-west-1") for each in blocks]
    both = block(P5, 2, "2026-03-03", "2026-03-04", 9600)
    there += [{**each, "region": south} for each in (blocks[0], blocks[0], both)]
    world.config["sources"] = [{"kind": "focus", "location": "bill.csv"}]
    settings = world.pulled(as_of="2026-04-30", capacity_blocks=there)
    marts = some_marts(settings, "runs", "spend_daily")
    costs = {row["run"]: row["cost"] for row in marts.rows("SELECT run, cost FROM runs")}
    assert costs == {
        "g1": 2400, "g2": 2500, "g1w": 2400, "g2w": 2500, "day": 3650,
        "g1s": 4800, "g2s": 5000,
    }  # fmt: skip
    idle = marts.rows(
        "SELECT region, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE attribution = 'idle_commitment' GROUP BY region ORDER BY region"
    )
    assert [row["cost"] for row in idle] == [4600, 3550, 2300, 2300]
    hours = marts.row("SELECT sum(instance_hours) AS h FROM spend_daily WHERE run = 'g2'")
    assert hours == {"h": Decimal("12.5")}


def test_a_run_that_goes_on_when_blocks_change_uses_both_in_that_hour(world: World) -> None:
    """From 11:30 on one machine is three, or three are one: a quarter of the hour is the one's.

    A machine costs $100 an hour before and $200 from then on.
    """
    changes, blocks = ((EAST, 1, 3), (WEST, 3, 1)), []
    for region, before, after in changes:
        for day, machines, rate in ((2, before, 100), (3, after, 200)):
            start, end, paid = f"2026-03-0{day}", f"2026-03-0{day + 1}", machines * 24 * rate
            fee(world, start, paid, P5, RegionId=region)
            blocks.append({**block(P5, machines, start, end, paid), "region": region})
        by_the_hour(world, region, "2026-03-02T11:30:00", 73, RegionId=region)
    world.charge("2026-04-29T00:00:00", 21, x_UsageType="Requests-Tier1")
    world.config["sources"] = [{"kind": "focus", "location": "bill.csv"}]
    settings = world.pulled(as_of="2026-04-30", capacity_blocks=blocks)
    marts = some_marts(settings, "runs", "spend_daily")
    costs = {row["run"]: row["cost"] for row in marts.rows("SELECT run, cost FROM runs")}
    assert costs == {
        EAST: 100 * Decimal("23.75") + 200 * Decimal("12.75"),
        WEST: 100 * Decimal("24.25") + 200 * Decimal("12.25"),
    }
