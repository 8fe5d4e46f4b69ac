"""What a unit of work costs on GPU, measured and repriced, from each day on which that changes.

One row per platform that may be the baseline (`candidate`), for the window that began on `window`.
`measured` is cost ÷ work of its lineages, `repriced` the same hours at the day's price; which of
them counts, and which candidate's, is chosen per day. `…_at_list` repeats the method with list
cost in place of the effective cost. `factor` is what part of the day's public prices is taken to be
paid for the hours.

`epochs_to_target` is the median way to the target loss of the runs that reached it. Where none did
(`target_missed`), it is the median that they ran: the way is at least as long, and more than was
done on GPU for no better loss claims no saving (METHOD §3.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import ratio
from models.contract.rules.kinds_of_work import CANDIDATE, KIND
from models.marts.baseline.methods.measured import window_sums
from models.marts.baseline.methods.repriced import (
    pooled,
    priced_days,
    repriced_terms,
    window_hours,
)


@step(
    grain="workload × kind × since × candidate",
    units="dollars on `cost.basis` per unit; work in the unit of the kind; instance-hours",
    nulls="repriced columns, factor: a price is unknown; newest: no lineage had ended yet; "
    "epochs_to_target: none aimed at",
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
    hours = window_hours(baseline_window, lineage_facts, gpu_use).rename(window="since")
    days = priced_days(hours, baseline_window, price_steps)
    terms = repriced_terms(days.join(hours, [*KIND, "window"]), price_steps, "since")
    rows = pooled(terms).join(window.rename(window="since"), [*KIND, "window", "candidate"])
    other_list = rows.all_list_cost - rows.part_list_cost
    return rows.mutate(
        epochs_to_target=ibis.coalesce(rows.way, rows.ran),
        target_missed=rows.way.isnull() & rows.ran.notnull(),
        measured=ratio(rows.cost, rows.work),
        measured_at_list=ratio(rows.all_list_cost, rows.work),
        repriced=rows.part_repriced + rows.other_per_epoch,
        repriced_at_list=rows.part_repriced_at_list + ratio(other_list, rows.work),
        factor=ratio(rows.part_repriced, rows.part_public),
    ).select(
        *CANDIDATE, "window", "newest", "runs", "stale", "topped_up", "work",
        "epochs_to_target", "target_missed",
        "measured", "repriced", "measured_at_list", "repriced_at_list", "factor", "stale_price",
        "unpriced", "gpu_hours", "unpriced_hours", "unpriced_kinds",
    )  # fmt: skip
