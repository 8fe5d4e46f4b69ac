"""Refuses bills that give accelerator-hours per month, not per hour or day.

AWS can create an export with a line a month. Its hours all start on the first, where neither the
work of the other days nor the jobs that held a machine then can be set beside them (METHOD §4.1).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import ACCELERATOR_HOURS
from models.formats import fields
from models.formats.line_faults import SOMEWHERE, Fault

REMEDY = "create the export with hourly granularity (or daily), then deliver that one"


def hours_by_month(
    lines: ir.Table, started: str, ended: str, meter: ir.StringValue, used: ir.BooleanValue
) -> Fault:
    """Builds the check that refuses accelerator-hours of a period longer than a day.

    `used` says whether a line is of use: a fee or correction may be of a longer time.
    """
    begun, over = (fields.timestamp(lines, name, attempt=True) for name in (started, ended))
    longer = over > begun + ibis.interval(days=1)
    # a case, because it looks at the meter of the few long lines alone
    wrong = ibis.ifelse(longer, used & meter.re_search(ACCELERATOR_HOURS), ibis.literal(False))
    shown = meter + ", " + fields.text(lines, started) + " to " + fields.text(lines, ended)
    problem = f"accelerator-hours of more than a day {SOMEWHERE}"
    return Fault(wrong.fill_null(False), problem, shown, REMEDY)
