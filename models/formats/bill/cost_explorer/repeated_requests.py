"""Drops lines of requests that repeat charges of other requests."""

from __future__ import annotations

import ibis.expr.types as ir

from models.formats import fields

REPEATED = ("pair", "left")
"""Requests whose lines are no charges: `run`, `workload` and `record_type` have them too."""


def charged_once(lines: ir.Table) -> ir.Table:
    """Returns Cost Explorer lines without those of requests that repeat others' charges."""
    return lines.filter(fields.text(lines, "request").fill_null("").notin(REPEATED))
