"""Sums accelerators' spend and idle commitments by day, without owners."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import cost_sums
from models.contract.schema import EXPLAINERS
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT

DAY = (
    "date", "region", "instance_type", "platform", "hardware", "purchase_option", "component",
    "attribution", "settled", "unpriced",
)  # fmt: skip


@mart(
    grain="date × region × instance_type × platform × hardware × purchase_option × component × "
    "attribution × settled × unpriced × whether hours were used (`worked`) and whether a list "
    "price is known (`listed`)",
    units="dollars on the four bases; accelerator hours",
    nulls="a cost is null as soon as one row's is; accelerator_hours: none known",
    method="§2.1, §2.6",
    whose="company",
)
def accelerator_days(spend_daily: ir.Table) -> ir.Table:
    """Sums accelerators' hours and cost, and idle commitments, by day and type, not by owner."""
    idle = spend_daily.attribution == IDLE_COMMITMENT
    rows = spend_daily.filter((spend_daily.component == "accelerator") | idle)
    sums = rows.group_by(
        *DAY,
        worked=(rows.accelerator_hours > 0).fill_null(False),
        listed=rows.list_cost.notnull(),
    ).agg(accelerator_hours=rows.accelerator_hours.sum(), **cost_sums(rows))
    return sums.select(*EXPLAINERS["accelerator_days"])
