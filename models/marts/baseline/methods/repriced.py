"""The repriced baseline, term by term: what a GPU epoch's hours cost on a day (METHOD §5.3).

A term is one way in which the window's GPU hours were bought: platform × instance type × region ×
purchase option. `price` is its series' dollars per instance-hour from `since` on; `factor` is what
was paid of the reference price; `repriced` is the term itself, dollars per epoch.
`repriced_at_list` is the same hours at the day's list price, which for Spot hours is the on-demand
price (METHOD §6). Unknown stays null. Example: 8 hours an epoch at $32.7726 list, of which 80 % was
paid, are $209.74; after the price falls to $21.957642 they are $140.53.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, money, product, ratio
from models.contract.rules.join_price import with_price
from models.contract.rules.kinds_of_work import KIND_SINCE

WAY = ["platform", "instance_type", "region", "purchase_option", "series"]


def repriced_terms(
    baseline_window: ir.Table, lineage_facts: ir.Table, gpu_use: ir.Table, price_steps: ir.Table
) -> ir.Table:
    """Prices each baseline window's GPU hours at the day's price, a row per way of buying them."""
    members = baseline_window.join(
        lineage_facts.select("workload", "lineage", "cost"), ["workload", "lineage"]
    )
    terms = _hours(members, gpu_use).join(_work(members), KIND_SINCE)
    accelerator = terms.effective_cost.sum().over(ibis.window(group_by=KIND_SINCE))
    terms = terms.mutate(
        other_cost=terms.cost - accelerator,
        listed_in=ibis.ifelse(terms.series == "spot", "on_demand", terms.series),
    )
    priced = with_price(terms, price_steps, on="since", columns=("usd_per_hour", "stale_from"))
    priced = priced.rename(price="usd_per_hour")
    return _terms(with_price(priced, price_steps.view(), on="since", series="listed_in"))


def _terms(rows: ir.Table) -> ir.Table:
    """Computes, for each way GPU hours were bought, its dollars per epoch at the day's price."""
    price = money(rows.price)
    at_list = product(rows.instance_hours, money(rows.usd_per_hour))
    repriced = price.cast("float64") * rows.instance_hours.cast("float64")
    repriced = repriced * rows.effective_cost.cast("float64")
    repriced = repriced / rows.reference_cost.nullif(ZERO).cast("float64")
    repriced = repriced / rows.work.cast("float64")
    return rows.select(
        *KIND_SINCE, *WAY, "runs", "instance_hours", "effective_cost", "list_cost",
        "reference_cost",
        price=price,
        stale_price=rows.since >= rows.stale_from,
        epochs="work",
        hours_per_epoch=ratio(rows.instance_hours, rows.work),
        factor=ratio(rows.effective_cost, rows.reference_cost),
        repriced=money(repriced),
        repriced_at_list=ratio(at_list, rows.work),
        other_per_epoch=ratio(rows.other_cost, rows.work),
    )  # fmt: skip


def _work(members: ir.Table) -> ir.Table:
    """Sums the work and the whole cost of the GPU lineages in each baseline window."""
    return members.group_by(KIND_SINCE).agg(
        work=members.work.sum(),
        runs=members.lineage.count(where=members.qualifies),
        cost=members.cost.sum(),
    )


def _hours(members: ir.Table, gpu_use: ir.Table) -> ir.Table:
    """Sums the GPU hours of each baseline window and their cost, per way of buying them."""
    # hundreds of windows hold the same lineages, so a way of buying is grouped by its number
    numbered = gpu_use.mutate(way=ibis.dense_rank().over(order_by=WAY))
    used = members.select(*KIND_SINCE, "lineage").join(numbered, ["workload", "lineage"])
    hours = used.group_by(*KIND_SINCE, "way").agg(
        instance_hours=used.instance_hours.sum(),
        effective_cost=used.effective_cost.sum(),
        list_cost=known_sum(used.list_cost),
        reference_cost=known_sum(used.reference_cost),
    )
    return hours.join(numbered.select("way", *WAY).distinct(), "way").drop("way")


def pooled(terms: ir.Table) -> ir.Table:
    """Sums each baseline window's repriced dollars per epoch; null if some hours have no price."""
    kind = terms.instance_type.fill_null("unknown") + " in " + terms.region.fill_null("no region")
    unpriced = terms.repriced.isnull()
    return terms.group_by(*KIND_SINCE, "other_per_epoch").agg(
        part_repriced=known_sum(terms.repriced),
        part_repriced_at_list=known_sum(terms.repriced_at_list),
        part_list_cost=terms.list_cost.sum(),
        stale_price=terms.stale_price.any(),
        unpriced=unpriced.any(),
        gpu_hours=terms.instance_hours.sum(),
        unpriced_hours=terms.instance_hours.sum(where=unpriced),
        unpriced_kinds=kind.collect(where=unpriced, order_by=kind, distinct=True).join(", "),
    )
