"""METHOD §2.7: which Capacity Blocks are known, from the config and from EC2."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import ibis.expr.types as ir
import pytest

from models.config.settings import CapacityBlock
from models.contract.errors import ConfigError
from models.contract.schema import CAPACITY
from models.marts.cost.capacity_blocks.known_blocks import (
    EXTENSIONS,
    RESERVATIONS,
    Block,
    blocks_from_ec2,
    known_blocks,
)
from tests.support.marts.hand_written_tables import table

START, END = datetime(2026, 3, 1, 11, 30, tzinfo=UTC), datetime(2026, 3, 2, 11, 30, tzinfo=UTC)
NAME = "p5.48xlarge 2026-03-01T11:30Z"


def entry(fee: int) -> CapacityBlock:
    return CapacityBlock(
        instance_type="p5.48xlarge", instances=2, start=START, end=END, fee=Decimal(fee)
    )


def of_ec2(reservation: str) -> Block:
    return Block(
        name=reservation,
        instance_type="p5.48xlarge",
        instances=2,
        start=START.replace(tzinfo=None),
        end=END.replace(tzinfo=None),
        fee=None,
        reservation=reservation,
    )


def test_blocks_of_one_type_and_start_are_numbered() -> None:
    named = [block.name for block in known_blocks([entry(1), entry(2), entry(3)], [])]
    assert named == [NAME, f"{NAME} #2", f"{NAME} #3"]


def test_entries_that_fit_several_blocks_of_ec2_take_them_in_their_order() -> None:
    found = known_blocks([entry(100), entry(200)], [of_ec2("cr-1"), of_ec2("cr-2"), of_ec2("cr-3")])
    assert [(block.reservation, block.fee) for block in found] == [
        ("cr-1", Decimal(100)),
        ("cr-2", Decimal(200)),
        ("cr-3", None),
    ]


def told(reservation: str, until: datetime | None = None, created: bool = True) -> tuple[Any, ...]:
    """What EC2 says of a block of two instances; `until`: where it ends since it was extended."""
    begin, end = (at.replace(tzinfo=None) for at in (START, END))
    bought = begin - timedelta(days=9) if created else None
    return (reservation, f"cb{reservation[2:]}", "1", "us-east-1", "p5.48xlarge", 2,
            begin, until or end, bought, until or end)  # fmt: skip


def test_an_extension_is_a_block_of_its_own_with_its_own_hours_fee_and_purchase() -> None:
    first, second, third = (END.replace(tzinfo=None) + timedelta(days=n) for n in (0, 1, 3))
    bought = first - timedelta(hours=30)
    found = blocks_from_ec2(
        [told("cr-1"), told("cr-2", third)],
        [
            ("cr-2", first, second, Decimal(600), bought),
            ("cr-2", second, third, Decimal(900), first),
            ("cr-9", first, second, Decimal(5), first),
        ],
    )
    shown = [(b.name, b.reservation, b.end, b.hours, b.fee, b.bought, b.exact) for b in found]
    purchased = date(2026, 2, 20)
    assert shown == [
        ("cr-1", "cr-1", first, 48, None, purchased, False),
        ("cr-2", "cr-2", first, 48, None, purchased, False),
        ("cr-2 +1", "cr-2", second, 48, 600, date(2026, 3, 1), True),
        ("cr-2 +2", "cr-2", third, 96, 900, date(2026, 3, 2), True),
    ]


def test_a_block_of_which_ec2_does_not_say_when_it_was_bought_has_no_such_day() -> None:
    (block,) = blocks_from_ec2([told("cr-1", created=False)], [])
    assert block.bought is None


def test_a_block_extended_at_a_fee_that_nobody_knows_is_left_out() -> None:
    longer = (*told("cr-1", END.replace(tzinfo=None) + timedelta(days=1))[:-1], END)
    assert blocks_from_ec2([longer], []) == []


def test_a_row_of_known_blocks_names_the_block_and_all_that_is_known_of_it() -> None:
    (block,) = blocks_from_ec2([told("cr-1")], [])
    assert block.row() == {
        "block": "cr-1", "instance_type": "p5.48xlarge", "instances": 2, "fee": None,
        "start": START.replace(tzinfo=None), "end": END.replace(tzinfo=None),
        "region": "us-east-1", "account": "1", "reservation": "cr-1", "purchase": "cb-1",
        "bought": date(2026, 2, 20), "exact": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        {"instance_type": "p5e.48xlarge"},
        {"region": "us-west-2"},
        {"account": "2"},
        {"start": datetime(2026, 3, 2, 11, 30), "end": datetime(2026, 3, 3, 11, 30)},  # noqa: DTZ001 - UTC
        {"start": datetime(2026, 2, 28, 11, 30), "end": datetime(2026, 3, 1, 11, 30)},  # noqa: DTZ001 - UTC
    ],
)
def test_a_block_of_another_type_place_or_time_is_another_one(other: dict[str, Any]) -> None:
    """One that begins when the entry's ends, or ends when it begins, is no hour of it."""
    mine = entry(100).model_copy(update={"region": "us-east-1", "account": "1"})
    theirs = replace(of_ec2("cr-1"), **{"region": "us-east-1", "account": "1", **other})
    assert [block.name for block in known_blocks([mine], [theirs])] == [NAME, "cr-1"]


