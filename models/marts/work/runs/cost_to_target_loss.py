"""Computes the cost of a lineage of runs until it first reached the target loss (METHOD §3.6).

The bill is read by day: of the day on which the target was reached, the cost counts in proportion
to the time that had passed then. It is counted from midnight, or from when a lineage that began on
that day began (`run_hours`), to midnight, or to when one that ended on it stopped. Example: charged
from 10:00 to 14:00 at $10 an hour, target reached at 12:30: $25.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import known_sum, product, ratio

DAY = 86_400
"""Seconds."""
RUN = ["workload", "run"]
LINE = ["workload", "lineage"]


def cost_to_target_loss(
    unit_daily: ir.Table,
    lineage_facts: ir.Table,
    run_registry: ir.Table,
    lineages: ir.Table,
    run_hours: ir.Table,
) -> ir.Table:
    """Computes, for runs that reached the target loss first, the cost of their lineage until then.

    The cost is in dollars on `cost.basis`, on the row of the run that reached the loss. It is null
    where the cost of a day is unknown, as it is where the bill has no accelerator-hours.
    """
    at = lineage_facts.target_at
    billed = lineage_facts.all_hours > 0
    reached = lineage_facts.filter(billed & (at.date() <= lineage_facts.settled_through))
    reached = _with_part_of_day(reached, _lasted(unit_daily, run_hours))
    days = unit_daily.join(reached, LINE)
    days = days.filter(days.in_lineage & (days.date <= days.target_at.date()))
    part = ratio(product(days.cost, days.target_part), days.target_whole)
    accrued = ibis.ifelse(days.date < days.target_at.date(), days.cost, part)
    accrued = ibis.ifelse((days.unbilled_epochs > 0) | ~days.settled, None, accrued)
    spent = days.group_by(LINE).agg(cost_to_target_loss=known_sum(accrued))
    there = run_registry.join(lineages, RUN).join(reached, LINE)
    there = there.filter(
        (there.first_sample <= there.target_at) & (there.last_sample >= there.target_at)
    )
    first = there.group_by(LINE).agg(run=there.run.min())
    return first.join(spent, LINE).select(*RUN, "cost_to_target_loss")


def _lasted(unit_daily: ir.Table, run_hours: ir.Table) -> ir.Table:
    """Returns when each lineage of runs began and stopped: first and last active hour or sample."""
    members = unit_daily.filter(unit_daily.in_lineage).select(*LINE, "run").distinct()
    rows = members.join(run_hours, RUN)
    return rows.group_by(LINE).agg(began=rows.began.min(), stopped=rows.stopped.max())


def _with_part_of_day(reached: ir.Table, lasted: ir.Table) -> ir.Table:
    """Adds how many of a day's seconds of training had passed when the target loss was reached."""
    rows = left_join(reached, lasted, LINE)
    day, at = rows.target_at.date(), rows.target_at.epoch_seconds()
    midnight = day.cast("timestamp").epoch_seconds()
    begin = ibis.greatest(midnight, _seconds(rows.first_day == day, rows.began, midnight))
    end = ibis.least(midnight + DAY, _seconds(rows.last_day == day, rows.stopped, midnight + DAY))
    begin, end = ibis.least(begin, at), ibis.greatest(end, at)
    at_once = begin == end
    return rows.select(
        *LINE,
        "target_at",
        target_part=ibis.ifelse(at_once, 1, at - begin),
        target_whole=ibis.ifelse(at_once, 1, end - begin),
    )


def _seconds(on_it: ir.BooleanValue, moment: ir.Value, else_at: ir.Value) -> ir.Value:
    """Returns a moment in seconds if it is on the day and known, else the other one."""
    return ibis.coalesce(ibis.ifelse(on_it, moment.epoch_seconds(), None), else_at)
