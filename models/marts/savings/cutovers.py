"""Finds each workload's cutover: the first settled day of its first production Trainium run.

A run counts if the bill names it, or if it reports while Trainium runs under the workload's tag
alone. In the latter case the cutover is the first of those consecutive days, so that a forgotten
run tag cannot hide what the move cost: overhead counts from the cutover on (METHOD §6.1). Example:
untagged Trainium from the 4th to the 9th and a report on the 6th make the 4th the cutover. A run
whose cost is unknown has moved the workload, too.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.rules.consecutive_days import with_spells


@step(
    grain="workload",
    units="dates, UTC",
    nulls="none: a workload that has not moved has no row",
    method="§1.3",
    whose="workload",
)
def cutovers(lineage_facts: ir.Table, work_daily: ir.Table, spend_daily: ir.Table) -> ir.Table:
    """Returns the day from which each workload counts as moved to Trainium."""
    ran = lineage_facts.filter(lineage_facts.counted | lineage_facts.unpriced)
    untagged = _untagged(work_daily, spend_daily)
    firsts = ran.select("workload", first="first_trainium").union(untagged)
    found = firsts.group_by("workload").agg(cutover=firsts.first.min())
    return found.filter(found.cutover.notnull())


def _untagged(work_daily: ir.Table, spend_daily: ir.Table) -> ir.Table:
    """Lists first days of stretches of untagged Trainium use in which an unbilled run reported."""
    loose = spend_daily.filter(
        (spend_daily.attribution == "overhead") & (spend_daily.hardware == "trainium")
    )
    days = loose.select("date", "workload").distinct()
    spells = with_spells(days, ["workload"])
    spell = ibis.window(group_by=[spells.workload, spells.spell])
    spells = spells.mutate(first=spells.date.min().over(spell))
    reported = work_daily.filter(
        work_daily.own & work_daily.settled & work_daily.active & work_daily.hardware.isnull()
    )
    both = reported.join(spells, ["date", "workload"])
    return both.select("workload", "first")
