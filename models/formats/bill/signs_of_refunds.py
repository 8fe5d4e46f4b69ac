"""Gives refunds and corrections the sign of their cost (METHOD §2.2).

Where the cost of such a line is negative, its hours and prices become negative too, whichever sign
they were delivered with: hours that were paid back were not used. A correction without hours is
dollars alone and has no list price, because the factor of METHOD §5.3 is of the list cost of hours.
A blank price of such a line is 0; a blank price beside hours stays unknown (METHOD §2.5).

Example: a correction with EffectiveCost -21.50 and ConsumedQuantity 1 gives back one hour, so its
quantity becomes -1.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import BLOCK_FEE
from models.contract.schema import AMOUNT
from models.formats import fields

LIST_COST = "ListCost"
PRICED = (LIST_COST, "ContractedCost")


def corrects_a_charge(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a bill line corrects another charge, by its class or category.

    A column that is empty throughout may have any type: pandas makes numbers of it.
    """
    values = {"ChargeClass": "Correction", "ChargeCategory": "Adjustment"}
    found = [
        (fields.first_present(lines, name) == value).fill_null(False)
        for name, value in values.items()
        if name in lines.columns
    ]
    return cast(ir.BooleanValue, ibis.or_(*found))


def signed(lines: ir.Table, value: ir.Value) -> ir.Value:
    """Makes a column negative on corrections with a negative cost, whichever sign it was given."""
    return ibis.ifelse(corrects_a_charge(lines), _negative_like_cost(lines, value), value)


def price(lines: ir.Table, name: str, quantity: ir.Value, meter: ir.StringValue) -> ir.Value:
    """Returns a list or contracted cost, negative on refunds; 0 for a correction without hours.

    The fee of a Capacity Block keeps its list cost, which is the price of the block's hours.
    """
    given = fields.amount(lines, name)
    fee = meter.re_search(BLOCK_FEE).fill_null(False)
    no_price = given.isnull() if name != LIST_COST else given.isnull() | ~fee
    dollars_alone = (quantity.fill_null(0) == 0) & no_price
    # computed for corrections alone: a case does not evaluate it for the many other lines
    zero = ibis.literal(0).cast(AMOUNT)
    corrected = ibis.ifelse(dollars_alone, zero, _negative_like_cost(lines, given))
    return ibis.ifelse(corrects_a_charge(lines), corrected, given)


def _negative_like_cost(lines: ir.Table, value: ir.Value) -> ir.Value:
    cost, billed = (fields.amount(lines, name) for name in ("EffectiveCost", "BilledCost"))
    gives_back = (ibis.coalesce(cost.nullif(0), billed) < 0) & (value > 0)
    size = cast(ir.NumericValue, value).abs()
    return ibis.ifelse(gives_back.fill_null(False), -size, value)
