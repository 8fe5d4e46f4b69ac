"""Drops lines of requests that repeat charges of other requests."""

from __future__ import annotations

import ibis.expr.types as ir

from models.formats import fields

REPEATED = ("pair", "left")
"""Requests whose lines are no charges: `run`, `workload` and `record_type` have them too."""


def charged_once(lines: ir.Table) -> ir.Table:
    """Drops Cost Explorer lines of requests that repeat charges of other requests."""
    return lines.filter(fields.text(lines, "request").fill_null("").notin(REPEATED))
