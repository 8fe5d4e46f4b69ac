"""Dates of a bill that cannot be meant: a year written another way, a day years ahead."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.formats import fields

YEARS = (2006, 2100)
"""AWS sent its first bill in 2006; a year outside is a date written another way."""
AHEAD = 400
"""Days that a charge may lie ahead: of its billing period, and of the day it is delivered on."""
WRITTEN = "write it as 2026-09-01T00:00:00Z"


def refused(lines: ir.Table, started: str, period: str, *others: str) -> list[fields.Fault | None]:
    """What can be wrong with the dates of a line: `started`, its billing `period` and `others`."""
    names = (period, started, *others)
    return [
        *(fields.unreadable(lines, name, "timestamp('UTC')", WRITTEN) for name in names),
        *(_implausible(lines, name) for name in names if name in lines.columns),
        *_ahead(lines, started, period),
    ]


def _implausible(lines: ir.Table, name: str) -> fields.Fault:
    year = fields.instant(lines, name, attempt=True).year()
    wrong = ~year.between(*YEARS).fill_null(True)
    return fields.Fault(wrong, f"{name} cannot be read", fields.text(lines, name), WRITTEN)


def _ahead(lines: ir.Table, started: str, period: str) -> list[fields.Fault]:
    """A charge dated years ahead is a slip, and would draw every day until then."""
    begun = fields.instant(lines, started, attempt=True)
    after = {
        "its billing period": fields.instant(lines, period, attempt=True),
        "today": ibis.now().cast("timestamp"),
    }
    return [
        fields.Fault(
            (begun > since + ibis.interval(days=AHEAD)).fill_null(False),
            f"{started} is more than {AHEAD} days after {what}",
            fields.text(lines, started),
            "correct the date and deliver it again",
        )
        for what, since in after.items()
    ]
