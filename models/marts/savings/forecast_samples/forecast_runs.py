"""Returns cost and epochs of the runs from which forecasts are drawn.

On GPU: every lineage that a window of the baseline's platform (as of the last settled day) has ever
included. Its accelerator-hours are at that day's price less the discount it paid, because a price
cut is no difference between runs; hours without a price on that day stay at what they cost. A
payer's lower factor is no difference either, and lowers the baseline alone. `in_window` marks those
of the newest window. Work of another kind is converted to work of the main kind that costs as much
on GPU, so that all runs vary around one mean; `of_main` marks those of the main kind itself. On
Trainium: every production lineage that counts, with cost, work and counterfactual of its settled
days on which its kind had a baseline, as in savings.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, money, product, ratio, zero_if_null
from models.contract.rules.join_price import with_price
from models.contract.rules.work.kinds_of_work import (
    KIND,
    SEVERAL,
    kind_of,
    of_main_kind,
    with_own_baseline,
)

LINE = ["workload", "lineage"]


@step(
    grain="workload × hardware × lineage",
    units="dollars on `cost.basis`; epochs in the unit of the main kind",
    nulls="amounts: unknown",
    method="§6.6",
    whose="run",
)
def forecast_runs(
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    credited_daily: ir.Table,
    baselines: ir.Table,
    workload_settled: ir.Table,
) -> ir.Table:
    """Lists the runs that forecasts draw from, with cost (GPU at today's price) and epochs."""
    gpu = _qualified(baseline_window, baselines, workload_settled)
    gpu = gpu.join(lineage_facts.select(*LINE, "cost"), LINE)
    gpu = left_join(gpu, _repriced(gpu_use, price_steps, workload_settled), LINE)
    worth = _worth(baselines, workload_settled)
    gpu = left_join(gpu, worth, KIND)
    gpu = gpu.mutate(
        hardware=ibis.literal("gpu"),
        epochs=_of_main_kind(gpu, gpu.done),
        cost=gpu.cost + zero_if_null(gpu.repricing),
        counterfactual=ZERO,
    )
    columns = [
        "workload", "hardware", "lineage", "cost", "epochs", "counterfactual", "in_window",
        "of_main",
    ]  # fmt: skip
    trn = left_join(with_own_baseline(credited_daily, baselines, "value"), worth, KIND)
    return gpu.select(columns).union(_trainium(trn).select(columns))


def _qualified(
    baseline_window: ir.Table, baselines: ir.Table, workload_settled: ir.Table
) -> ir.Table:
    """Lists qualifying GPU runs of the baseline's platform, and which the newest window has."""
    today = workload_settled.select("workload", "settled_through", date="settled_through")
    today = today.join(baselines, ["workload", "date"])
    today = today.select(
        "workload",
        "settled_through",
        kind=kind_of(today.recipe),
        candidate=today.platform.fill_null(SEVERAL),
    )
    rows = baseline_window.join(today, [*KIND, "candidate"])
    rows = rows.filter(rows.qualifies & (rows.since <= rows.settled_through))
    newest = rows.since.max().over(ibis.window(group_by=KIND))
    rows = rows.mutate(current=rows.since == newest)
    return rows.group_by(*LINE, "kind").agg(in_window=rows.current.any(), done=rows.work.max())


def _repriced(gpu_use: ir.Table, price_steps: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Returns how many dollars more each run's GPU hours would cost on the last settled day.

    Hours bought in a way that has no price then stay at what they cost, the others do not.
    """
    rows = gpu_use.join(workload_settled, "workload")
    priced = with_price(rows, price_steps, on="settled_through")
    today = priced.usd_per_hour.cast("float64") * priced.instance_hours.cast("float64")
    today = today / priced.reference_cost.cast("float64").nullif(0)
    today = money((today * priced.effective_cost.cast("float64")).round(6))
    moved = priced.mutate(moved=today - priced.effective_cost)
    return moved.group_by(LINE).agg(repricing=moved.moved.sum())


def _worth(baselines: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Returns how much main-recipe work costs as much on GPU as one unit of each recipe's work."""
    last = workload_settled.select("workload", date="settled_through")
    held = last.join(baselines, ["workload", "date"])
    main = of_main_kind(held).select("workload", main_value="value")
    rows = held.join(main, "workload")
    worth = ibis.ifelse(rows.main, 1, ratio(rows.value, rows.main_value))
    return rows.select("workload", kind=kind_of(rows.recipe), worth=worth, of_main=rows.main)


def _of_main_kind(rows: ir.Table, work: ir.Value) -> ir.Value:
    """Converts work of a row's recipe to work of its workload's main recipe of equal GPU cost."""
    return product(work, rows.worth)


def _trainium(rows: ir.Table) -> ir.Table:
    """Sums cost, epochs and GPU counterfactual of Trainium runs over days with a baseline."""
    rows = rows.filter(rows.settled & (rows.standing == "counted") & rows.value.notnull())
    return rows.group_by(LINE).agg(
        hardware=ibis.literal("trainium"),
        cost=known_sum(rows.cost),
        epochs=_of_main_kind(rows, rows.epochs).sum(),
        counterfactual=known_sum(product(rows.value, rows.credited_epochs)),
        in_window=ibis.literal(False),
        of_main=rows.of_main.fill_null(False).any(),
    )
