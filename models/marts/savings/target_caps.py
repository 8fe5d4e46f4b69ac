"""How much of a lineage's work is credited at most, where its workload has a target (METHOD §3.6).

It is `epochs_to_target` of the baseline in force on the day on which the lineage ended, or on the
last settled day while it runs.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE

LINE = ["workload", "lineage"]


def with_cap(lineages: ir.Table, lineage_facts: ir.Table, baseline_steps: ir.Table) -> ir.Table:
    """Adds to lineages the work that may be credited at most, `cap`; null where all of it may."""
    facts = lineage_facts.select(
        *LINE, judged_on=ibis.coalesce(lineage_facts.ended_on, lineage_facts.settled_through)
    )
    rows = lineages.join(facts, LINE)
    due = rows.select(*KIND, "lineage", "judged_on").join(
        baseline_steps.select(*KIND, begin="since"), KIND
    )
    due = due.filter(due.begin <= due.judged_on)
    latest = due.group_by(*KIND, "lineage").agg(since=due.begin.max())
    caps = latest.join(baseline_steps.select(*KIND_SINCE, cap="epochs_to_target"), KIND_SINCE)
    return left_join(lineages, caps.select(*LINE, "cap"), LINE)
