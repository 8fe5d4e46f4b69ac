"""Computes how long a run, resumed ones as one, took by the clock, gaps included (METHOD §4.5)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.work.wall_clock import hours_between

LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


def elapsed_hours(work_daily: ir.Table, run_hours: ir.Table) -> ir.Table:
    """Computes hours by the clock from each lineage of runs' first active hour to its last."""
    members = work_daily.filter(work_daily.in_lineage).select(*LINE, "run").distinct()
    rows = left_join(members, run_hours, RUN)
    unknown = (rows.began.isnull() | rows.stopped.isnull()).any()
    sums = rows.group_by(LINE).agg(
        began=rows.began.min(), stopped=rows.stopped.max(), unknown=unknown
    )
    known = ibis.ifelse(sums.unknown, None, hours_between(sums.began, sums.stopped))
    return sums.select(*LINE, elapsed_hours=known)
