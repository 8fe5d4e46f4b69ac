"""Names the charge that a refund reverses: resource, commitment, usage type (METHOD §2.2).

A Refund or Correction that names a resource, a reservation or a usage type reverses the charge it
names, on the day of that charge: it keeps the bucket and owner of that charge. One that names
nothing is a lump sum and lands in the bucket `refund`. Whose charge an untagged correction names is
looked up by `models.engine.reduction.charges_reversed_by_refunds`.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import BLOCK_FEE

USED = ("Usage", "Adjustment")
"""Charge categories (FOCUS) that can be the cost of a run, or take it back."""


def is_correction(charges: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a bill line corrects another: by its class, or an Adjustment."""
    adjusts = charges.ChargeCategory == "Adjustment"
    return (charges.ChargeClass == "Correction").fill_null(False) | adjusts.fill_null(False)


def named_charge(charges: ir.Table) -> ir.Value:
    """Returns the column of a line's resource, else reservation, else commitment, else usage type.

    A refund names the charge that it takes back in the same way.
    """
    return ibis.coalesce(
        charges.ResourceId,
        charges.CapacityReservationId,
        charges.CommitmentDiscountId,
        charges.SkuMeter,
    )


def corrected_charge(charges: ir.Table) -> ir.Value:
    """Returns a name (resource, …) that links an untagged correction to its charge; else null.

    None is needed where the correction has a run tag, which says whose it is. Nor is one needed for
    the fee of a Capacity Block, which finds its block, or for unused hours, which are idle
    commitment.
    """
    statuses = (charges.CommitmentDiscountStatus, charges.CapacityReservationStatus)
    unused = ibis.or_(*(status == "Unused" for status in statuses)).fill_null(False)
    fee = charges.SkuMeter.re_search(BLOCK_FEE).fill_null(False)
    untagged = charges.run.isnull() & charges.ChargeCategory.isin(USED)
    return ibis.ifelse(untagged & ~unused & ~fee, named_charge(charges), None)


def adjusts_a_charge(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a refund line names what it reverses, such as a resource."""
    names_commitment = ibis.coalesce(rows.sku, rows.reservation, rows.commitment).notnull()
    return cast(ir.BooleanValue, rows.named | names_commitment)


def is_lump_sum(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a correction or refund line names no charge that it reverses."""
    correction = (rows["class"] == "Correction") & ~rows.named
    adjustment = (rows.category == "Adjustment") & ~adjusts_a_charge(rows)
    return cast(ir.BooleanValue, correction | adjustment)
