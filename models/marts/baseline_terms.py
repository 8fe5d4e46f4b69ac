"""The repriced baseline, term by term: what a GPU epoch's hours cost at a day's price.

Grain: workload × since × platform × instance type × region × purchase option. Hours and dollars
are of the window's lineages; `price` is the series' dollars per instance-hour from `since` on;
`factor` is what was paid of the reference price (METHOD §5); `repriced` is the term itself,
dollars per epoch. Unknown stays null.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import PLACES, known_sum, money, product, ratio


def baseline_terms(
    baseline_members: ir.Table, lineage_facts: ir.Table, gpu_use: ir.Table, price_steps: ir.Table
) -> ir.Table:
    """One row per way in which the window's GPU hours were bought."""
    day = ["workload", "since"]
    members = baseline_members.join(
        lineage_facts.select("workload", "lineage", "cost"), ["workload", "lineage"]
    )
    work = members.group_by(day).agg(
        work=members.work.sum(),
        per_epoch=members.per_epoch.max(),
        runs=members.lineage.count(where=members.qualifies),
        cost=known_sum(members.cost),
    )
    used = members.select("workload", "since", "lineage").join(gpu_use, ["workload", "lineage"])
    group = [*day, "platform", "instance_type", "region", "purchase_option", "series"]
    terms = used.group_by(group).agg(
        instance_hours=used.instance_hours.sum(),
        effective_cost=known_sum(used.effective_cost),
        list_cost=known_sum(used.list_cost),
        reference_cost=known_sum(used.reference_cost),
    )
    terms = terms.join(work, day)
    accelerator = terms.effective_cost.sum().over(ibis.window(group_by=day))
    priced = terms.mutate(other_cost=terms.cost - accelerator).left_join(
        price_steps,
        [
            terms.instance_type == price_steps.instance_type,
            terms.region == price_steps.region,
            terms.series == price_steps.series,
            terms.since >= price_steps.since,
            (terms.since < price_steps.until) | price_steps.until.isnull(),
        ],
    )
    return _terms(
        priced.select(
            *(priced[name] for name in [*terms.columns, "other_cost"]),
            price=money(price_steps.usd_per_hour),
            stale_price=(priced.since >= price_steps.stale_from).fill_null(False),
        )
    )


def _terms(rows: ir.Table) -> ir.Table:
    per = rows.per_epoch
    hours = ratio(product(rows.instance_hours, per), rows.work)
    factor = ratio(rows.effective_cost, rows.reference_cost)
    at_list = product(rows.instance_hours, rows.price)
    repriced = rows.price.cast("float64") * rows.instance_hours.cast("float64")
    repriced = repriced * rows.effective_cost.cast("float64")
    repriced = repriced / rows.reference_cost.cast("float64").nullif(0)
    repriced = repriced * per.cast("float64") / rows.work.cast("float64").nullif(0)
    return rows.mutate(
        epochs=ratio(rows.work, per),
        hours_per_epoch=hours,
        factor=factor,
        repriced=money(repriced.round(PLACES)),
        repriced_at_list=ratio(product(at_list, per), rows.work),
        other_per_epoch=ratio(product(rows.other_cost, per), rows.work),
    )
