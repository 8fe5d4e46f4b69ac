"""Splits usage that a Savings Plan covered into the usage and the charge that the plan negates.

Cost Explorer bills such usage at its on-demand price and takes that back on a line without a tag.
The usage becomes a charge that bills nothing, and the billed price an untagged charge beside the
negation, so that the two cancel out in the same bucket.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT, NUMBER
from models.formats import fields


def is_covered(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a Cost Explorer line is usage that a commitment covered."""
    covered = fields.text(lines, "record_class") == ibis.literal("covered")
    return cast(ir.BooleanValue, covered.fill_null(False))


def is_negation(kind: ir.StringValue) -> ir.BooleanValue:
    """Returns the condition that a line is a Savings Plan's negation of covered usage's price."""
    return cast(ir.BooleanValue, (kind == ibis.literal("savingsplannegation")).fill_null(False))


def negated_charges(covered: ir.Table) -> ir.Table:
    """Returns covered usage as untagged charges at the billed price, which the plan negates.

    These charges have no workload, run or hours, and an effective cost of 0.
    """
    return covered.mutate(
        ConsumedQuantity=ibis.null(NUMBER),
        ConsumedUnit=ibis.null("string"),
        EffectiveCost=ibis.literal(0).cast(AMOUNT),
        PricingCategory=ibis.null("string"),
        CommitmentDiscountId=ibis.null("string"),
        CommitmentDiscountStatus=ibis.null("string"),
        workload=ibis.null("string"),
        run=ibis.null("string"),
    )
