"""Which fee on the bill pays for which Capacity Block (METHOD §2.7).

A fee row names no hours and often no block, and AWS dates it at purchase or at the block's start.
The amount is always the bill's own. A block of the config is found by its fee; one that only EC2
told of, by its id or by its dates. Matched greedily, best pair first, in plain Python: there are a
handful of blocks. A fee that no block can take stays a plain purchase; a block without its fee has
no cost yet: unknown, never the config's figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from models.marts.cost.capacity_blocks.known_blocks import Block

PURCHASED_BEFORE = timedelta(days=63)
"""AWS sells a block at most eight weeks ahead; a week more for the bill's own delay."""
SETTLES = timedelta(days=1)
"""A fee is charged within twelve hours of the purchase, perhaps after midnight."""
NINE = Decimal("1e-9")
AT_ONCE = 6
"""Blocks that one row of the bill may pay for together: bought on the same day."""
ID = re.compile(r"\bc[rb]-\w")
"""A reservation's id, or a block's."""
Due = Callable[[Block], date | None]
WAYS: tuple[Due, ...] = (lambda block: block.bought, lambda block: block.start.date())
"""The days on which AWS may date a fee."""


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
class Payable:
    """A block, and what the bill has said about it so far."""

    block: Block
    shares: list[Share] = field(default_factory=list)

    @property
    def billed(self) -> Decimal:
        """Dollars, net of refunds."""
        return sum((share.part for share in self.shares), Decimal(0))

    @property
    def asked(self) -> Decimal:
        """The config's fee."""
        return self.block.fee or Decimal(0)

    def named_by(self, fee: Fee) -> bool:
        """Whether the fee carries this block's reservation, or its purchase."""
        names = (self.block.reservation, self.block.purchase)
        return any(name and fee.held and name in fee.held for name in names)

    def names(self, fee: Fee) -> bool:
        """Whether that is enough: what EC2 said of a fee is its very amount."""
        return not self.block.exact and self.named_by(fee)

    def may_take(self, fee: Fee) -> bool:
        """Type, account, region and reservation agree, and the date can be this block's."""
        block = self.block
        known = self.shares[0].fee if self.shares else fee
        due = block.start.date() - PURCHASED_BEFORE <= fee.date
        return (
            block.instance_type == fee.instance_type
            and block.account in (None, fee.account)
            and (block.region in (None, fee.region) or fee.region is None)
            and (known.account, known.region) == (fee.account, fee.region)
            and not self._of_another(fee)
            and due
            and (fee.refunded or fee.date <= block.end.date())
        )

    def _of_another(self, fee: Fee) -> bool:
        """Whether the fee names a reservation, and not this one."""
        if not (fee.held and self.block.reservation) or self.named_by(fee):
            return False
        return self.block.fee is not None or bool(ID.search(fee.held))

    def takes(self, fee: Fee, part: Decimal) -> None:
        """Notes what the fee pays for this block."""
        self.shares.append(Share(self.block.name, fee, part))


def shares(blocks: Iterable[Block], fees: Iterable[Fee]) -> list[Share]:
    """Every fee's parts, block by block; fees that belong to none are absent."""
    every = [Payable(block) for block in blocks]
    configured = [each for each in every if each.block.fee is not None]
    told = [each for each in every if each.block.fee is None]
    found = sorted(fees, key=lambda fee: (fee.date, str(fee)))
    left = _paired(configured, [fee for fee in found if not fee.refunded])
    left = _named(told, _together(configured, left))
    left = _dated(told, left)
    for fee in left:
        _pay([each for each in configured if not each.block.exact], fee)
    for fee in found:
        if fee.refunded:
            _refund(every, fee)
    return [share for each in every for share in each.shares]


