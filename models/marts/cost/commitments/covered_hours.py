"""Sums the hours of runs that a commitment or reservation covered (METHOD §2.11)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

MONTH = ["commitment", "month"]
"""Identify what each month's idle of a commitment falls on."""


def covered_hours(committed: ir.Table, work_daily: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Sums settled instance-hours that each commitment or reservation covered, by day and run.

    Settled days only, net of hours that were taken back. Where a reservation and a plan cover the
    same hours, these are listed under both. Trainium hours with only a workload tag count from
    cutover on, with an empty `run`, so that a forgotten run tag does not free the workload of idle
    commitment. `owner` names the row when idle cost is shared by hours.
    """
    used = committed.mutate(month=committed.date.truncate("M")).filter(committed.settled)
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    named = _hours(used.filter(used.attribution == "direct"))
    of_runs = named.join(kinds, ["workload", "run"])
    unnamed = _hours(_after_cutover(used, cutovers).mutate(run=ibis.literal("")))
    unnamed = unnamed.mutate(hardware=ibis.literal("trainium"))
    both = of_runs.union(unnamed.select(of_runs.columns))
    return both.mutate(owner=both.date.cast("string") + " " + both.workload + " " + both.run)


def hours_sharing_idle(covered: ir.Table) -> ir.Table:
    """Selects covered hours on Trainium and GPU, which share the cost of idle commitments."""
    return covered.filter(covered.hardware.isin(("trainium", "gpu")))


def idle_for_accelerators(idle: ir.Table, covered: ir.Table) -> ir.Table:
    """Selects idle cost of commitments that are for accelerators or ever covered a run."""
    return idle.filter(idle.accelerated | idle.commitment.isin(covered.commitment))


def _hours(used: ir.Table) -> ir.Table:
    """Sums covered hours by Savings Plan and by reservation, per day, workload and run."""
    keys = ["month", "date", "workload", "run", "instance_hours"]
    plans = used.select(*keys, "commitment")
    held = used.select(*keys, commitment="reservation")
    hours = plans.union(held).filter(lambda row: row.commitment.notnull())
    sums = hours.group_by("commitment", "month", "date", "workload", "run").agg(
        hours=hours.instance_hours.sum()
    )
    return sums.filter(sums.hours > 0)


def _after_cutover(used: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Selects Trainium hours that name only a workload, from the workload's cutover on."""
    shared = used.filter((used.attribution == "shared") & (used.hardware == "trainium"))
    rows = left_join(shared, cutovers, ["workload"])
    return rows.filter(rows.date >= rows.cutover)
