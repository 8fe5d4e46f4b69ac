"""Converts CUR 2.0 lines to `charges`, by way of their FOCUS columns.

Usage under a Savings Plan is billed with the plan's fee: its on-demand equivalent is no dollars
here, and the negation that takes it back is no charge. Nor is the line of a discount that net
figures contain. Lines of recurring fees become two (`bill.commitment_fees`).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT
from models.formats.bill import focus
from models.formats.bill.commitment_fees import split_fees
from models.formats.bill.cur2 import columns as col
from models.formats.bill.cur2.focus_columns import LINE_TYPE, NOT_CHARGED, focus_columns


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts CUR 2.0 lines to charges: two for a recurring fee, none for a plan's negation."""
    return focus.rows(_charges(lines, tags), tags)


def pre_aggregated(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts CUR 2.0 lines to FOCUS columns; adds up a day's lines over hours and machines.

    `rows` converts what it returns.
    """
    return focus.pre_aggregated(_charges(lines, tags).drop("Tags"), tags)


def totals(lines: ir.Table) -> ir.Table:
    """Sums CUR 2.0 costs per payer, account and month, and counts usage lines with gross costs."""
    return focus.totals(focus_columns(lines), col.GROSS_LINES)


def _charges(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts CUR 2.0 lines to FOCUS columns, splits fees, and drops lines that charge nothing."""
    if "ChargeCategory" in lines.columns:
        return lines
    found = focus_columns(lines, tags)
    found = found.filter(~found[NOT_CHARGED])
    covered = (found[LINE_TYPE] == col.COVERED).fill_null(False)
    zero = ibis.literal(0).cast(AMOUNT)
    found = found.mutate(BilledCost=ibis.ifelse(covered, zero, found.BilledCost))
    fee = found[LINE_TYPE].isin((col.PLAN_FEE, col.RESERVED_FEE)).fill_null(False)
    both = split_fees(found, fee)
    unused = (both.CommitmentDiscountStatus == "Unused").fill_null(False)
    return both.mutate(
        **{name: ibis.ifelse(unused, zero, both[name]) for name in ("ListCost", "ContractedCost")}
    )
