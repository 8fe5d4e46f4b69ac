"""Refuses CUR 2.0 lines with another currency, unreadable values, or no amount for their cost."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT, NUMBER
from models.formats import fields, line_faults
from models.formats.bill.cur2 import columns as col
from models.formats.bill.cur2 import tags
from models.formats.bill.hours_by_month import hours_by_month
from models.formats.bill.plausible_dates import date_faults
from models.formats.currency import EXPORT_IN_DOLLARS, is_other_or_missing, other_currency
from models.formats.line_faults import Fault
from models.formats.names import bad_names, bad_tags

NEEDED = {
    col.COVERED: (col.PLAN_COST,),
    col.PLAN_FEE: (col.COMMITTED, col.USED),
    col.RESERVED: (col.RESERVED_COST,),
}
"""Amounts without which a line's cost is unknown: read as $0 they would make a run look free."""
MAPS = (*tags.MAPS, "product")
AGAIN = "correct the file and deliver it again"
SELECT = "select this column in the export, then deliver it again"


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each CUR 2.0 line with a bad or missing value."""
    currency = fields.text(lines, col.CURRENCY)
    shown = fields.text(lines, col.DESCRIPTION, col.METER, col.TYPE)
    quantities = (col.QUANTITY, col.SPLIT_QUANTITY)
    return line_faults.faulty_lines(
        lines,
        [
            other_currency(
                is_other_or_missing(lines, col.CURRENCY),
                currency,
                column=f"Currency ({col.CURRENCY})",
                remedy=EXPORT_IN_DOLLARS,
            ),
            *(line_faults.missing(lines, name, shown) for name in col.NEVER_BLANK),
            *(line_faults.no_number(lines, name, AMOUNT, AGAIN) for name in col.AMOUNTS),
            *(line_faults.no_number(lines, name, NUMBER, AGAIN) for name in quantities),
            *(line_faults.unreadable(lines, name, "json", AGAIN) for name in MAPS),
            *date_faults(lines, col.STARTED, col.PERIOD, col.ENDED),
            _hours_by_month(lines),
            *bad_names(lines, "bill_payer_account_name", "line_item_usage_account_name"),
            *bad_tags(lines, *tags.MAPS),
            *bad_names(lines, *tags.flat_columns(lines)),
            *_without_cost(lines),
            _fee_without_reservation_column(lines),
        ],
    )


def _hours_by_month(lines: ir.Table) -> Fault:
    used = fields.text(lines, col.TYPE).isin(col.USAGE_TYPES)
    return hours_by_month(lines, col.STARTED, col.ENDED, fields.text(lines, col.METER), used)


def _without_cost(lines: ir.Table) -> list[Fault]:
    """Builds the checks that refuse commitment lines without the amount that gives their cost."""
    kind = fields.text(lines, col.TYPE)
    needed = [(used, (name,)) for used, names in NEEDED.items() for name in names]
    found = []
    for used, names in [*needed, (col.RESERVED_FEE, tuple(col.UNUSED))]:
        blank = ibis.and_(*(fields.text(lines, name).isnull() for name in names))
        found.append(
            Fault(
                ((kind == used) & blank).fill_null(False),
                f"{names[0]} is missing {line_faults.SOMEWHERE} ({used})",
                fields.text(lines, col.METER),
                SELECT,
            )
        )
    return found


def _fee_without_reservation_column(lines: ir.Table) -> Fault | None:
    """Builds the check that refuses fees if the report has no reservation column, else None.

    Without that column it is unknown whether hours already include the fee, amortised.
    """
    if col.RESERVATION in lines.columns:
        return None
    fee = (fields.text(lines, col.TYPE) == "Fee").fill_null(False)
    problem = f"{col.RESERVATION} is missing where there is a Fee"
    return Fault(fee, problem, fields.text(lines, col.METER), SELECT)
