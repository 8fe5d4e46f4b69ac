"""Matches Capacity Block fees on the bill to the blocks that they pay for (METHOD §2.7).

A fee row names no hours and often no block, and AWS dates it at purchase or at the block's start.
The amount always comes from the bill. A block of the config is found by its fee, one that only EC2
reports by its id or its dates. The best pair is matched first, in plain Python, because there are
only a handful of blocks. A fee that matches no block stays a plain purchase. A block without a fee
has no cost yet: it is unknown, never the config's figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations

from models.marts.cost.capacity_blocks.billed_fees import NINE, Fee, Payable, Share
from models.marts.cost.capacity_blocks.known_blocks import Block

LATEST = timedelta(days=1)
"""How late a fee is dated: within twelve hours of the purchase, perhaps after midnight."""
MOST_TOGETHER = 6
"""The most blocks that one row of the bill may pay for together: bought on the same day."""
Due = Callable[[Block], date | None]
FEE_DATES: tuple[Due, ...] = (lambda block: block.bought, lambda block: block.start.date())
"""The days on which AWS may date a fee."""


def shares(blocks: Iterable[Block], fees: Iterable[Fee]) -> list[Share]:
    """Matches the bill's fees to Capacity Blocks and returns each block's part of each fee.

    It matches in this order: blocks of the config with exactly their fee, fees with the id of a
    block, fees that add up several blocks, blocks found by date, and last partial payments and
    refunds.
    """
    every = [Payable(block) for block in blocks]
    configured = [each for each in every if each.block.fee is not None]
    from_ec2 = [each for each in every if each.block.fee is None]
    found = sorted(fees, key=lambda fee: (fee.date, str(fee)))
    left = _match_by_amount(configured, [fee for fee in found if not fee.refunded])
    left = _match_by_id(from_ec2, _match_sums(configured, left))
    left = _match_by_date(from_ec2, left)
    for fee in left:
        _match_part([each for each in configured if not each.block.exact], fee)
    for fee in found:
        if fee.refunded:
            _match_refund(every, fee)
    return [share for each in every for share in each.shares]


def _match_by_id(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Matches fees to the Capacity Blocks whose id they carry; returns the fees that are left."""
    left = []
    for fee in charges:
        mine = [each for each in blocks if each.named_by(fee) and each.may_take(fee)]
        _split_by_hours(mine, fee)
        left += [] if mine else [fee]
    return left


