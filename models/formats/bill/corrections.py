"""What a refund or a correction takes back of the charge that it corrects (METHOD §2.2).

Where its cost is negative, its hours and prices are too, whichever sign they were delivered with:
hours that were paid back were not used. A correction without hours is dollars alone: it has no
list price, whatever the line says, for the factor of METHOD §5 is of the list cost of hours; a
blank price is 0 there, and unknown only where hours stand beside it (METHOD §2.5).
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields
from models.formats.bill import fees

LISTED = "ListCost"
PRICED = (LISTED, "ContractedCost")


def corrects(lines: ir.Table) -> ir.BooleanValue:
    """Whether a line is of another charge, by its class or its category."""
    marks = {"ChargeClass": "Correction", "ChargeCategory": "Adjustment"}
    told = [(lines[name] == mark).fill_null(False)
            for name, mark in marks.items() if name in lines.columns]  # fmt: skip
    return cast(ir.BooleanValue, ibis.or_(*told))


def reversed_by(lines: ir.Table, value: ir.Value) -> ir.Value:
    """`value`, less than nothing where the line takes something back."""
    return ibis.ifelse(corrects(lines), _reversed(lines, value), value)


def price(lines: ir.Table, name: str, quantity: ir.Value, meter: ir.StringValue) -> ir.Value:
    """The cost `name` at a price: reversed where the line is; 0 where it corrects no hours.

    A Capacity Block's fee has none, for it is the price of the block's.
    """
    given = fields.amount(lines, name)
    fee = meter.re_search(fees.BLOCK_FEE).fill_null(False)
    silent = given.isnull() if name != LISTED else given.isnull() | ~fee
    loose = (quantity.fill_null(0) == 0) & silent
    # asked of corrections alone: a case looks no further for the many other lines
    corrected = ibis.ifelse(loose, ibis.literal(0).cast(AMOUNT), _reversed(lines, given))
    return ibis.ifelse(corrects(lines), corrected, given)


def _reversed(lines: ir.Table, value: ir.Value) -> ir.Value:
    cost, billed = (fields.amount(lines, name) for name in ("EffectiveCost", "BilledCost"))
    back = (ibis.coalesce(cost.nullif(0), billed) < 0) & (value > 0)
    size = cast(ir.NumericValue, value).abs()
    return ibis.ifelse(back.fill_null(False), -size, value)
