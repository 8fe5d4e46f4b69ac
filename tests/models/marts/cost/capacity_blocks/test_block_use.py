"""METHOD §2.7: whose hours a Capacity Block covers, by tables where a bill could not be so exact.

Two blocks of one machine in `EAST`, and hours of runs on 2 September.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.contract import schema
from models.marts.cost.capacity_blocks.block_use import block_use
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

EAST = "us-east-1"
MIDNIGHT = datetime(2025, 9, 2)  # noqa: DTZ001 - as a table has it
PLACE = ("account", "region", "instance_type", "reservation")
USED = {
    **dict.fromkeys(PLACE, "string"), "run": "string", "date": "date", "unpriced": "boolean",
    **dict.fromkeys(("used_from", "used_to"), "timestamp"),
    **dict.fromkeys(("instance_hours", "accelerator_hours"), schema.NUMBER),
    **dict.fromkeys(schema.COST_COLUMNS, schema.MONEY),
}  # fmt: skip
BLOCKS = {
    **dict.fromkeys((*PLACE, "block"), "string"), "date": "date", "instances": "int64",
    **dict.fromkeys(("start", "end"), "timestamp"), "block_hours": schema.MONEY,
}  # fmt: skip
HERE = {"account": "1", "region": EAST, "instance_type": "p5.48xlarge", "date": MIDNIGHT.date()}
Given = Mapping[str, Any]


def at(hour: float) -> datetime:
    return MIDNIGHT + timedelta(hours=hour)


def used(run: str, amount: object, hour: int | None = None, **said: object) -> Given:
    """Hours in a line of the hour, or of the day."""
    slot = {} if hour is None else {"used_from": at(hour), "used_to": at(hour + 1)}
    hours = None if amount is None else Decimal(str(amount))
    chips = None if hours is None else 8 * hours
    amounts = {"instance_hours": hours, "accelerator_hours": chips, "list_cost": 98}
    return {**HERE, "run": run, "unpriced": True, **amounts, **slot, **said}


def held(name: str, begin: float, end: float, machines: int = 1, **said: object) -> Given:
    """A block open from one hour of the day to another."""
    hours = Decimal(str(end - begin)) * machines
    slot = {"start": at(begin), "end": at(end), "instances": machines}
    return {**HERE, "block": name, "block_hours": hours, **slot, **said}


def laid(blocks: list[Given], *hours: Given) -> list[tuple[Any, ...]]:
    """Each run's hours by block."""
    made = applied(block_use, table(USED, *hours), table(BLOCKS, *blocks))
    return rows(made, "run", "block", "instance_hours", "accelerator_hours")


def test_a_block_covers_hours_of_its_own_reservation_or_of_none() -> None:
    told = [held("cb-1", 0, 24, reservation="cr-1"), held("cb-2", 0, 24, account="2")]
    hours = [used("own", 1, reservation="arn:cr-1"), used("none", 2)]
    assert laid(told, *hours, used("other", 4, reservation="arn:cr-9")) == [
        ("none", "cb-1", 2, 16),
        ("other", None, 4, 32),
        ("own", "cb-1", 1, 8),
    ]


def test_a_block_of_a_local_zone_covers_hours_there_or_of_a_bill_that_names_the_region() -> None:
    there = held("cb-1", 0, 24, region=f"{EAST}-atl-2")
    hours = [used("zone", 1, region=f"{EAST}-atl-2"), used("region", 2)]
    assert laid([there], *hours, used("other", 4, region=f"{EAST}-mia-1")) == [
        ("other", None, 4, 32),
        ("region", "cb-1", 2, 16),
        ("zone", "cb-1", 1, 8),
    ]
    other = held("cb-2", 0, 24)
    assert laid([other], used("zone", 1, region=f"{EAST}-atl-2")) == [("zone", None, 1, 8)]


def test_a_block_covers_hours_of_its_reservation_in_other_accounts() -> None:
    """Its owner shares it: the hours are billed at $0 to the account that ran them."""
    told = [held("cb-1", 0, 24, account="2", reservation="cr-1"), held("cb-2", 0, 24, account="3")]
    shared = used("shared", 3, reservation="arn:aws:ec2:us-east-1:2:capacity-reservation/cr-1")
    assert laid(told, shared, used("none", 2), used("other", 1, reservation="cr-9")) == [
        ("none", None, 2, 16),
        ("other", None, 1, 8),
        ("shared", "cb-1", 3, 24),
    ]


