"""Which fee on the bill pays for which Capacity Block of the config (METHOD §2.7).

A fee row names no hours and often no block, and AWS dates it at purchase or at the block's start.
The config's fee identifies the row; the amount is always the bill's own. Matched greedily, best
pair first, in plain Python: there are a handful of blocks. A fee that no block can take stays a
plain purchase; a block without its fee has no cost yet: unknown, never the config's figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

PURCHASED_BEFORE = timedelta(days=63)
"""AWS sells a block at most eight weeks ahead; a week more for the bill's own delay."""
NINE = Decimal("1e-9")
AT_ONCE = 6
"""Blocks that one row of the bill may pay for together: bought on the same day."""


class Fee(NamedTuple):
    """A day's fees, or refunds of fees, of one instance type, account and region; dollars."""

    billing_account: str | None
    account: str | None
    region: str | None
    instance_type: str
    held: str | None
    date: date
    refunded: bool
    billed: Decimal
    listed: Decimal | None
    contracted: Decimal | None


class Share(NamedTuple):
    """What of a fee is one block's."""

    block: str
    fee: Fee
    part: Decimal
    """Of the fee's billed amount, in dollars."""

    def of(self, whole: Decimal | None) -> Decimal | None:
        """The same part of another of the fee's amounts, to nine places."""
        if whole is None or self.part == self.fee.billed:
            return whole
        return (whole * self.part / self.fee.billed).quantize(NINE)


@dataclass
class Block:
    """A block of the config, and what the bill has said about it so far."""

    name: str
    instance_type: str
    start: datetime
    end: datetime
    fee: Decimal
    region: str | None = None
    account: str | None = None
    reservation: str | None = None
    shares: list[Share] = field(default_factory=list)

    @property
    def billed(self) -> Decimal:
        """Dollars, net of refunds."""
        return sum((share.part for share in self.shares), Decimal(0))

    def named_by(self, fee: Fee) -> bool:
        """Whether the fee carries this block's reservation."""
        return bool(self.reservation and fee.held and self.reservation in fee.held)

    def may_take(self, fee: Fee) -> bool:
        """Type, account, region and reservation agree, and the date can be this block's."""
        known = self.shares[0].fee if self.shares else fee
        reserved = not (self.reservation and fee.held) or self.named_by(fee)
        due = self.start.date() - PURCHASED_BEFORE <= fee.date
        return (
            self.instance_type == fee.instance_type
            and self.account in (None, fee.account)
            and (self.region in (None, fee.region) or fee.region is None)
            and (known.account, known.region) == (fee.account, fee.region)
            and reserved
            and due
            and (fee.refunded or fee.date <= self.end.date())
        )

    def takes(self, fee: Fee, part: Decimal) -> None:
        """Notes what the fee pays for this block."""
        self.shares.append(Share(self.name, fee, part))


def shares(blocks: Sequence[Block], fees: Iterable[Fee]) -> list[Share]:
    """Every fee's parts, block by block; fees that belong to none are absent."""
    found = sorted(fees, key=lambda fee: (fee.date, str(fee)))
    charges = [fee for fee in found if not fee.refunded]
    left = _paired(blocks, charges)
    for fee in left:
        _pay(blocks, fee)
    for fee in found:
        if fee.refunded:
            _refund(blocks, fee)
    return [share for block in blocks for share in block.shares]


def _paired(blocks: Sequence[Block], charges: Sequence[Fee]) -> list[Fee]:
    """Gives each block the one fee that is surely its own; returns the fees that are left."""
    pairs = [
        (_distance(block, fee), number, block, fee)
        for number, fee in enumerate(charges)
        for block in blocks
        if block.may_take(fee) and (block.named_by(fee) or fee.billed == block.fee)
    ]
    taken: set[int] = set()
    for _, number, block, fee in sorted(pairs, key=lambda pair: pair[:2]):
        if not block.shares and number not in taken:
            block.takes(fee, fee.billed)
            taken.add(number)
    return [fee for number, fee in enumerate(charges) if number not in taken]


def _pay(blocks: Sequence[Block], fee: Fee) -> None:
    """A row for several blocks bought at once, for the nearest unpaid one, or a part of a fee."""
    unpaid = [block for block in blocks if not block.shares and block.may_take(fee)]
    together = _adding_up(unpaid, fee.billed)
    if together:
        for block in together:
            block.takes(fee, block.fee)
    elif unpaid:
        min(unpaid, key=lambda block: _distance(block, fee)).takes(fee, fee.billed)
    else:
        short = [b for b in blocks if b.may_take(fee) and b.billed + fee.billed <= b.fee]
        for block in sorted(short, key=lambda block: _distance(block, fee))[:1]:
            block.takes(fee, fee.billed)


def _refund(blocks: Sequence[Block], fee: Fee) -> None:
    """A block gives back at most what it cost; a full refund first looks for its whole fee."""
    paid = [b for b in blocks if b.shares and b.may_take(fee) and b.billed + fee.billed >= 0]
    order = sorted(
        paid,
        key=lambda b: (not b.named_by(fee), b.billed + fee.billed != 0, _distance(b, fee)),
    )
    for block in order[:1]:
        block.takes(fee, fee.billed)


def _adding_up(blocks: Sequence[Block], amount: Decimal) -> tuple[Block, ...]:
    """The fewest blocks whose fees add up to the amount exactly; none if there are none."""
    sizes = range(2, min(len(blocks), AT_ONCE) + 1)
    groups = (some for size in sizes for some in combinations(blocks, size))
    return next((some for some in groups if sum(b.fee for b in some) == amount), ())


def _distance(block: Block, fee: Fee) -> tuple[bool, bool, int, str]:
    """By reservation, by the day of the start, by days between, by name."""
    away = abs((block.start.date() - fee.date).days)
    return (not block.named_by(fee), away > 0, away, block.name)
