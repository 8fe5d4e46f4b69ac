"""Refuses Cost Explorer lines in another currency, or with unreadable days or amounts."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields, line_faults
from models.formats.bill.cost_explorer.net_or_gross_metrics import METRICS
from models.formats.currency import is_other_or_missing, other_currency

REQUIRED: tuple[str, ...] = ("account", "month", "day", "currency", "amortized", "unblended")
AGAIN = "pull again"


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each Cost Explorer line with bad values or currency."""
    currency = fields.text(lines, "currency")
    shown = fields.text(lines, "usage_type", "record_type")
    return line_faults.faulty_lines(
        lines,
        [
            other_currency(is_other_or_missing(lines, "currency"), currency),
            *(line_faults.missing(lines, name, shown) for name in REQUIRED),
            *(line_faults.unreadable(lines, name, AMOUNT, AGAIN) for name in METRICS),
            *(line_faults.unreadable(lines, name, "date", AGAIN) for name in ("day", "month")),
        ],
    )
