"""Splits a recurring commitment fee into a purchase and the unused part of the commitment.

One line carries both: what was billed, and what of it nobody used. Each belongs to one basis and
to a bucket of its own, so the line becomes two charges (METHOD §2.11): a purchase, which is no
run's cost, and unused hours, which nobody was billed for. What is left of a recurring fee on the
effective basis counts as unused, because that claims less saving. A one-time fee is for hours to
come: it stays a purchase.

Example: a plan's fee line with BilledCost 10 and EffectiveCost 3 becomes a purchase of 10 billed
and 0 effective, and an unused line of 0 billed and 3 effective.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import RESERVES_CAPACITY
from models.contract.schema import AMOUNT
from models.formats import fields


def commitment_status(lines: ir.Table) -> ir.Value:
    """Returns the commitment status of bill lines: `Unused` for recurring fees of commitments.

    Those are fees of Savings Plans and of reservations that reserve a price, not capacity. The
    column is `CommitmentDiscountStatus`. FOCUS has both halves of the fee, used and unused, on
    one purchase line; the reduction splits the lines marked here, when few rows are left. Fees of
    capacity reservations keep their own status. Without a `ChargeFrequency` a fee is taken for
    recurring: an upfront fee has an effective cost of 0, of which nothing is left.
    """
    delivered = fields.text(lines, "CommitmentDiscountStatus")
    commitment = fields.text(lines, "CommitmentDiscountId")
    added_up = "FirstHour" in lines.columns  # these bear the mark already
    if added_up or not {"ChargeCategory", "CommitmentDiscountId"} <= set(lines.columns):
        return delivered
    told = fields.text(lines, "ChargeFrequency").fill_null("Recurring")
    fee = (lines.ChargeCategory == "Purchase") & (told == "Recurring")
    costs = (fields.amount(lines, "EffectiveCost") != 0) & commitment.notnull()
    price = ~commitment.re_search(RESERVES_CAPACITY)
    # the pattern last: few lines are fees, and a case evaluates it for no others
    marked = ibis.ifelse(price, "Unused", delivered)
    return ibis.ifelse((fee & costs).fill_null(False), marked, delivered)


def split_fees(charges: ir.Table, fee: ir.BooleanValue) -> ir.Table:
    """Returns charges with each commitment fee as two: a purchase, and the unused commitment.

    `fee` is the condition that holds for fees.
    """
    fees = charges.filter(fee)
    return charges.filter(~fee).union(_purchases(fees)).union(_unused(fees))


def _purchases(fees: ir.Table) -> ir.Table:
    """Converts commitment fees to purchases: billed cost only, in no run's cost."""
    return fees.mutate(
        ChargeCategory=ibis.literal("Purchase"),
        ChargeFrequency=ibis.literal("Recurring"),
        PricingCategory=ibis.literal("Committed"),
        EffectiveCost=ibis.literal(0).cast(AMOUNT),
    )


def _unused(fees: ir.Table) -> ir.Table:
    """Converts commitment fees to unused commitment: effective cost only, nothing billed."""
    return fees.mutate(
        CommitmentDiscountStatus=ibis.literal("Unused"),
        PricingCategory=ibis.literal("Committed"),
        BilledCost=ibis.literal(0).cast(AMOUNT),
    )