def _match_by_amount(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Matches each Capacity Block to the fee with its id or exact amount; returns the fees left."""
    pairs = [
        ((fee.billed != each.configured_fee, *_closeness(each, fee)), number, each, fee)
        for number, fee in enumerate(charges)
        for each in blocks
        if each.may_take(fee) and (each.surely_named_by(fee) or fee.billed == each.configured_fee)
    ]
    taken: set[int] = set()
    for _, number, each, fee in sorted(pairs, key=lambda pair: pair[:2]):
        if not each.shares and number not in taken:
            each.add(fee, fee.billed)
            taken.add(number)
    return [fee for number, fee in enumerate(charges) if number not in taken]


def _match_sums(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Matches fees that equal the sum of several Capacity Blocks' fees; returns the fees left."""
    left = []
    for fee in charges:
        unpaid = [each for each in blocks if not each.shares and each.may_take(fee)]
        some = _adding_up(unpaid, fee.billed)
        for each in some:
            each.add(fee, each.configured_fee)
        left += [] if some else [fee]
    return left


def _match_by_date(blocks: Sequence[Payable], charges: Sequence[Fee]) -> list[Fee]:
    """Matches fees to Capacity Blocks by date of purchase or start; returns the fees that are left.

    Of the two dates, the one by which more fees find a block is tried first.
    """
    by_place: dict[tuple[str | None, ...], list[Fee]] = {}
    for fee in charges:
        by_place.setdefault((fee.account, fee.region, fee.instance_type), []).append(fee)
    left = list(charges)
    for fees in by_place.values():
        for due in sorted(
            FEE_DATES, key=lambda due: -sum(bool(_due_on(blocks, f, due)) for f in fees)
        ):
            for fee in fees:
                mine = _due_on(blocks, fee, due) if fee in left else []
                _split_by_hours(mine, fee)
                left = [each for each in left if not mine or each != fee]
    return left


def _due_on(blocks: Iterable[Payable], fee: Fee, due: Due) -> list[Payable]:
    """Returns the unpaid Capacity Blocks bought (or begun) on a fee's day, else the day before."""
    days: dict[timedelta, list[Payable]] = {}
    for each in blocks:
        day = due(each.block)
        if day and not each.shares and each.may_take(fee):
            days.setdefault(fee.date - day, []).append(each)
    late = min((late for late in days if timedelta(0) <= late <= LATEST), default=None)
    return days[late] if late is not None else []


def _split_by_hours(mine: Sequence[Payable], fee: Fee) -> None:
    """Splits a fee among Capacity Blocks by hours; the largest gets the rounding residue."""
    hours = sum((each.block.hours for each in mine), Decimal(0))
    parts = [(fee.billed * each.block.hours / hours).quantize(NINE) for each in mine]
    largest = max(range(len(mine)), key=lambda number: mine[number].block.hours, default=0)
    for number, (each, part) in enumerate(zip(mine, parts, strict=True)):
        rest = fee.billed - sum(parts) if number == largest else Decimal(0)
        each.add(fee, part + rest)


def _match_part(blocks: Sequence[Payable], fee: Fee) -> None:
    """Assigns a fee to the nearest unpaid Capacity Block, else the nearest it does not overpay."""
    unpaid = [each for each in blocks if not each.shares and each.may_take(fee)]
    short = [e for e in blocks if e.may_take(fee) and e.billed + fee.billed <= e.configured_fee]
    for each in sorted(unpaid or short, key=lambda each: _closeness(each, fee))[:1]:
        each.add(fee, fee.billed)


def _match_refund(blocks: Sequence[Payable], fee: Fee) -> None:
    """Assigns a refund to the nearest paid Capacity Block, up to what that block cost.

    A full refund first looks for a fee of the same amount. One that is too large for any block goes
    to all the blocks that one row paid for.
    """
    paid = [each for each in blocks if each.shares and each.may_take(fee)]
    order = sorted(
        (each for each in paid if each.billed + fee.billed >= 0),
        key=lambda e: (not e.named_by(fee), e.billed + fee.billed != 0, _closeness(e, fee)),
    )
    for each in order[:1]:
        each.add(fee, fee.billed)
    if not order:
        _split_by_hours(_paid_by_one_row(paid, -fee.billed), fee)


def _paid_by_one_row(paid: Sequence[Payable], amount: Decimal) -> list[Payable]:
    """Returns the Capacity Blocks that one fee paid for, of at least `amount` in all, or []."""
    rows: dict[Fee, list[Payable]] = {}
    for each in paid:
        rows.setdefault(each.shares[0].fee, []).append(each)
    able = (some for some in rows.values() if sum(each.billed for each in some) >= amount)
    return next(able, [])


def _adding_up(blocks: Sequence[Payable], amount: Decimal) -> tuple[Payable, ...]:
    """Returns the fewest Capacity Blocks (two to six) whose fees add up to an amount, or none."""
    sizes = range(2, min(len(blocks), MOST_TOGETHER) + 1)
    groups = (some for size in sizes for some in combinations(blocks, size))
    return next(
        (some for some in groups if sum(each.configured_fee for each in some) == amount), ()
    )


def _closeness(each: Payable, fee: Fee) -> tuple[bool, bool, int, str]:
    """Returns a sort key that puts the Capacity Block nearest to a fee first."""
    away = abs((each.block.start.date() - fee.date).days)
    return (not each.named_by(fee), away > 0, away, each.block.name)
