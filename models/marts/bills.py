"""Each month's bill of a billing account: how far it is settled, and whether it is final.

Grain: billing period × billing account. `settled_through` is the account's (`settled_accounts`);
`final`: every usage line of the month is invoiced.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.joins import alike


def bills(billed_days: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """`billing_period`, `billing_account`, `settled_through`, `final`."""
    months = billed_days.group_by("billing_period", "billing_account").agg(
        final=billed_days.invoiced.all() & billed_days.used.any()
    )
    known = months.left_join(settled_accounts, alike(months, settled_accounts, ["billing_account"]))
    return known.select(*months.columns, "settled_through")
