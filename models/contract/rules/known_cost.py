"""Computes effective or billed cost; null for unpriced hours and, if billed, prepaid ones."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def known_cost(rows: ir.Table, basis: str) -> ir.Value:
    """Returns effective or billed dollars; null for unpriced and, if billed, prepaid hours.

    The basis is `effective` or `billed`. As billed, hours that a Capacity Block or an upfront
    purchase paid for show $0. Their cost is in the purchase and not in the day, so it is unknown
    rather than $0.
    """
    unknown = rows.unpriced if basis != "billed" else rows.unpriced | _prepaid(rows)
    return ibis.ifelse(unknown, None, rows[f"{basis}_cost"])


def _prepaid(rows: ir.Table) -> ir.BooleanValue:
    """Whether a row is accelerator-hours paid by a Capacity Block's fee or an upfront purchase."""
    upfront = (rows.billed_cost == 0) & (rows.effective_cost != 0)
    bought = (rows.purchase_option == "capacity_block") | upfront
    return bought & (rows.component == "accelerator")
