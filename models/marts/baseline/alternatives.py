"""Computes how much faster another GPU would have to train to beat Trainium (METHOD §5.7).

`needed_speedup` = instance-hours per unit behind the baseline × the offer's price on the last
settled day × the baseline's factor (1 for blocks) ÷ Trainium's cost per unit in the recent window,
overhead included. Example: 10.5 hours, $55.04, 0.762832 and $100 an epoch: a p5 would beat Trainium
if it trained 4.41 times as fast as the p4d. `peak_speedup` is how many times as fast it computes at
most, by data sheets: 3.17, so it cannot. The table is for information and enters no headline. It
covers each workload's main kind of work, and machines with at least half as many accelerators as
the baseline's.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, money, product, ratio
from models.contract.rules.join_price import with_price
from models.contract.rules.recent_window import between
from models.contract.rules.work.kinds_of_work import recipe_of
from models.contract.schema import MARTS

OFFERS = ("on_demand", "capacity_block")
HALF = 2


@mart(
    grain="workload × recipe × instance_type × offer (`on_demand`, `capacity_block`)",
    units="dollars on `cost.basis` per `unit`; instance-hours",
    nulls="recipe: none is stated; usd_per_hour: price unavailable; trn_cost_per_epoch: no work on "
    "Trainium in the recent window, or a cost is unknown; needed_speedup: one of its parts; "
    "peak_speedup: no data sheet",
    method="§5.7",
    whose="workload",
)
def alternatives(
    baseline_parts: ir.Table,
    kinds: ir.Table,
    catalog: ir.Table,
    price_steps: ir.Table,
    counterfactual_daily: ir.Table,
    savings_daily: ir.Table,
    workload_settled: ir.Table,
) -> ir.Table:
    """Computes how many times as fast as the baseline each GPU must be to match Trainium's cost."""
    rows = _own(baseline_parts, catalog).join(
        kinds.filter(kinds.main).select("workload", "kind", "unit"), "workload"
    )
    last = rows.join(workload_settled.select("workload", "recent_since"), "workload")
    last = last.select("workload", "recent_since", last="date")
    rows = left_join(rows, _trainium(last, counterfactual_daily, savings_daily), ["workload"])
    types = catalog.filter(catalog.hardware == "gpu")
    offers = types.mutate(offer=ibis.array(list(OFFERS)).unnest())
    each = rows.cross_join(
        offers.select("instance_type", "platform", "offer", size="accelerators", peak="peak_tflops")
    ).filter(lambda row: row["size"] * HALF >= row.accelerators)
    each = with_price(each, price_steps, on="date", series="offer")
    return (
        each.mutate(
            recipe=recipe_of(each.kind),
            usd_per_hour=money(each.usd_per_hour),
            factor=ibis.ifelse(each.offer == OFFERS[0], each.factor, money(1)),
        )
        .mutate(needed_speedup=_needed, peak_speedup=lambda row: ratio(row.peak, row.own_peak))
        .select(*MARTS["alternatives"])
    )


def _needed(rows: ir.Table) -> ir.Value:
    """Returns the needed speed-up: hours × price × factor ÷ Trainium's cost per unit; or null."""
    hours = product(product(rows.hours_per_epoch, rows.usd_per_hour), rows.factor)
    return ratio(hours, rows.trn_cost_per_epoch)


def _own(parts: ir.Table, catalog: ir.Table) -> ir.Table:
    """Returns each workload's baseline: GPU hours per unit, price factor, region, platform, …."""
    sizes = catalog.select("instance_type", "accelerators", "peak_tflops")
    rows = left_join(parts, sizes, ["instance_type"])
    public = ~rows.purchase_option.isin(("spot", "capacity_block"))
    weighted = product(rows.instance_hours, ibis.coalesce(rows.payer_factor, rows.factor))
    sums = rows.group_by("workload", "date").agg(
        hours=rows.instance_hours.sum(),
        epochs=rows.epochs.max(),
        public_hours=rows.instance_hours.sum(where=public),
        weighted=known_sum(weighted, where=public),
        accelerators=rows.accelerators.max(),
    )
    sums = left_join(sums, _most_used(rows), ["workload"])
    return sums.select(
        "workload", "date", "region", "baseline_platform", "accelerators", "own_peak",
        hours_per_epoch=ratio(sums.hours, sums.epochs),
        factor=ratio(sums.weighted, sums.public_hours),
    )  # fmt: skip


def _most_used(rows: ir.Table) -> ir.Table:
    """Returns per workload region, platform and peak speed of most of its baseline's hours."""
    order = [ibis.desc(rows.instance_hours), rows.region, rows.instance_type, rows.purchase_option]
    place = ibis.row_number().over(ibis.window(group_by="workload", order_by=order))
    ranked = rows.mutate(place=place)
    return ranked.filter(ranked.place == 0).select(
        "workload", "region", baseline_platform="platform", own_peak="peak_tflops"
    )


def _trainium(last: ir.Table, counterfactual_daily: ir.Table, savings_daily: ir.Table) -> ir.Table:
    """Computes each workload's cost per unit on Trainium in the recent window, overhead included.

    Overhead is divided between the kinds of a workload by their Trainium cost.
    """
    own = counterfactual_daily.filter(counterfactual_daily.main & counterfactual_daily.settled)
    own = own.join(last, "workload")
    own = own.filter(between(own.date, own.recent_since, own["last"]))
    all_days = savings_daily.filter(savings_daily.settled).join(last, "workload")
    all_days = all_days.filter(between(all_days.date, all_days.recent_since, all_days["last"]))
    main = own.group_by("workload").agg(
        cost=known_sum(own.counted_cost), epochs=own.counted_epochs.sum()
    )
    whole = all_days.group_by("workload").agg(
        trn_cost=known_sum(all_days.trn_cost), overhead=known_sum(all_days.overhead)
    )
    both = left_join(main, whole, ["workload"])
    part = ratio(product(both.overhead, both.cost), both.trn_cost)
    cost = both.cost + ibis.ifelse(both.overhead == 0, ZERO, part)
    return both.select("workload", trn_cost_per_epoch=ratio(cost, both.epochs))
