"""Lists the GPU runs behind each month's baseline, resumed ones as one (METHOD §5.1).

Month × workload × kind of work × lineage of the window in force on the last settled day, failed
ones included; of several platforms those of the baseline's. `epochs` in the baseline's unit, `cost`
in dollars on the configured basis: measured is the sum of the costs divided by the sum of the
epochs (METHOD §5.1).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.rules.work.kinds_of_work import CANDIDATE
from models.contract.schema import EXPLAINERS
from models.marts.baseline.explainers.month_windows import month_windows


@mart(
    grain="month × workload × kind × lineage",
    units="dollars on `cost.basis`; epochs in the baseline's unit",
    nulls="kind_of_work: the main kind",
    method="§5.1",
    whose="workload",
)
def baseline_runs(
    savings_by_kind: ir.Table,
    calendar: ir.Table,
    baselines: ir.Table,
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    kinds: ir.Table,
) -> ir.Table:
    """Lists GPU runs (resumed ones as one) behind each month's baseline, with epochs and cost."""
    held = month_windows(savings_by_kind, calendar, baselines, baseline_window, kinds)
    facts = lineage_facts.select("workload", "lineage", "ended_on", "cost")
    rows = held.join(baseline_window, CANDIDATE).join(facts, ["workload", "lineage"])
    return rows.mutate(epochs=rows.work).select(*EXPLAINERS["baseline_runs"])
