"""Finds when a lineage of runs first reached the target loss, and after how much work.

METHOD §3.6.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.schema import NUMBER

COUNTERS = {"epochs": "epoch", "tokens": "tokens", "samples": "samples"}
LINE = ["workload", "lineage"]


def reached_target(losses: ir.Table, steps: ir.Table, config_workloads: ir.Table) -> ir.Table:
    """Returns when each lineage of runs first reached the target loss, and the work until then.

    If no work was reported by then, it is that of the first report with any: the target was reached
    all the same.
    """
    aimed = losses.join(config_workloads, "workload")
    reached = aimed.filter(aimed.loss <= aimed.target_loss)
    first = reached.group_by("workload", "lineage").agg(target_at=reached.observed_at.min())
    reports = steps.join(first, LINE)
    worked_at = ibis.ifelse(reports.rise > 0, reports.observed_at, None)
    begun = worked_at.min().over(ibis.window(group_by=[*LINE, "counter"]))
    latest = ibis.greatest(reports.target_at, begun.coalesce(reports.target_at))
    until = reports.filter(reports.observed_at <= latest)
    done = until.group_by(LINE).agg(
        **{
            f"{name}_to_target": until.rise.sum(where=until.counter == counter).cast(NUMBER)
            for name, counter in COUNTERS.items()
        }
    )
    return left_join(first, done, LINE)
