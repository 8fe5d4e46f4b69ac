"""The runs whose spread a forecast is drawn from.

Grain: workload × hardware × lineage. On GPU every lineage that qualified for the baseline on any
day up to the last settled one, its accelerator hours at that day's price less the discount it paid
(what it cost where a price is unknown): a price cut is not spread. `in_window` says that it stands
in that day's baseline; of further kinds of work `epochs` are what epochs of the workload's main
kind cost as much (`kinds_of_work`), so that all spread about one mean. On Trainium every production
lineage that counts: `counterfactual` at each day's baseline, `cost` and `epochs` of its settled
days. Dollars on the configured basis.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, money, product, ratio, zero_if_null
from models.contract.rules.kinds_of_work import KIND, with_own_baseline
from models.contract.rules.price_in_force import with_price

LINE = ["workload", "lineage"]


def forecast_runs(
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    credited_daily: ir.Table,
    baselines: ir.Table,
    further_baselines: ir.Table,
    workload_settled: ir.Table,
) -> ir.Table:
    """`workload`, `hardware`, `lineage`, `cost`, `epochs`, `counterfactual`, `in_window`."""
    gpu = _qualified(baseline_window, workload_settled)
    gpu = gpu.join(lineage_facts.select(*LINE, "cost", "epochs"), LINE)
    gpu = left_join(gpu, _repriced(gpu_use, price_steps, workload_settled), LINE)
    gpu = left_join(gpu, _worth(baselines, further_baselines, workload_settled), KIND)
    gpu = gpu.mutate(
        hardware=ibis.literal("gpu"),
        epochs=ibis.ifelse(gpu.kind == 0, gpu.epochs, product(gpu.done, gpu.worth)),
        cost=gpu.cost + zero_if_null(gpu.repricing),
        counterfactual=ZERO,
    )
    columns = ["workload", "hardware", "lineage", "cost", "epochs", "counterfactual", "in_window"]
    return gpu.select(columns).union(
        _trainium(with_own_baseline(credited_daily, baselines, further_baselines, "value")).select(
            columns
        )
    )


def _qualified(baseline_window: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Each lineage of any window so far, and whether the newest window holds it."""
    rows = baseline_window.join(workload_settled, "workload")
    rows = rows.filter(rows.qualifies & (rows.since <= rows.settled_through))
    newest = rows.group_by(KIND).agg(newest=rows.since.max())
    rows = left_join(rows, newest, KIND)
    return rows.group_by(*LINE, "kind").agg(
        in_window=(rows.since == rows.newest).any(),
        done=ratio(rows.work.max(), rows.per_epoch.max()),
    )


def _repriced(gpu_use: ir.Table, price_steps: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """What a lineage's hours would cost today less what they cost, dollars; 0 where unknown."""
    rows = gpu_use.join(workload_settled, "workload")
    priced = with_price(rows, price_steps, on="settled_through")
    today = priced.usd_per_hour.cast("float64") * priced.instance_hours.cast("float64")
    today = today / priced.reference_cost.cast("float64").nullif(0)
    today = money((today * priced.effective_cost.cast("float64")).round(6))
    moved = priced.mutate(moved=today - priced.effective_cost)
    return moved.group_by(LINE).agg(repricing=known_sum(moved.moved))


def _worth(baselines: ir.Table, further: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """How many epochs of the main kind one of a further kind is worth on the last settled day."""
    last = workload_settled.select("workload", date="settled_through")
    first = last.join(baselines, ["workload", "date"]).select("workload", "date", first="value")
    rows = first.join(further, ["workload", "date"])
    return rows.select(*KIND, worth=ratio(rows.value, rows["first"]))


def _trainium(rows: ir.Table) -> ir.Table:
    rows = rows.filter(rows.settled & (rows.standing == "counted"))
    return rows.group_by(LINE).agg(
        hardware=ibis.literal("trainium"),
        cost=known_sum(rows.cost),
        epochs=rows.epochs.sum(),
        counterfactual=known_sum(product(rows.value, rows.credited_epochs)),
        in_window=ibis.literal(False),
    )
