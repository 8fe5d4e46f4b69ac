"""A line of commitment fees carries two things: what was billed, and what of it nobody used.

Each belongs to one basis and to a bucket of its own, so the line becomes two charges: a purchase,
which is no one's cost, and an unused hour, which nobody was billed for (METHOD §2.6). Where FOCUS
tells both on the line of the purchase, `status` marks it and `attributed` parts it, because few
rows are left then. METHOD is silent on what is still effective of a recurring fee; it is taken for
unused, the reading that claims less. A one-time fee is for hours to come: it stays a purchase.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields

CAPACITY = r"capacity-(reservation|block)|training-plan|^c[rb]-"
"""What a commitment is called that reserves capacity, not a price."""

BLOCK_FEE = r"(^|-)CapacityBlockFee"
"""In a usage type."""


def status(lines: ir.Table) -> ir.Value:
    """`CommitmentDiscountStatus`; Unused where a recurring fee of a commitment is still a cost."""
    said = fields.text(lines, "CommitmentDiscountStatus")
    commitment = fields.text(lines, "CommitmentDiscountId")
    if not {"ChargeFrequency", "ChargeCategory", "CommitmentDiscountId"} <= set(lines.columns):
        return said
    fee = (lines.ChargeCategory == "Purchase") & (lines.ChargeFrequency == "Recurring")
    left = (fields.amount(lines, "EffectiveCost") != 0) & commitment.notnull()
    price = ~commitment.re_search(CAPACITY)
    # the pattern last: few lines are fees, and a case looks at no others
    marked = ibis.ifelse(price, "Unused", said)
    return ibis.ifelse((fee & left).fill_null(False), marked, said)


def parted(charges: ir.Table, fee: ir.BooleanValue) -> ir.Table:
    """`charges` with each line that is a `fee` as a purchase and as an unused commitment."""
    fees = charges.filter(fee)
    return charges.filter(~fee).union(_purchased(fees)).union(_unused(fees))


def _purchased(fees: ir.Table) -> ir.Table:
    """What was billed for the commitment; none of it is anyone's cost."""
    return fees.mutate(
        ChargeCategory=ibis.literal("Purchase"),
        ChargeFrequency=ibis.literal("Recurring"),
        PricingCategory=ibis.literal("Committed"),
        EffectiveCost=ibis.literal(0).cast(AMOUNT),
    )


def _unused(fees: ir.Table) -> ir.Table:
    """What amortisation leaves on the fee: the commitment that nobody used."""
    return fees.mutate(
        CommitmentDiscountStatus=ibis.literal("Unused"),
        PricingCategory=ibis.literal("Committed"),
        BilledCost=ibis.literal(0).cast(AMOUNT),
    )
