"""Defines the records that match fees to Capacity Blocks: a fee, a block, a block's part of a fee.

A block takes a fee of its own type, account, region and dates, unless the fee names another's
reservation (METHOD §2.7). Cost Explorer names the payer alone: the block may be any member's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from models.marts.cost.capacity_blocks.known_blocks import Block, is_there

EARLIEST = timedelta(days=63)
"""How long before its start a block can be paid: sold eight weeks ahead, billed a week later."""
NINE = Decimal("1e-9")
ID = re.compile(r"\bc[rb]-\w")
"""The id of a reservation, or of a block."""


class Fee(NamedTuple):
    """The sum of Capacity Block fees, or of refunds, of one day, type, account, region and id."""

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
    own_bills: frozenset[str] | None = None
    """Of a bill that names a payer and no account: the accounts that have a bill of their own."""


class Share(NamedTuple):
    """The part, in dollars, of a billed fee that pays for one Capacity Block."""

    block: str
    fee: Fee
    part: Decimal
    """Of the fee's billed amount, in dollars."""

    def part_of(self, whole: Decimal | None) -> Decimal | None:
        """Returns a Capacity Block's part of another amount of its fee, such as the list cost."""
        if whole is None or self.part == self.fee.billed:
            return whole
        return (whole * self.part / self.fee.billed).quantize(NINE)


@dataclass
class Payable:
    """A Capacity Block with the billed fees that were matched to it so far."""

    block: Block
    shares: list[Share] = field(default_factory=list)

    @property
    def billed(self) -> Decimal:
        """Dollars billed for the Capacity Block so far, net of refunds."""
        return sum((share.part for share in self.shares), Decimal(0))

    @property
    def configured_fee(self) -> Decimal:
        """The Capacity Block's fee by the config or, of an extension, by EC2; 0 if unknown."""
        return self.block.fee or Decimal(0)

    def named_by(self, fee: Fee) -> bool:
        """Whether a fee names this Capacity Block's reservation or purchase by id."""
        names = (self.block.reservation, self.block.purchase)
        return any(name and fee.held and name in fee.held for name in names)

    def surely_named_by(self, fee: Fee) -> bool:
        """Whether a fee's id alone decides that it pays for this Capacity Block (no extension)."""
        return not self.block.exact and self.named_by(fee)

    def may_take(self, fee: Fee) -> bool:
        """Whether a fee's type, account, place, reservation and dates fit this Capacity Block."""
        block = self.block
        first = self.shares[0].fee if self.shares else fee
        due = block.start.date() - EARLIEST <= fee.date
        return (
            block.instance_type == fee.instance_type
            and self._of_account(fee)
            and is_there(block.region, fee.region)
            and (first.account, first.region) == (fee.account, fee.region)
            and not self._of_another(fee)
            and due
            and (fee.refunded or fee.date <= block.end.date())
        )

    def _of_account(self, fee: Fee) -> bool:
        """Whether a fee is by the Capacity Block's account, or by a payer for one without bills."""
        if self.block.account in (None, fee.account):
            return True
        return fee.own_bills is not None and self.block.account not in fee.own_bills

    def _of_another(self, fee: Fee) -> bool:
        """Whether a fee names the reservation of another Capacity Block."""
        if not (fee.held and self.block.reservation) or self.named_by(fee):
            return False
        return self.block.fee is not None or bool(ID.search(fee.held))

    def add(self, fee: Fee, part: Decimal) -> None:
        """Records how many dollars of a fee pay for this Capacity Block."""
        self.shares.append(Share(self.block.name, fee, part))
