"""Derives by record and usage type a charge's category, service, and whether it becomes two."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.formats.bill.cost_explorer.usage_types import BLOCK_FEE

UPFRONT = "upfront"
COMMITMENTS = (
    *("savingsplanrecurringfee", "savingsplanupfrontfee", "rifee", "recurring", UPFRONT),
)
"""Record types of commitment fees; a Capacity Block's fee is known by its usage type instead.

An upfront fee may be one of something else, too: a subscription of the AWS Marketplace.
"""
COMMITMENT_USAGE = (
    r"^([A-Z0-9]+-)?((Compute|EC2|MachineLearning|SageMaker|Database)[A-Za-z]*SP|HeavyUsage):"
)
PLAIN, FEE, COVERED = "plain", "fee", "covered"
"""What becomes of a line: one charge, a fee's two, or the two of usage that a plan covered."""


def record_type(lines: ir.Table) -> ir.StringValue:
    """Returns the column of record types, reduced to lower-case letters: `savingsplannegation`."""
    given = fields.text(lines, "record_type").lower().re_replace(r"[^a-z]", "")
    return cast(ir.StringValue, given)


def split(
    meter: ir.StringValue,
    kind: ir.StringValue,
    covered: ir.BooleanValue,
    amortized: ir.DecimalValue,
) -> ir.Value:
    """Returns a column of three values: a commitment's fee or its refund, covered usage, the rest.

    A refund is split like its fee: it takes back what was billed and unused. AWS amortises an
    upfront fee of a commitment to $0, because the hours that it is for bear it; one that keeps its
    cost buys something else.
    """
    committed = meter.re_search(COMMITMENT_USAGE).fill_null(False)
    spread = (kind != UPFRONT) | (amortized == 0)
    committed = committed | (kind.isin(COMMITMENTS) & spread).fill_null(False)
    block = meter.re_search(BLOCK_FEE).fill_null(False)
    support = kind.startswith("support").fill_null(False)
    no_cost_of_run = kind.isin(("credit", "tax")).fill_null(False) | support
    return ibis.cases(
        (committed & ~block & ~no_cost_of_run, FEE),
        (covered.fill_null(False), COVERED),
        else_=PLAIN,
    )


def category(meter: ir.StringValue, kind: ir.StringValue) -> ir.Value:
    """Returns the column of FOCUS charge categories (Credit, Tax, …) by record and usage type."""
    return ibis.cases(
        (kind == "credit", "Credit"),
        (kind == "tax", "Tax"),
        (kind == "refund", "Adjustment"),
        (meter.re_search(BLOCK_FEE), "Purchase"),
        else_="Usage",
    )


def service(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    """Returns the column of Cost Explorer's service; AWS Support for any support charge."""
    given = fields.text(lines, "service")
    named = given.fill_null("").re_search(r"^AWS ?(Premium ?)?Support")
    support = kind.startswith("support") & ~named
    return ibis.ifelse(support.fill_null(False), "AWS Support", given)
