"""Publishes what benchmarks cost on each platform, and what a port would save (METHOD §5.6).

Cost per unit is a ratio of sums over the platform's benchmarks. A Trainium platform is compared
with the baseline of the last settled day (at list prices if the benchmarks are), else with the GPU
platform whose benchmark costs least, because you would rent the GPU that serves you best. Example:
$60.00 an epoch on p4d and $44.00 on trn1, 10 epochs planned: each result saves $160.00, so 63
results pay a port of $10,000.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import known_sum, product, ratio
from models.contract.rules.work.kinds_of_work import KIND, kind_of, recipe_of
from models.contract.schema import MARTS, NUMBER

LIST = "list"


@mart(
    grain="workload × recipe × platform",
    units="dollars on `cost.basis`, or at list (`priced`); epochs in `unit`; instance-hours",
    nulls="recipe: none is stated; platform: no machine on the bill; numbers: `reason` says why; "
    "planned_epochs: not declared, and no GPU run qualifies; results_to_pay: no port is declared, "
    "or a result saves nothing",
    method="§5.6",
    whose="workload",
)
def benchmarks(
    benchmark_runs: ir.Table,
    baselines: ir.Table,
    workload_settled: ir.Table,
    comparable: ir.Table,
    config_workloads: ir.Table,
    config_investments: ir.Table,
) -> ir.Table:
    """Computes benchmarks' cost per unit and result by recipe and platform, and what is saved."""
    rows = _by_platform(benchmark_runs)
    rows = left_join(rows, _baseline(baselines, workload_settled), KIND)
    rows = left_join(rows, _best_gpu(rows), KIND)
    rows = left_join(rows, _declared_port(config_investments), ["workload"])
    rows = _with_plan(rows, comparable, config_workloads)
    return _answered(_compared(rows)).select(*MARTS["benchmarks"])


def _by_platform(runs: ir.Table) -> ir.Table:
    """Sums measured benchmarks by recipe and platform; `reason` says why others have no measure."""
    known = runs.cost_per_epoch.notnull()
    why = ibis.literal("run ") + runs.run + ": " + runs.reason
    sums = runs.mutate(kind=kind_of(runs.recipe)).group_by(
        *KIND, "unit", "hardware", "platform"
    ).agg(
        runs=runs.run.count(where=known),
        instance_hours=runs.instance_hours.sum(where=known),
        done=runs.epochs.sum(where=known),
        cost=known_sum(runs.cost, where=known),
        priced=runs.priced.max(where=known),
        last_day=runs.last_day.max(where=known),
        reason=why.collect(where=~known, order_by=why).join("; ").nullif(""),
    )  # fmt: skip
    return sums.mutate(
        instance_hours_per_epoch=ratio(sums.instance_hours, sums.done),
        cost_per_epoch=ratio(sums.cost, sums.done),
    )


def _baseline(baselines: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Returns each recipe's GPU baseline on the last settled day, as paid and at list prices."""
    days = workload_settled.select("workload", date="settled_through")
    held = baselines.join(days, ["workload", "date"])
    return held.select("workload", kind=kind_of(held.recipe), paid="value", listed="value_at_list")


def _best_gpu(rows: ir.Table) -> ir.Table:
    """Returns for each training recipe the GPU platform whose benchmarks cost least per unit."""
    gpu = rows.filter((rows.hardware == "gpu") & rows.cost_per_epoch.notnull())
    order = ibis.window(group_by=KIND, order_by=[gpu.cost_per_epoch, gpu.platform])
    ranked = gpu.mutate(place=ibis.row_number().over(order))
    return ranked.filter(ranked.place == 0).select(
        *KIND, gpu_platform="platform", gpu_cost="cost_per_epoch"
    )


def _declared_port(config_investments: ir.Table) -> ir.Table:
    """Sums each workload's one-time investments in the config: what the port costs."""
    once = config_investments.filter(
        (config_investments.kind != "upkeep") & config_investments.workload.notnull()
    )
    return once.group_by("workload").agg(declared_port=once.amount.sum())


def _with_plan(rows: ir.Table, comparable: ir.Table, config_workloads: ir.Table) -> ir.Table:
    """Adds the work of one result: `planned_epochs`, else the median of qualifying GPU runs."""
    qualified = comparable.filter(comparable.qualifies)
    usual = qualified.group_by(KIND).agg(median=qualified.work.median().cast(NUMBER))
    rows = left_join(rows, usual, KIND)
    planned = config_workloads.select("workload", planned="planned_epochs")
    rows = left_join(rows, planned, ["workload"])
    return rows.mutate(
        planned_epochs=ibis.coalesce(rows.planned, rows.median),
        planned_by=ibis.cases(
            (rows.planned.notnull(), "config"), (rows.median.notnull(), "median")
        ),
    )


def _compared(rows: ir.Table) -> ir.Table:
    """Adds to Trainium's rows a GPU cost to compare with: the baseline, else the best benchmark."""
    base = ibis.ifelse(rows.priced == LIST, rows.listed, rows.paid)
    on_trainium = (rows.hardware == "trainium") & rows.cost_per_epoch.notnull()
    against = ibis.cases((base.notnull(), "baseline"), (rows.gpu_cost.notnull(), "benchmark"))
    other = base.isnull() & on_trainium
    return rows.mutate(
        against=ibis.ifelse(on_trainium, against, None),
        against_platform=ibis.ifelse(other, rows.gpu_platform, None),
        gpu_cost_per_epoch=ibis.ifelse(on_trainium, ibis.coalesce(base, rows.gpu_cost), None),
    )


def _answered(rows: ir.Table) -> ir.Table:
    """Computes cost and saving per result, and how many results pay the declared port."""
    rows = rows.mutate(
        recipe=recipe_of(rows.kind),
        cost_per_result=product(rows.cost_per_epoch, rows.planned_epochs),
        saving_per_epoch=rows.gpu_cost_per_epoch - rows.cost_per_epoch,
    )
    rows = rows.mutate(saving_per_result=product(rows.saving_per_epoch, rows.planned_epochs))
    results = ratio(rows.declared_port, rows.saving_per_result).ceil().cast("int64")
    pays = (rows.saving_per_result > 0) & (rows.declared_port > 0)
    return rows.mutate(results_to_pay=ibis.ifelse(pays, results, None))
