"""Lists the days on which a bill has charges (METHOD §1.1)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.attribution_buckets import is_support

STORED = ("delivery", "source")
"""Further key columns of the rows that a build keeps per delivery."""


@step(
    grain="billing_period × billing_account × date; in the kept store × delivery and source",
    units="none",
    nulls="billing_account: the bill names none",
    method="§1.1",
    whose="company",
)
def billed_days(spend_reduced: ir.Table) -> ir.Table:
    """Lists the days of each bill, with whether they show usage and are invoiced.

    `shows_usage` says that the day has usage other than support or a correction. Only that shows
    how far usage was delivered: credits, fees and taxes do not, so a stalled export never turns
    into $0. `invoiced` says that all usage of the day that costs something is invoiced, because
    what is free may be on no invoice; `used` says that any is invoiced or costs something. The rows
    are stored with the reduction, because that has a thousand lines a day.
    """
    usage = spend_reduced.category == "Usage"
    free = (spend_reduced.billed_cost == 0) & (spend_reduced.effective_cost == 0)
    paid = usage & ~free.fill_null(False)
    corrects = (spend_reduced["class"] == "Correction").fill_null(False)
    stored = [name for name in STORED if name in spend_reduced.columns]
    days = spend_reduced.group_by(*stored, "billing_period", "billing_account", "date")
    return days.agg(
        used=(paid | (usage & spend_reduced.invoiced)).any(),
        shows_usage=(usage & ~corrects & ~is_support(spend_reduced)).any(),
        invoiced=(spend_reduced.invoiced | ~paid).all(),
    )
