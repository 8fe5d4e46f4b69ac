"""Computes the figures of each month, as finance reads and closes them.

In: savings by day, standings, spend, and the months that were closed. Out: `month_facts`, every
month as it is computed today, and `monthly_summary`, closed months as they were closed. Chapter:
METHOD §7.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.months.month_facts import month_facts
from models.marts.months.monthly_summary import monthly_summary

MONTHS: tuple[Callable[..., ir.Table], ...] = (
    month_facts,
    monthly_summary,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
