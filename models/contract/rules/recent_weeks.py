"""The recent window: the last twelve settled weeks, by which every current pace is told."""

from __future__ import annotations

import ibis.expr.types as ir

WEEKS = 12


def in_recent_weeks(rows: ir.Table) -> ir.BooleanValue:
    """Whether the row's `date` lies in the twelve weeks that end on its `cutoff`."""
    return rows.cutoff.epoch_days() - rows.date.epoch_days() < WEEKS * 7
