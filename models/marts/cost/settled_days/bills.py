"""Each month's bill of a billing account, and whether AWS has invoiced it.

Grain: billing period × billing account. `invoiced`: every usage line of the month is.
"""

from __future__ import annotations

import ibis.expr.types as ir


def bills(billed_days: ir.Table) -> ir.Table:
    """`billing_period`, `billing_account`, `invoiced`."""
    return billed_days.group_by("billing_period", "billing_account").agg(
        invoiced=billed_days.invoiced.all() & billed_days.used.any()
    )
