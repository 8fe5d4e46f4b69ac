"""Computes what a result costs and how long it takes, on GPU and on Trainium (METHOD §4.6).

With a target loss a result is a lineage that reached it. On GPU it costs the baseline of the last
settled day × the work that a result takes there (`cap`), on Trainium Σ cost ÷ results of the
lineages that ended in the recent window, failures included. Without a target it is a model trained
as long as on GPU: the median work of the GPU runs in the window of the baseline × what a unit
costs, on Trainium by cost ÷ work of the recent window, else of all. `result_work` is that work.
Example: an epoch costs $110.00 on GPU and $92.00 on Trainium, and GPU runs trained 10 epochs:
$1,100.00 against $920.00 a result.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import known_sum, product, ratio
from models.contract.rules.recent_window import between
from models.contract.rules.work.kinds_of_work import KIND, kind_of, recipe_of
from models.contract.schema import EXPLAINERS, NUMBER
from models.marts.savings.results.hours_per_unit import hours_per_unit, median


@mart(
    grain="workload × recipe × hardware",
    units="dollars on `cost.basis` per `unit` and per result; hours; lineages",
    nulls="recipe: none is stated; reached: no target loss; result_work: no GPU run, none that "
    "reached the target, or Trainium with a target; costs: no work, no result, an unknown cost, no "
    "baseline; hours: no run of enough work whose hours are known",
    method="§4.5, §4.6",
    whose="workload",
)
def results(
    result_runs: ir.Table,
    kinds: ir.Table,
    baselines: ir.Table,
    counterfactual_daily: ir.Table,
    workload_settled: ir.Table,
) -> ir.Table:
    """Computes dollars and hours per unit and per result of each recipe, on GPU and on Trainium."""
    runs = result_runs.mutate(kind=kind_of(result_runs.recipe))
    last = workload_settled.select("workload", "recent_since", last="settled_through")
    sides = cast(
        ir.Table, ibis.union(_gpu_costs(baselines, last), _trn_costs(counterfactual_daily, last))
    )
    rows = left_join(kinds.select(*KIND, "unit", "main"), _usual_work(runs), KIND)
    rows = rows.join(sides, KIND)
    for part in (hours_per_unit(runs), _reached(runs)):
        rows = left_join(rows, part, [*KIND, "hardware"])
    rows = rows.filter(rows.cost_per_epoch.notnull() | rows.hours_per_epoch.notnull())
    aimed, of_gpu = rows.aimed.fill_null(False), rows.hardware == "gpu"
    work = ibis.ifelse(aimed, ibis.ifelse(of_gpu, rows.cap, None), rows.usual_work)
    by_count = aimed & ~of_gpu
    return rows.mutate(
        recipe=recipe_of(rows.kind),
        result_work=work,
        cost_per_result=ibis.ifelse(
            by_count, rows.cost_of_result, product(rows.cost_per_epoch, work)
        ),
        hours_per_result=ibis.ifelse(
            by_count, rows.hours_of_result, product(rows.hours_per_epoch, work)
        ),
    ).select(*EXPLAINERS["results"])


def _usual_work(runs: ir.Table) -> ir.Table:
    """Returns the median work of each recipe's qualifying GPU runs, and if there is a target loss.

    `aimed` is true where a lineage of either side has one.
    """
    gpu = (runs.hardware == "gpu") & runs.long_enough
    rows = runs.mutate(of_gpu_=ibis.ifelse(gpu, runs.epochs, None))
    return rows.group_by(KIND).agg(
        usual_work=median(rows.of_gpu_), aimed=rows.reached.notnull().any()
    )


def _reached(runs: ir.Table) -> ir.Table:
    """Counts each recipe's runs that reached the target loss; divides cost and hours by them."""
    aimed = runs.reached.count() > 0
    sums = runs.group_by(*KIND, "hardware").agg(
        reached=ibis.ifelse(aimed, runs.lineage.count(where=runs.reached), None),
        cost=known_sum(runs.cost),
        hours=known_sum(runs.elapsed_hours),
    )
    count = sums.reached.cast(NUMBER)
    return sums.mutate(
        cost_of_result=ratio(sums.cost, count), hours_of_result=ratio(sums.hours, count)
    ).drop("cost", "hours")


def _gpu_costs(baselines: ir.Table, last: ir.Table) -> ir.Table:
    """Returns each training recipe's GPU baseline on the last settled day."""
    rows = baselines.join(last, [baselines.workload == last.workload, baselines.date == last.last])
    return rows.select(
        "workload",
        kind=kind_of(rows.recipe),
        hardware=ibis.literal("gpu"),
        days=ibis.literal("baseline"),
        cost_per_epoch="value",
        cap="cap",
    )


def _trn_costs(counterfactual_daily: ir.Table, last: ir.Table) -> ir.Table:
    """Divides each recipe's Trainium cost by its work, in the recent window, else over all days.

    Where no lineage compares, it is the cost and work of those that the unit counts.
    """
    rows = counterfactual_daily.filter(counterfactual_daily.settled).join(last, "workload")
    rows = rows.mutate(recent_=between(rows.date, rows.recent_since, rows["last"]))
    worked = (rows.recent_ & (rows.counted_epochs > 0)).any()
    rows = rows.mutate(lately_=worked.over(ibis.window(group_by=KIND)))
    rows = rows.filter(rows.recent_ | ~rows.lately_)
    sums = rows.group_by(KIND).agg(
        hardware=ibis.literal("trainium"),
        days=ibis.ifelse(rows.lately_.any(), "recent", "all"),
        cost_per_epoch=ratio(known_sum(rows.counted_cost), rows.counted_epochs.sum()),
    )
    sums = sums.mutate(cap=ibis.null(NUMBER))
    return sums.select(*KIND, "hardware", "days", "cost_per_epoch", "cap")
