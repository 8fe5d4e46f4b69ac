"""The recent window: the last twelve settled weeks, from which current rates are computed."""

from __future__ import annotations

import ibis.expr.types as ir

WEEKS = 12


def in_recent_weeks(rows: ir.Table) -> ir.BooleanValue:
    """Whether a row's date lies in the last twelve settled weeks, which end on its `cutoff`."""
    return rows.cutoff.epoch_days() - rows.date.epoch_days() < WEEKS * 7
