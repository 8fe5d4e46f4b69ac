"""Computes what part of list price each payer paid for GPU hours over the last 84 settled days.

On-demand and committed hours of 84 settled days, of every workload and of none: they show today's
discount, also if the runs of a baseline are older (METHOD §5.3). Unused commitments are not hours.
`list_cost` is the bill's own, or the price table × hours if the bill has none; hours of unknown
cost or list cost are left out; as billed, hours that a plan or an upfront fee paid for are such.
Example: 300 hours of p4d listed at $6,587.29, for which $4,446.42 were paid: factor 0.675.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import ratio
from models.contract.rules.attribution_groups import OF_RUNNING_MACHINES
from models.contract.rules.known_cost import known_cost
from models.contract.rules.recent_window import DAYS
from models.contract.schema import EXPLAINERS
from models.marts.baseline.gpu_use import ON_DEMAND, series_of, with_reference


@mart(
    grain="date × billing_account × instance_type",
    units="instance-hours and dollars on `cost.basis` of the 84 settled days up to `date`",
    nulls="billing_account: the bill names none; factor: the hours are listed at nothing",
    method="§5.3",
    whose="company",
)
def payer_use(
    spend_daily: ir.Table, gpu_use: ir.Table, price_steps: ir.Table, settings: Settings
) -> ir.Table:
    """Sums on-demand and committed GPU hours and cost of the last 84 days, by day, payer and type.

    Of the settled ones up to each day, to the newest day of the bill, and of the machines that GPU
    runs have used.
    """
    rows = spend_daily.filter(
        spend_daily.settled
        & (spend_daily.component == "accelerator")
        & spend_daily.attribution.isin(OF_RUNNING_MACHINES)
        & (series_of(spend_daily.purchase_option) == ON_DEMAND)
    ).semi_join(gpu_use, "instance_type")
    rows = rows.mutate(cost=known_cost(rows, settings.cost.basis), series=ibis.literal(ON_DEMAND))
    priced = with_reference(rows, price_steps)
    priced = priced.filter(priced.cost.notnull() & priced.reference.notnull())
    days = priced.group_by("date", "billing_account", "instance_type").agg(
        instance_hours=priced.instance_hours.sum(),
        effective_cost=priced.cost.sum(),
        list_cost=priced.reference.sum(),
    )
    each = days.mutate(away=ibis.range(0, DAYS).unnest())
    each = each.mutate(date=(each.date + each.away.as_interval("D")).cast("timestamp").date())
    each = each.filter(each.date <= spend_daily.date.max().as_scalar())
    sums = each.group_by("date", "billing_account", "instance_type").agg(
        instance_hours=each.instance_hours.sum(),
        effective_cost=each.effective_cost.sum(),
        list_cost=each.list_cost.sum(),
    )
    factor = ratio(sums.effective_cost, sums.list_cost)
    return sums.mutate(factor=factor).select(*EXPLAINERS["payer_use"])
