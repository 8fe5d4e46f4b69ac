"""What a unit of work costs on GPU, measured and repriced, from each day on which that changes.

`measured` is cost ÷ work of the window's lineages, `repriced` the same hours at the day's price;
which of them counts is chosen per day (`conservative`). Platforms pool by work, which is what
sums over sums do. `…_at_list` repeats the method with list cost in place of the effective cost.

`epochs_to_target` is the median way to the target loss of the runs that reached it. Where none did
(`target_missed`), it is the median that they ran: the way is at least as long, and more than was
done on GPU for no better loss claims no saving (METHOD §3.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import ratio
from models.contract.rules.kinds_of_work import KIND_SINCE
from models.marts.baseline.methods.measured import window_sums
from models.marts.baseline.methods.repriced import pooled, repriced_terms


@step(
    grain="workload × kind × since",
    units="dollars on `cost.basis` per unit; work in the unit of the kind; instance-hours",
    nulls="repriced columns: a price is unknown; epochs_to_target: there is no target loss",
    method="§5.2, §5.3",
    whose="workload",
)
def baseline_steps(
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    comparable: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
) -> ir.Table:
    """Computes the measured and the repriced GPU cost per epoch of each baseline window."""
    window = window_sums(baseline_window, lineage_facts, comparable)
    terms = repriced_terms(baseline_window, lineage_facts, gpu_use, price_steps)
    rows = window.join(pooled(terms), KIND_SINCE)
    other_list = rows.all_list_cost - rows.part_list_cost
    return rows.mutate(
        epochs_to_target=ibis.coalesce(rows.way, rows.ran),
        target_missed=rows.way.isnull() & rows.ran.notnull(),
        measured=ratio(rows.cost, rows.work),
        measured_at_list=ratio(rows.all_list_cost, rows.work),
        repriced=rows.part_repriced + rows.other_per_epoch,
        repriced_at_list=rows.part_repriced_at_list + ratio(other_list, rows.work),
    ).select(
        *KIND_SINCE, "runs", "stale", "topped_up", "work", "epochs_to_target", "target_missed",
        "measured", "repriced", "measured_at_list", "repriced_at_list", "stale_price", "unpriced",
        "gpu_hours", "unpriced_hours", "unpriced_kinds",
    )  # fmt: skip
