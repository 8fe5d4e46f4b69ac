"""A line of commitment fees carries two things: what was billed, and what of it nobody used.

Each belongs to one basis and to a bucket of its own, so the line becomes two charges: a purchase,
which is no one's cost, and an unused hour, which nobody was billed for (METHOD §2.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.schema import AMOUNT


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
