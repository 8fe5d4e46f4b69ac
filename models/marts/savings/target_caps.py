"""How much of a lineage's work is credited at most, where its workload has a target (METHOD §3.6).

It is `epochs_to_target` of the baseline's windows in force on the day on which the lineage ended,
or on the last settled day while it runs: the median way of their runs that reached the target loss,
else the median that all of them ran.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE

LINE = ["workload", "lineage"]


def with_cap(
    lineages: ir.Table, lineage_facts: ir.Table, comparable: ir.Table, baseline_window: ir.Table
) -> ir.Table:
    """Adds to lineages the work that may be credited at most, `cap`; null where all of it may."""
    facts = lineage_facts.select(
        *LINE, judged_on=ibis.coalesce(lineage_facts.ended_on, lineage_facts.settled_through)
    )
    rows = lineages.join(facts, LINE)
    windows = _windows(baseline_window, lineage_facts, comparable)
    due = rows.select(*KIND, "lineage", "judged_on").join(
        windows.select(*KIND, begin="since"), KIND
    )
    due = due.filter(due.begin <= due.judged_on)
    latest = due.group_by(*KIND, "lineage").agg(since=due.begin.max())
    return left_join(lineages, latest.join(windows, KIND_SINCE).select(*LINE, "cap"), LINE)


def _windows(baseline_window: ir.Table, lineage_facts: ir.Table, comparable: ir.Table) -> ir.Table:
    """Computes the cap of all platforms' windows together, by the day from which they hold."""
    members = baseline_window.filter(baseline_window.qualifies)
    members = members.select(*KIND_SINCE, "lineage", "work").distinct()
    members = members.join(lineage_facts.select(*LINE, "target_loss"), LINE)
    members = members.join(comparable.select(*LINE, "work_to_target"), LINE)
    way = members.work_to_target.median()
    ran = members.work.median(where=members.target_loss.notnull())
    return members.group_by(KIND_SINCE).agg(cap=ibis.coalesce(way, ran))
