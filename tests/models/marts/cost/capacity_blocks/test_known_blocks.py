"""METHOD §2.7: which Capacity Blocks are known, from the config and from EC2."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from models.config.settings import CapacityBlock
from models.marts.cost.capacity_blocks.known_blocks import Block, known_blocks

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
