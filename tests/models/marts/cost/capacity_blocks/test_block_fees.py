"""METHOD §2.7: which Capacity Block a fee or a refund is of, and what part of it."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from models.marts.cost.capacity_blocks.block_fees import Fee, shares
from models.marts.cost.capacity_blocks.known_blocks import Block


def block(name: str, day: int, fee: int) -> Block:
    start, end = datetime(2026, 3, day), datetime(2026, 3, day + 1)  # noqa: DTZ001 - UTC
    return Block(
        name=name, instance_type="p5.48xlarge", instances=1, start=start, end=end, fee=Decimal(fee)
    )


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
