"""Computes what a baseline's GPU hours cost at the prices of another day: repriced (METHOD §5.3).

A term is one way in which the window's GPU hours were bought: platform × instance type × region ×
series (on-demand and committed hours are one). `price` is its series' dollars per instance-hour;
`factor` is what was paid of the reference price; `repriced` is the term itself, dollars per epoch.
`repriced_at_list` is the same hours at the day's list price, which for Spot hours is the on-demand
price (METHOD §6). Unknown stays null. Example: 8 hours an epoch at $32.7726 list, of which 80 % was
paid, are $209.74; after the price falls to $21.957642 they are $140.53.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import without
from models.contract.money import ZERO, known_sum, money, product, ratio
from models.contract.rules.join_price import with_price
from models.contract.rules.work.kinds_of_work import CANDIDATE, KIND, KIND_SINCE

WAY = ["platform", "instance_type", "region", "series"]


def window_hours(baseline_window: ir.Table, lineage_facts: ir.Table, gpu_use: ir.Table) -> ir.Table:
    """Sums each baseline window's GPU hours and cost by instance type, region and price series.

    With `runs`, `epochs` and `other_per_epoch`, the cost of other components, of the window.
    """
    members = baseline_window.join(
        lineage_facts.select("workload", "lineage", "cost"), ["workload", "lineage"]
    )
    hours = _hours(members, gpu_use).join(_work(members), CANDIDATE)
    accelerator = hours.effective_cost.sum().over(ibis.window(group_by=CANDIDATE))
    priced = hours.mutate(
        other_per_epoch=ratio(hours.cost - accelerator, hours.epochs),
        listed_in=ibis.ifelse(hours.series == "spot", "on_demand", hours.series),
    )
    return without(priced, "cost")


def priced_days(hours: ir.Table, baseline_window: ir.Table, price_steps: ir.Table) -> ir.Table:
    """Lists days on which a recipe's repriced baseline may change: its GPU runs or their prices do.

    The prices are those of the hours that the runs used; one changes, ends or becomes stale.

    A row per workload, kind and `since`; `window` is the day on which that window began.
    """
    begins = baseline_window.select(*KIND_SINCE).distinct()
    following = begins.since.lead().over(ibis.window(group_by=KIND, order_by=begins.since))
    windows = begins.select(*KIND, window="since", until=following)
    series = ["instance_type", "region", "series"]
    bought = hours.select(*KIND, *series).union(
        hours.select(*KIND, *series[:2], series="listed_in")
    )
    used = bought.distinct().join(price_steps, series)
    changes = used.select(*KIND, "since")
    for day in ("until", "stale_from"):
        changes = changes.union(used.select(*KIND, since=day))
    held = windows.join(changes.distinct(), KIND)
    later = (held.since > held.window) & ((held.since < held.until) | held.until.isnull())
    days = held.filter(later).select(*KIND, "since", "window")
    return days.union(windows.select(*KIND, "window", since="window").select(days.columns))


def repriced_terms(hours: ir.Table, price_steps: ir.Table, on: str) -> ir.Table:
    """Adds what each baseline's GPU hours cost per unit at the price of the day in column `on`."""
    priced = with_price(hours, price_steps, on=on, columns=("usd_per_hour", "stale_from"))
    priced = priced.rename(price="usd_per_hour")
    rows = with_price(priced, price_steps.view(), on=on, series="listed_in")
    rows = rows.mutate(price=money(rows.price))
    at_list = product(rows.instance_hours, money(rows.usd_per_hour))
    return rows.mutate(
        stale_price=rows[on] >= rows.stale_from,
        purchase_option="series",
        hours_per_epoch=ratio(rows.instance_hours, rows.epochs),
        factor=ratio(rows.effective_cost, rows.reference_cost),
        repriced=at_price(rows, rows.effective_cost, rows.reference_cost),
        repriced_at_list=ratio(at_list, rows.epochs),
    )


def at_price(rows: ir.Table, paid: ir.Value, public: ir.Value) -> ir.Value:
    """Returns GPU cost per unit: hours × day's price × (cost ÷ cost at public prices) ÷ work."""
    dollars = rows.price.cast("float64") * rows.instance_hours.cast("float64")
    dollars = dollars * paid.cast("float64") / public.nullif(ZERO).cast("float64")
    return money(dollars / rows.epochs.cast("float64"))


def _work(members: ir.Table) -> ir.Table:
    """Sums work and whole cost of the GPU runs (resumed ones as one) in each baseline window."""
    return members.group_by(CANDIDATE).agg(
        epochs=members.work.sum(),
        runs=members.lineage.count(where=members.qualifies),
        cost=members.cost.sum(),
    )


def _hours(members: ir.Table, gpu_use: ir.Table) -> ir.Table:
    """Sums each baseline window's GPU hours and cost by platform, type, region and price series."""
    # many windows hold the same lineages, so a way of buying is grouped by its number
    numbered = gpu_use.mutate(way=ibis.dense_rank().over(order_by=WAY))
    used = members.select(*CANDIDATE, "lineage").join(numbered, ["workload", "lineage"])
    hours = used.group_by(*CANDIDATE, "way").agg(
        instance_hours=used.instance_hours.sum(),
        effective_cost=used.effective_cost.sum(),
        list_cost=known_sum(used.list_cost),
        reference_cost=known_sum(used.reference_cost),
    )
    return hours.join(numbered.select("way", *WAY).distinct(), "way").drop("way")


def summed_terms(terms: ir.Table) -> ir.Table:
    """Sums each baseline's GPU hours and repriced dollars per unit; null if a price is unknown."""
    kind = terms.instance_type.fill_null("unknown") + " in " + terms.region.fill_null("no region")
    unpriced = terms.repriced.isnull()
    public = ratio(product(terms.instance_hours, terms.price), terms.epochs)
    return terms.group_by(*CANDIDATE, "window", "other_per_epoch").agg(
        part_repriced=known_sum(terms.repriced),
        part_public=known_sum(public),
        part_repriced_at_list=known_sum(terms.repriced_at_list),
        part_list_cost=terms.list_cost.sum(),
        stale_price=terms.stale_price.any(),
        unpriced=unpriced.any(),
        gpu_hours=terms.instance_hours.sum(),
        unpriced_hours=terms.instance_hours.sum(where=unpriced),
        unpriced_kinds=kind.collect(where=unpriced, order_by=kind, distinct=True).join(", "),
    )