@pytest.mark.parametrize("name", ["cr-1", "cb-1"])
def test_an_entry_means_the_block_whose_reservation_or_purchase_it_names(name: str) -> None:
    mine = entry(100).model_copy(update={"reservation": name})
    blocks = [of_ec2("cr-0"), replace(of_ec2("cr-1"), purchase="cb-1")]
    found = known_blocks([mine], blocks)
    assert [(block.name, block.reservation) for block in found] == [(name, "cr-1"), ("cr-0",) * 2]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"instances": 3}, "instances = 2, EC2: 3"),
        ({"end": datetime(2026, 3, 4, 11, 30)}, "end = 2026-03-02T11:30Z, EC2: 2026-03-04T11:30Z"),  # noqa: DTZ001 - UTC
    ],
)
def test_an_entry_that_fits_no_block_is_refused_with_the_first_that_it_may_mean(
    said: dict[str, Any], words: str
) -> None:
    wrong = replace(of_ec2("cr-1"), **said)
    with pytest.raises(ConfigError) as refused:
        known_blocks([entry(100)], [wrong, replace(wrong, name="cr-2", instances=9)])
    assert f"differs from what EC2 says about cr-1: {words}" in str(refused.value)


def answers(*rows: dict[str, Any]) -> ir.Table:
    """What EC2 said of a block of two instances, an answer a row, `at` days after its start."""
    begin, end = (at.replace(tzinfo=None) for at in (START, END))
    usual = {
        "kind": "reservation", "reservation_type": "capacity-block", "owner": "1",
        "region": "us-east-1", "instance_type": "p5.48xlarge", "instances": 2, "state": "active",
        "start": begin, "end": end, "created": begin - timedelta(days=9),
    }  # fmt: skip
    days = [{**row, "said_at": begin + timedelta(days=row["at"])} for row in rows]
    return table(CAPACITY, *(usual | row for row in days))


def asked(sql: str, capacity: ir.Table) -> list[tuple[Any, ...]]:
    with duckdb.connect() as con:
        con.register("capacity", capacity.to_pyarrow())
        return con.execute(sql).fetchall()


def test_of_several_answers_the_newest_counts_with_the_most_instances_and_the_first_end() -> None:
    end = END.replace(tzinfo=None)
    longer = end + timedelta(days=2)
    ended, failed = {"instances": 0, "state": "expired"}, {"state": "payment-failed"}
    found = asked(
        RESERVATIONS,
        answers(
            {"reservation": "cr-1", "at": 5, "end": longer, **ended},
            {"reservation": "cr-1", "at": 1},
            {"reservation": "cr-1", "at": 3, "end": longer, "instances": 1},
            {"reservation": "cr-2", "at": 1},
            {"reservation": "cr-2", "at": 2, **failed},
            {"reservation": "cr-3", "at": 1, **failed},
            {"reservation": "cr-3", "at": 2},
            {"reservation": "cr-4", "at": 1, "instances": 0},
            {"reservation": "cr-5", "at": 1, "reservation_type": "default"},
            {"reservation": "cr-6", "at": 1, "end": None},
            {"kind": "block", "block": "cb-3", "reservations": '["cr-3"]', "at": 1},
        ),
    )
    shown = [
        (reservation, purchase, instances, until, first_end)
        for reservation, purchase, _, _, _, instances, _, until, _, first_end in found
    ]
    assert shown == [("cr-1", None, 2, longer, end), ("cr-3", "cb-3", 2, end, end)]


def test_a_block_in_a_local_zone_stands_where_the_bill_has_it() -> None:
    zones = {"cr-1": "us-east-1a", "cr-2": "us-east-1-atl-2a", "cr-3": None}
    told = [{"reservation": name, "at": 1, "zone": zone} for name, zone in zones.items()]
    found = blocks_from_ec2(asked(RESERVATIONS, answers(*told)), [])
    places = {block.name: block.region for block in found}
    assert places == {"cr-1": "us-east-1", "cr-2": "us-east-1-atl-2", "cr-3": "us-east-1"}
    mine = entry(100).model_copy(update={"region": "us-east-1", "reservation": "cr-2"})
    (known, *_) = known_blocks([mine], found)
    assert (known.region, known.fee) == ("us-east-1-atl-2", Decimal(100))


def test_of_an_extension_counts_the_greatest_fee_that_was_said_unless_its_payment_failed() -> None:
    """EC2 says no fee of it at first."""
    extension = {"kind": "extension", "reservation": "cr-1"}
    bought = [START.replace(tzinfo=None) + timedelta(hours=hour) for hour in (1, 2)]
    found = asked(
        EXTENSIONS,
        answers(
            {**extension, "at": 1, "fee": Decimal(500), "created": bought[0]},
            {**extension, "at": 2, "fee": Decimal(600), "created": bought[1]},
            {**extension, "at": 3, "fee": None},
            {**extension, "at": 1, "reservation": "cr-2", "fee": 7, "state": "payment-failed"},
        ),
    )
    begin, end = (at.replace(tzinfo=None) for at in (START, END))
    assert found == [("cr-1", begin, end, 600, bought[1])]
