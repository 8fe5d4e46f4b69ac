"""Determines which monthly bills AWS has invoiced, and which spend is final (METHOD §1.1)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import same_keys


@step(
    grain="billing_period × billing_account",
    units="none",
    nulls="billing_account: the bill names none",
    method="§1.1",
    whose="company",
)
def bills(billed_days: ir.Table) -> ir.Table:
    """Lists each month's bill per account, with whether all of its usage is invoiced."""
    return billed_days.group_by("billing_period", "billing_account").agg(
        invoiced=billed_days.invoiced.all() & billed_days.used.any()
    )


def with_final(rows: ir.Table, bills: ir.Table, closed_months: ir.Table) -> ir.Table:
    """Adds `invoiced` (AWS has issued the invoice) and `final` (that, or the month is closed)."""
    joined = rows.left_join(bills, same_keys(rows, bills, ["billing_account", "billing_period"]))
    found = joined.select(*rows.columns, invoiced=joined.invoiced.fill_null(False))
    found = found.mutate(billing_period=found.billing_period.strftime("%Y-%m"))
    return found.mutate(final=found.invoiced | found.billing_period.isin(closed_months.month))
