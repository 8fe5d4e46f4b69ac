"""Refuses impossible dates on a bill: years before AWS, far in the future, ends before starts."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.formats import fields, line_faults
from models.formats.line_faults import Fault

FIRST_YEAR, LAST_YEAR = 2006, 2100
"""AWS sent its first bill in 2006; a year outside means that the date is in another format."""
DAYS_AHEAD = 400
"""How far a charge may lie after its billing period begins, and after today."""
WRITE_AS = "write it as 2026-09-01T00:00:00Z"
CORRECT = "correct the date and deliver it again"


def date_faults(lines: ir.Table, started: str, period: str, ended: str) -> list[Fault | None]:
    """Lists checks of a bill's dates.

    They are unreadable, not of 2006 to 2100, or 400 days ahead, or a charge ends before it starts.
    """
    names = (period, started, ended)
    return [
        *(line_faults.unreadable(lines, name, "timestamp('UTC')", WRITE_AS) for name in names),
        *(_impossible_year(lines, name) for name in names if name in lines.columns),
        *_too_far_ahead(lines, started, period),
        _ends_before_start(lines, started, ended),
    ]


def _impossible_year(lines: ir.Table, name: str) -> Fault:
    year = fields.timestamp(lines, name, attempt=True).year()
    wrong = ~year.between(FIRST_YEAR, LAST_YEAR).fill_null(True)
    return Fault(wrong, f"{name} cannot be read", fields.text(lines, name), WRITE_AS)


def _too_far_ahead(lines: ir.Table, started: str, period: str) -> list[Fault]:
    """Builds the checks that refuse charges over 400 days after today or their period's start.

    Such a date is a typing error, and every page would draw all days until then.
    """
    begun = fields.timestamp(lines, started, attempt=True)
    limits = {
        "its billing period": fields.timestamp(lines, period, attempt=True),
        "today": ibis.now().cast("timestamp"),
    }
    return [
        Fault(
            (begun > since + ibis.interval(days=DAYS_AHEAD)).fill_null(False),
            f"{started} is more than {DAYS_AHEAD} days after {what}",
            fields.text(lines, started),
            CORRECT,
        )
        for what, since in limits.items()
    ]


def _ends_before_start(lines: ir.Table, started: str, ended: str) -> Fault:
    """Builds the check that refuses a charge that ends before it starts.

    One that ends as it starts is none of use, such as a fee. A line without an end is by the day.
    """
    begun, over = (fields.timestamp(lines, name, attempt=True) for name in (started, ended))
    shown = fields.text(lines, started) + " to " + fields.text(lines, ended)
    wrong = (over < begun).fill_null(False)
    return Fault(wrong, f"{ended} is before {started}", shown, CORRECT)
