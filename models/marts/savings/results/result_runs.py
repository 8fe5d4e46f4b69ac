"""Lists the runs (resumed as one) by which results on GPU and Trainium are compared, per recipe.

On GPU they are the lineages of the baseline's window on the last settled day. On Trainium they are
the comparable ones that ended in the recent window, else all that ended. `long_enough`: it did at
least the work with which a GPU lineage qualifies, so its hours per unit count. Cost and work of a
lineage on Trainium are those of its Trainium runs; `whole_work` and `elapsed_hours` are of all.
`reached`: its loss reached the workload's target, so it is a result.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, ratio
from models.contract.rules.recent_window import between
from models.contract.rules.work.kinds_of_work import KIND, SEVERAL, kind_of, recipe_of
from models.contract.schema import EXPLAINERS
from models.marts.savings.results.elapsed_hours import elapsed_hours

LINE = ["workload", "lineage"]


@mart(
    grain="workload × recipe × hardware × lineage",
    units="dollars on `cost.basis`, work in `unit`, of settled days; hours",
    nulls="recipe: none is stated; elapsed_hours: its first or last hour is unknown; "
    "hours_per_epoch: that, or too little work; cost: unknown; reached: there is no target loss",
    method="§4.5, §4.6",
    whose="run",
)
def result_runs(
    baselines: ir.Table,
    baseline_window: ir.Table,
    credited_daily: ir.Table,
    lineage_facts: ir.Table,
    comparable: ir.Table,
    work_daily: ir.Table,
    run_hours: ir.Table,
    workload_settled: ir.Table,
) -> ir.Table:
    """Lists runs (resumed as one) behind the cost per result, on both chips: cost and hours."""
    last = workload_settled.select("workload", "recent_since", last="settled_through")
    facts = comparable.select(*LINE, "unit", "least_work", "work_to_target", whole_work="work")
    ended = lineage_facts.filter(lineage_facts.ended)
    facts = facts.join(ended.select(*LINE, "ended_on", "target_loss"), LINE)
    facts = left_join(facts, elapsed_hours(work_daily, run_hours), LINE)
    gpu = _on_gpu(baselines, baseline_window, lineage_facts, last).join(facts, LINE)
    trn = _of_window(_on_trainium(credited_daily).join(facts, LINE).join(last, "workload"))
    columns = [*KIND, "hardware", "lineage", "cost", "epochs", *facts.columns[2:]]
    rows = gpu.select(columns).union(trn.select(columns))
    least = rows.least_work.fill_null(ZERO)
    rows = rows.mutate(
        recipe=recipe_of(rows.kind),
        reached=ibis.ifelse(rows.target_loss.notnull(), rows.work_to_target.notnull(), None),
        long_enough=(rows.whole_work >= least) & (rows.whole_work > 0),
    )
    hours = ibis.ifelse(rows.long_enough, ratio(rows.elapsed_hours, rows.whole_work), None)
    return rows.mutate(hours_per_epoch=hours).select(*EXPLAINERS["result_runs"])


def _on_gpu(
    baselines: ir.Table, baseline_window: ir.Table, lineage_facts: ir.Table, last: ir.Table
) -> ir.Table:
    """Lists the GPU runs behind each recipe's baseline on the last settled day, with their cost."""
    today = baselines.join(last, [baselines.workload == last.workload, baselines.date == last.last])
    today = today.select(
        "workload",
        "last",
        kind=kind_of(today.recipe),
        candidate=today.platform.fill_null(SEVERAL),
    )
    rows = baseline_window.join(today, [*KIND, "candidate"])
    rows = rows.filter(rows.since <= rows["last"])
    newest = rows.since.max().over(ibis.window(group_by=KIND))
    rows = rows.mutate(newest_=newest).filter(lambda row: row.since == row.newest_)
    rows = rows.join(lineage_facts.select(*LINE, "cost"), LINE)
    return rows.mutate(hardware=ibis.literal("gpu"), epochs=rows.work)


def _on_trainium(credited_daily: ir.Table) -> ir.Table:
    """Sums settled cost and work on Trainium of each comparable lineage of resumed runs."""
    rows = credited_daily.filter(credited_daily.settled)
    rows = rows.filter(rows.standing == "counted")
    sums = rows.group_by(*KIND, "lineage").agg(cost=known_sum(rows.cost), epochs=rows.epochs.sum())
    return sums.mutate(hardware=ibis.literal("trainium"))


def _of_window(rows: ir.Table) -> ir.Table:
    """Selects each recipe's runs that ended in the recent window; all of them if none did."""
    recent = between(rows.ended_on, rows.recent_since, rows["last"])
    rows = rows.mutate(recent_=recent, some_=recent.any().over(ibis.window(group_by=KIND)))
    return rows.filter(rows.recent_ | ~rows.some_)
