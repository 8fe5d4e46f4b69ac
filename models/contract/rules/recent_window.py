"""The recent window: the last 84 settled days, from which every pace and every "now" is computed.

See METHOD §1.
"""

from __future__ import annotations

import ibis.expr.types as ir

WEEKS = 12
DAYS = WEEKS * 7


def between(day: ir.Value, begin: ir.Value, last: ir.Value) -> ir.BooleanValue:
    """Returns the condition that a date is between two, both included; a null first one is open."""
    return (begin.isnull() | (day >= begin)) & (day <= last)