def _named(told: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Fees that carry the id of blocks are theirs. Returns the others."""
    left = []
    for fee in charges:
        mine = [each for each in told if each.named_by(fee) and each.may_take(fee)]
        _pool(mine, fee)
        left += [] if mine else [fee]
    return left


def _paired(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Gives each block the one fee that is surely its own; returns the fees that are left."""
    pairs = [
        ((fee.billed != each.asked, *_distance(each, fee)), number, each, fee)
        for number, fee in enumerate(charges)
        for each in blocks
        if each.may_take(fee) and (each.names(fee) or fee.billed == each.asked)
    ]
    taken: set[int] = set()
    for _, number, each, fee in sorted(pairs, key=lambda pair: pair[:2]):
        if not each.shares and number not in taken:
            each.takes(fee, fee.billed)
            taken.add(number)
    return [fee for number, fee in enumerate(charges) if number not in taken]


def _together(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Rows that are exactly the fees of several blocks bought at once. Returns the others."""
    left = []
    for fee in charges:
        unpaid = [each for each in blocks if not each.shares and each.may_take(fee)]
        some = _adding_up(unpaid, fee.billed)
        for each in some:
            each.takes(fee, each.asked)
        left += [] if some else [fee]
    return left


def _dated(told: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """AWS dates fees at purchase or at start: first the way in which more of them find a block."""
    alike: dict[tuple[str | None, ...], list[Fee]] = {}
    for fee in charges:
        alike.setdefault((fee.account, fee.region, fee.instance_type), []).append(fee)
    left = list(charges)
    for fees in alike.values():
        for due in sorted(WAYS, key=lambda due: -sum(bool(_due(told, f, due)) for f in fees)):
            for fee in fees:
                mine = _due(told, fee, due) if fee in left else []
                _pool(mine, fee)
                left = [each for each in left if not mine or each != fee]
    return left


def _due(told: Iterable[Payable], fee: Fee, due: Due) -> list[Payable]:
    """The unpaid blocks that were due on the fee's day, else the day before."""
    days: dict[timedelta, list[Payable]] = {}
    for each in told:
        day = due(each.block)
        if day and not each.shares and each.may_take(fee):
            days.setdefault(fee.date - day, []).append(each)
    late = min((late for late in days if timedelta(0) <= late <= SETTLES), default=None)
    return days[late] if late is not None else []


def _pool(mine: Sequence[Payable], fee: Fee) -> None:
    """One fee for all their hours alike; what rounding leaves goes to the largest."""
    hours = sum((each.block.hours for each in mine), Decimal(0))
    parts = [(fee.billed * each.block.hours / hours).quantize(NINE) for each in mine]
    largest = max(range(len(mine)), key=lambda number: mine[number].block.hours, default=0)
    for number, (each, part) in enumerate(zip(mine, parts, strict=True)):
        rest = fee.billed - sum(parts) if number == largest else Decimal(0)
        each.takes(fee, part + rest)


def _pay(blocks: Sequence[Payable], fee: Fee) -> None:
    """A row for the nearest unpaid block, or a part of a fee."""
    unpaid = [each for each in blocks if not each.shares and each.may_take(fee)]
    short = [e for e in blocks if e.may_take(fee) and e.billed + fee.billed <= e.asked]
    for each in sorted(unpaid or short, key=lambda each: _distance(each, fee))[:1]:
        each.takes(fee, fee.billed)


def _refund(blocks: Sequence[Payable], fee: Fee) -> None:
    """A block gives back at most what it cost; a full refund first looks for its whole fee.

    What no block can give back alone, those give back together whose fee was one row.
    """
    paid = [each for each in blocks if each.shares and each.may_take(fee)]
    order = sorted(
        (each for each in paid if each.billed + fee.billed >= 0),
        key=lambda e: (not e.named_by(fee), e.billed + fee.billed != 0, _distance(e, fee)),
    )
    for each in order[:1]:
        each.takes(fee, fee.billed)
    if not order:
        _pool(_one_row(paid, -fee.billed), fee)


def _one_row(paid: Sequence[Payable], amount: Decimal) -> list[Payable]:
    """The blocks that one row paid for and that can give the amount back."""
    rows: dict[Fee, list[Payable]] = {}
    for each in paid:
        rows.setdefault(each.shares[0].fee, []).append(each)
    able = (some for some in rows.values() if sum(each.billed for each in some) >= amount)
    return next(able, [])


def _adding_up(blocks: Sequence[Payable], amount: Decimal) -> tuple[Payable, ...]:
    """The fewest blocks whose fees add up to the amount exactly; none if there are none."""
    sizes = range(2, min(len(blocks), AT_ONCE) + 1)
    groups = (some for size in sizes for some in combinations(blocks, size))
    return next((some for some in groups if sum(each.asked for each in some) == amount), ())


def _distance(each: Payable, fee: Fee) -> tuple[bool, bool, int, str]:
    """By reservation, by the day of the start, by days between, by name."""
    away = abs((each.block.start.date() - fee.date).days)
    return (not each.named_by(fee), away > 0, away, each.block.name)
