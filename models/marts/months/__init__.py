"""The figures of each month, as finance closes them (METHOD §7).

In: savings, spend and closed months. Out: `monthly_summary`. Chapter: METHOD §7.
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
