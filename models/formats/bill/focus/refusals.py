"""Refuses FOCUS lines with another currency, or with unreadable amounts, times or names."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.schema import AMOUNT, COSTS, NUMBER
from models.formats import fields, line_faults, names, tag_keys
from models.formats.bill.focus import columns
from models.formats.bill.focus.split_cost_rows import SPLIT_COSTS
from models.formats.bill.hours_by_month import hours_by_month
from models.formats.bill.plausible_dates import date_faults
from models.formats.currency import EXPORT_IN_DOLLARS, is_other_or_missing, other_currency
from models.formats.line_faults import Fault

AGAIN = "correct the file and deliver it again"
CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
"""The values of `ChargeCategory` that every version of FOCUS allows."""
KNOWN = "write one of " + ", ".join(CATEGORIES)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each FOCUS line with bad values or currency."""
    currency = fields.text(lines, "BillingCurrency")
    shown = fields.text(lines, "ChargeDescription")
    json_columns = (*tag_keys.TAG_COLUMNS, "SkuPriceDetails")
    return line_faults.faulty_lines(
        lines,
        [
            other_currency(
                is_other_or_missing(lines, "BillingCurrency"),
                currency,
                column="BillingCurrency",
                remedy=EXPORT_IN_DOLLARS,
            ),
            *(line_faults.missing(lines, name, shown) for name in columns.REQUIRED),
            _unknown_category(lines),
            *(line_faults.no_number(lines, n, AMOUNT, AGAIN) for n in (*COSTS, *SPLIT_COSTS)),
            *(line_faults.no_number(lines, n, NUMBER, AGAIN) for n in columns.QUANTITIES),
            *(line_faults.unreadable(lines, n, "json", AGAIN) for n in json_columns),
            *date_faults(lines, *columns.TIMES),
            _hours_by_month(lines),
            *names.bad_names(lines, "BillingAccountName", "SubAccountName"),
            *names.bad_tags(lines, *tag_keys.TAG_COLUMNS),
        ],
    )


def _hours_by_month(lines: ir.Table) -> Fault:
    corrects = fields.text(lines, "ChargeClass").isin(("Correction",)).fill_null(False)
    used = (lines["ChargeCategory"].cast("string") == "Usage") & ~corrects
    meter = fields.text(lines, *columns.METERS)
    return hours_by_month(lines, "ChargePeriodStart", "ChargePeriodEnd", meter, used)


def _unknown_category(lines: ir.Table) -> Fault:
    """Builds the check that refuses lines of a charge category that FOCUS does not have.

    Whether such a line is use, a fee or a credit is unknown, so no bucket is its own (METHOD §2.6).
    """
    given = lines["ChargeCategory"].cast("string")
    wrong = given.notnull() & ~given.isin(CATEGORIES)
    return Fault(wrong, "ChargeCategory is none of FOCUS", given, KNOWN)
