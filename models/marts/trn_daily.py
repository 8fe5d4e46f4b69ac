"""Each Trainium lineage's day as savings see it.

Grain: date × workload × lineage: production work on Trainium that is `counted`. `credited_epochs`
are the epochs whose counterfactual counts, up to the lineage's cap; `standing` is `counted`, or the
reason for which the lineage is left out whole (METHOD §3.4, §3.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import ZERO, known_sum
from models.schema import NUMBER


def trn_daily(work_daily: ir.Table, verdicts: ir.Table) -> ir.Table:
    """`cost`, `list_cost`, `epochs`, `credited_epochs`, `settled`, `standing`, `parity`."""
    rows = work_daily.filter((work_daily.hardware == "trainium") & work_daily.settled.notnull())
    rows = rows.join(verdicts, ["workload", "lineage"])
    days = rows.group_by("date", "workload", "lineage").agg(
        settled=rows.settled.all(),
        cost=known_sum(rows.cost),
        list_cost=known_sum(rows.list_cost),
        epochs=rows.epochs.sum().cast(NUMBER),
        comparability=rows.comparability.max(),
        parity=rows.parity.max(),
        cap=rows.epoch_cap.max(),
        credited=rows.credited.any(),
    )
    until = days.epochs.sum().over(
        ibis.cumulative_window(group_by=["workload", "lineage"], order_by="date")
    )
    capped = ibis.ifelse(days.cap.isnull(), until, ibis.least(until, days.cap))
    before = until - days.epochs
    capped_before = ibis.ifelse(days.cap.isnull(), before, ibis.least(before, days.cap))
    differs = (days.comparability != "comparable").fill_null(False)
    return days.mutate(
        credited_epochs=ibis.ifelse(days.credited, (capped - capped_before).cast(NUMBER), ZERO),
        standing=ibis.ifelse(differs, "not_comparable", "counted"),
    ).drop("cap", "credited", "comparability")