def test_a_block_that_names_no_region_or_reservation_covers_any() -> None:
    told = [held("cb-1", 0, 24, region=None)]
    assert laid(told, used("a", 1, reservation="cr-1"), used("b", 1, region="eu-west-1")) == [
        ("a", "cb-1", 1, 8),
        ("b", "cb-1", 1, 8),
    ]


def test_what_has_a_price_is_no_blocks() -> None:
    assert laid([held("cb-1", 0, 24)], used("a", 1, unpriced=False)) == []


def test_hours_beyond_two_blocks_stand_once_without_one() -> None:
    """25 and 25 of 48, of which half a block is each one's; a millionth of an hour is dust."""
    both = [held("cb-1", 0, 24), held("cb-2", 0, 24)]
    assert laid(both, used("a", 25), used("b", 25)) == [
        ("a", "cb-1", 12, 96),
        ("a", "cb-2", 12, 96),
        ("a", None, 1, 8),
        ("b", "cb-1", 12, 96),
        ("b", "cb-2", 12, 96),
        ("b", None, 1, 8),
    ]
    for more, beyond in (("0.000001", []), ("0.5", [("a", None, Decimal("0.5"), 4)])):
        found = laid(both[:1], used("a", 24 + Decimal(more)))
        assert found == [("a", "cb-1", 24, 192), *beyond]


def test_hours_without_a_block_keep_what_is_known_of_them() -> None:
    """Of two lines of which one tells no hours, the day's are not known."""
    assert laid([], used("a", 3, 1), used("a", 2, 2), used("b", 3, 1), used("b", None, 2)) == [
        ("a", None, 5, 40),
        ("b", None, None, None),
    ]


def test_a_block_that_is_open_alone_has_all_of_an_hour_to_the_last_place() -> None:
    """A ninth of an hour in the 18 minutes before it ends; the other one begins later."""
    ninth = Decimal("0.111111111")
    told = [held("cb-1", 0, 11.3), held("cb-2", 12, 24)]
    assert laid(told, used("a", ninth, 11)) == [("a", "cb-1", ninth, 8 * ninth)]


def test_a_block_that_is_used_up_is_its_runs_to_the_last_place() -> None:
    third, sixth = Decimal("0.333333333"), Decimal("0.166666667")
    assert laid([held("cb-1", 0, 0.5)], used("a", third), used("b", sixth)) == [
        ("a", "cb-1", third, 8 * third),
        ("b", "cb-1", sixth, 8 * sixth),
    ]


def test_more_than_the_open_block_holds_in_an_hour_is_the_days() -> None:
    """11.5 hours and 12: one second beyond the half hour in the one, or two machines."""
    told = [held("cb-1", 0, 11.5), held("cb-2", 12, 24)]
    for hours in (["0.5001"], ["0.25", "0.2501"], [1, 1]):
        lines = [used(f"{place}", amount, 11) for place, amount in enumerate(hours)]
        assert {block for _, block, *_ in laid(told, *lines)} == {"cb-1", "cb-2"}
    assert laid(told, used("a", "0.5", 11)) == [("a", "cb-1", Decimal("0.5"), 4)]


@pytest.mark.parametrize(
    ("begins", "hours", "first"),
    [
        (11.5, [11], "0.25"),  # began and ended in the hour of the change: half of it
        (11.5, [10, 11], "1.5"),  # ran only before it
        (11.5, [11, 12], "0"),  # goes on after it
        (11, [10, 11], "1"),
    ],
)
def test_the_hour_of_a_change_is_whose_the_run_came_from_or_goes_to(
    begins: float, hours: list[int], first: str
) -> None:
    told = [held("cb-1", 0, begins), held("cb-2", begins, 24)]
    lines = [used("a", "0.5" if hour == 11 and begins > 11 else 1, hour) for hour in hours]
    found = {block: amount for _, block, amount, _ in laid(told, *lines)}
    assert found.get("cb-1", 0) == Decimal(first)


@pytest.mark.parametrize("hour", [11, 10])
def test_a_block_that_changes_with_the_hour_is_open_in_all_of_it(hour: int) -> None:
    """Beside one that is open all day: half of the hour after its start, or before its end."""
    changing = held("cb-2", 11, 24) if hour == 11 else held("cb-2", 0, 11)
    found = laid([held("cb-1", 0, 24), changing], used("a", 1, 10), used("a", 1, 11))
    assert [(block, amount) for _, block, amount, _ in found] == [
        ("cb-1", Decimal("1.5")),
        ("cb-2", Decimal("0.5")),
    ]
