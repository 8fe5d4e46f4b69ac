"""METHOD §2.7: which Capacity Block a fee or a refund is of, and what part of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from models.marts.cost.capacity_blocks.billed_fees import Fee
from models.marts.cost.capacity_blocks.block_fees import shares
from models.marts.cost.capacity_blocks.known_blocks import Block


def block(name: str, day: int, fee: int) -> Block:
    start, end = datetime(2026, 3, day), datetime(2026, 3, day + 1)  # noqa: DTZ001 - UTC
    return Block(
        name=name, instance_type="p5.48xlarge", instances=1, start=start, end=end, fee=Decimal(fee)
    )


def reported(name: str, bought: int, start: int, days: int = 1) -> Block:
    """A block that only EC2 knows: without a fee, with the day on which it was bought."""
    plain = block(name, start, 0)
    end = plain.start + timedelta(days=days)
    return replace(plain, fee=None, bought=date(2026, 3, bought), end=end)


def parts(blocks: list[Block], fees: list[Fee]) -> list[tuple[str, int, Decimal]]:
    """Of each share the block, the day of its fee, and the dollars."""
    found = shares(blocks, fees)
    return sorted((share.block, share.fee.date.day, share.part) for share in found)


def charged(day: int, amount: int) -> Fee:
    billed = Decimal(amount)
    return Fee(
        billing_account="1",
        account="1",
        region="us-east-1",
        instance_type="p5.48xlarge",
        held=None,
        date=date(2026, 3, day),
        refunded=amount < 0,
        billed=billed,
        listed=billed,
        contracted=billed,
    )


def test_a_refund_is_of_the_block_that_cost_as_much_before_it_is_of_the_nearest() -> None:
    blocks = [block("dear", 10, 500), block("cheap", 2, 300)]
    found = shares(blocks, [charged(10, 500), charged(2, 300), charged(11, -300)])
    assert [(share.block, share.part) for share in found if share.part < 0] == [("cheap", -300)]


def test_a_bill_without_accounts_pays_for_blocks_of_all_that_have_no_bill_of_their_own() -> None:
    owned = [replace(block(owner, 2, 300), account=owner) for owner in ("2", "3")]
    fee = charged(2, 300)
    assert parts(owned, [fee]) == []
    assert parts(owned, [fee._replace(own_bills=frozenset("12"))]) == [("3", 2, 300)]
    assert parts(owned, [fee._replace(account="2")]) == [("2", 2, 300)]


def test_a_fee_pays_for_a_block_of_its_local_zone_or_where_it_names_the_region_alone() -> None:
    """An export names the zone, the usage type in Cost Explorer the region."""
    blocks = [replace(block("zone", 2, 300), region="us-east-1-atl-2")]
    for region in ("us-east-1-atl-2", "us-east-1", None):
        assert parts(blocks, [charged(2, 300)._replace(region=region)]) == [("zone", 2, 300)]
    for region in ("us-east-1-mia-1", "us-east-2"):
        assert parts(blocks, [charged(2, 300)._replace(region=region)]) == []


def test_a_refund_of_no_blocks_amount_is_of_the_nearest() -> None:
    blocks = [block("dear", 10, 500), block("cheap", 2, 300)]
    found = shares(blocks, [charged(10, 500), charged(2, 300), charged(11, -200)])
    assert [(share.block, share.part) for share in found if share.part < 0] == [("dear", -200)]


def test_parts_of_a_refund_of_several_blocks_are_the_refund_to_the_last_place() -> None:
    """One row paid for all three; a third of $100 has no end."""
    blocks = [block(name, 2, 100) for name in ("a", "b", "c")]
    found = shares(blocks, [charged(2, 300), charged(11, -200)])
    parts = [share.part for share in found if share.part < 0]
    assert len(parts) == 3
    assert sum(parts) == -200


@pytest.mark.parametrize("day", range(4, 14))
def test_a_fee_without_an_id_is_of_a_block_bought_or_begun_that_day_or_the_day_before(
    day: int,
) -> None:
    found = parts([reported("a", 5, 10, days=5)], [charged(day, 100)])
    assert found == ([("a", day, 100)] if day in (5, 6, 10, 11) else [])


def test_a_block_of_the_day_itself_comes_before_one_of_the_day_before() -> None:
    blocks = [reported("a", 5, 20), reported("b", 6, 25)]
    assert parts(blocks, [charged(6, 100)]) == [("b", 6, 100)]


def test_of_purchase_and_start_the_date_counts_that_finds_blocks_for_more_fees() -> None:
    """Both times one fee's day is that on which `a` starts and `b` was bought."""
    blocks = [reported("a", 5, 20), reported("b", 20, 25)]
    bought, begun = [charged(5, 100), charged(20, 300)], [charged(20, 100), charged(25, 300)]
    assert parts(blocks, bought) == [("a", 5, 100), ("b", 20, 300)]
    assert parts(blocks, begun) == [("a", 20, 100), ("b", 25, 300)]


@pytest.mark.parametrize("place", ["account", "region", "instance_type"])
def test_which_date_counts_is_decided_for_each_place_alone(place: str) -> None:
    """Where three fees are dated at purchase, they say nothing of a place that dates by start."""
    of_fee = {place: "p5e.48xlarge" if place == "instance_type" else "2"}
    mine = [reported("a", 5, 20), reported("b", 20, 25)]
    theirs = [replace(b, **of_fee) for b in (reported("c", 1, 11), reported("d", 2, 12),
                                             reported("e", 3, 13))]  # fmt: skip
    at_purchase = [charged(day, 50)._replace(**of_fee) for day in (1, 2, 3)]
    found = parts(mine + theirs, [charged(20, 100), charged(25, 300), *at_purchase])
    assert found[:2] == [("a", 20, 100), ("b", 25, 300)]
    assert [(name, day) for name, day, _ in found[2:]] == [("c", 1), ("d", 2), ("e", 3)]


def test_a_fee_of_several_blocks_is_divided_by_their_hours() -> None:
    """24 and 72 instance-hours; of $100 for three equal blocks the first bears what is over."""
    blocks = [reported("a", 5, 10), reported("b", 5, 12, days=3)]
    assert parts(blocks, [charged(5, 960)]) == [("a", 5, 240), ("b", 5, 720)]
    three = [reported(name, 5, 10) for name in ("a", "b", "c")]
    each = Decimal("33.333333333")
    over = each + Decimal("1e-9")
    assert parts(three, [charged(5, 100)]) == [("a", 5, over), ("b", 5, each), ("c", 5, each)]


def test_a_block_is_paid_by_date_once() -> None:
    found = parts([reported("a", 5, 10)], [charged(5, 100), charged(6, 200), charged(10, 300)])
    assert found == [("a", 5, 100)]
