"""Decides the component and the purchase option of a charge (METHOD §2.8)."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir


def component(rows: ir.Table) -> ir.Value:
    """Returns the column of a charge's component: `accelerator`, `storage`, `network` or `other`.

    Accelerator hours are recognised first. Storage and network follow from the usage type or the
    FOCUS service category.
    """
    return ibis.cases(
        (rows.accelerated, "accelerator"),
        (rows.is_storage | (rows.service_category == "Storage"), "storage"),
        (rows.is_network | (rows.service_category == "Networking"), "network"),
        else_="other",
    )


def purchase_option(rows: ir.Table) -> ir.Value:
    """Returns the column of how a charge was bought: `capacity_block`, `spot`, `committed`, …."""
    block = rows.kind == "CapacityBlockFee"
    return ibis.cases(
        (rows.unpriced | block, "capacity_block"),
        (is_spot(rows), "spot"),
        (rows.commitment.notnull() | (rows.pricing_category == "Committed"), "committed"),
        else_="on_demand",
    )


def is_spot(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a charge is of Spot: by its usage type or FOCUS's category."""
    return cast(ir.BooleanValue, (rows.kind == "SpotUsage") | (rows.pricing_category == "Dynamic"))
