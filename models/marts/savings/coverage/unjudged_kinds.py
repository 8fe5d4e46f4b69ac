"""Lists training recipes with too few GPU runs for a baseline, and what more would cost.

With at least one qualifying GPU run it is the cost of the further runs that a baseline needs, each
of the least work that qualifies, at the cost per unit of the existing ones. Example: one run at
$200 an epoch where two are needed: 1 × 0.9 × 200 = $180. Without any, a benchmark is the first
step.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import known_sum, product
from models.contract.rules.work.kinds_of_work import KIND, kind_of, recipe_of
from models.contract.schema import EXPLAINERS, NUMBER


@mart(
    grain="workload × recipe, of production on Trainium with too few GPU runs for a baseline",
    units="dollars on `cost.basis`; work in `unit`; lineages",
    nulls="recipe: none is stated; gpu_cost_per_epoch, cost_to_know: no GPU run qualifies; "
    "trn_cost: unknown",
    method="§6.10",
    whose="workload",
)
def unjudged_kinds(
    credited_daily: ir.Table,
    comparable: ir.Table,
    qualifying_runs: ir.Table,
    baselines: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists Trainium recipes with too few GPU runs for a baseline, and what more would cost."""
    rows = credited_daily.filter(credited_daily.settled)
    rows = rows.group_by(*KIND, "unit").agg(trn_cost=known_sum(rows.cost))
    rows = left_join(rows, qualifying_runs, KIND)
    least = comparable.group_by(KIND).agg(least_work=comparable.least_work.max())
    rows = left_join(rows, least, KIND)
    rows = rows.anti_join(_valued(baselines, workload_settled), KIND)
    rows = rows.mutate(gpu_runs=ibis.coalesce(rows.qualifying, 0).cast("int64"))
    rows = rows.mutate(missing_runs=settings.baseline.min_runs - rows.gpu_runs)
    work = product(rows.missing_runs.cast(NUMBER), rows.least_work)
    cost = product(work, rows.gpu_cost_per_epoch)
    return (
        rows.filter(rows.missing_runs > 0)
        .mutate(
            recipe=recipe_of(rows.kind), cost_to_know=ibis.ifelse(rows.gpu_runs > 0, cost, None)
        )
        .select(*EXPLAINERS["unjudged_kinds"])
    )


def _valued(baselines: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Lists the training recipes that have a GPU baseline on the last settled day."""
    today = workload_settled.select("workload", date="settled_through")
    rows = baselines.filter(baselines.value.notnull()).join(today, ["workload", "date"])
    return rows.select("workload", kind=kind_of(rows.recipe))
