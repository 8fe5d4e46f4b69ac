"""What is paid for before it is used: Capacity Blocks, and a GPU plan that the move leaves idle."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from tests.support.simulator.company import P4D, P5, TRN1, Block, Charge, Company, dollars

GPU_PLAN = "arn:aws:savingsplans::999900000001:savingsplan/two"
MOVED = date(2025, 10, 1)
"""The first day of a month, as the plan's own: METHOD's months before and after are whole."""
NIL = Decimal(0)
HALF_PAST = time(11, 30)
"""Blocks start and end then."""


def blocks(luck: random.Random) -> Iterator[Block]:
    """Both over a month end and longer than their runs; one paid weeks before, one at its start."""
    for name, machine, instances, day, ahead, low in (
        ("eight", P5, 2, date(2025, 3, 30), 20, 30),
        ("four", TRN1, 1, date(2025, 10, 30), 0, 9),
    ):
        start = datetime.combine(day, HALF_PAST)
        rate = Decimal(luck.randrange(low * 100, low * 120)) / 100
        paid = day - timedelta(days=ahead)
        yield Block(name, machine, instances, start, start + timedelta(days=4), rate, paid)


def commits(company: Company, luck: random.Random) -> None:
    """Adds the blocks' fees and what nobody used of them; then the plan's idle hours."""
    for block in company.blocks.values():
        fee = Charge(block.paid, "purchase", NIL, block.fee, NIL, machine=block.machine)
        company.charges.append(fee)
        company.charges.extend(_unused(company, block))
    company.charges.extend(_idle(luck))


def _unused(company: Company, block: Block) -> Iterator[Charge]:
    for day, hours in block.days():
        used = (c.hours for c in company.charges if (c.commitment, c.day) == (block.name, day))
        left = hours - sum(used, NIL)
        cost = dollars(left * block.rate)
        if left:
            yield Charge(
                day, "idle_commitment", cost, NIL, cost,
                component="accelerator", machine=block.machine, option="capacity_block",
                hours=left, commitment=block.name,
            )  # fmt: skip


def _idle(luck: random.Random) -> Iterator[Charge]:
    """Every month of 2025 a little, to its last day; after the move more."""
    for month in range(1, 13):
        for day in (1, 9, 31 if month == 12 else 23):
            on = date(2025, month, day)
            amount = luck.uniform(20, 40) if on >= MOVED else luck.uniform(2, 9)
            yield Charge(
                on, "idle_commitment", dollars(str(round(amount, 7))), NIL, NIL,
                component="accelerator", machine=P4D, option="committed", commitment=GPU_PLAN,
            )  # fmt: skip


def configured(block: Block) -> dict[str, Any]:
    """The block as a reader of the bill must tell of it."""
    return {
        "instance_type": block.machine,
        "instances": block.instances,
        "start": block.start.replace(tzinfo=UTC),
        "end": block.end.replace(tzinfo=UTC),
        "fee": block.fee,
    }
