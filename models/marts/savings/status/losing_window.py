"""Chooses the 84 days whose saving decides if a workload counts as losing (METHOD §6.5).

They are the recent window. If nothing trained in it on Trainium, they end with the last day on
which something did, so that a workload that lost and then paused still counts as losing.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.recent_window import between

KEYS = ["workload", "cutoff"]


def with_last_work(parts: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Adds `judged`, the last of the 84 days by which the status `losing` is decided.

    `parts` have the days of their recent window, `begin` and `last`.

    It is the last day of the part's window, or the last day on which the part trained if it did not
    train in that window.
    """
    worked = credited_daily.filter(credited_daily.settled & credited_daily.active)
    worked = worked.select("date", part="workload").distinct()
    both = parts.join(worked, "part").filter(lambda row: row.date <= row["last"])
    found = both.group_by(KEYS).agg(
        last_worked=both.date.max(), lately=between(both.date, both.begin, both["last"]).any()
    )
    rows = left_join(parts, found, KEYS)
    until = ibis.ifelse(rows.lately, rows["last"], ibis.least(rows["last"], rows.last_worked))
    return rows.mutate(judged=until)
