"""Determines on which days a baseline is stale: its newest GPU run is too old (METHOD §5.1).

No baseline changes because time passes: where the newest run ended longer ago than the window is
long, it stays and is flagged. Example with a window of 365 days: a newest run that ended on
1 September 2025 makes the baseline stale from 1 September 2026 on.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings


def is_stale(rows: ir.Table, settings: Settings) -> ir.BooleanValue:
    """Returns the condition that a recipe's newest GPU run ended `window_days` ago or earlier."""
    age = rows.date.epoch_days() - rows.newest.epoch_days()
    return (age >= settings.baseline.window_days).fill_null(False)
