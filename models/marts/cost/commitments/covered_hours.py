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
    same hours, these are listed under both. GPU hours with only a workload tag count on days on
    which runs of the workload share their cost (METHOD §2.6), with an empty `run`. So do Trainium
    hours with only a workload tag from cutover on, so that a forgotten run tag does not free the
    workload of idle commitment. `owner` names the row when idle cost is shared by hours.
    """
    used = committed.mutate(month=committed.date.truncate("M")).filter(committed.settled)
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    named = _hours(used.filter(used.attribution == "direct"))
    of_runs = named.join(kinds, ["workload", "run"])
    shared = used.filter(used.attribution == "shared")
    unnamed = (
        _unnamed(_shared_by_runs(shared, work_daily), "gpu"),
        _unnamed(_after_cutover(shared, cutovers), "trainium"),
    )
    every = of_runs.union(*(rows.select(of_runs.columns) for rows in unnamed))
    parts = (every.date.cast("string"), every.workload, every.run, every.hardware)
    return every.mutate(owner=ibis.literal(" ").join(parts))


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


def _unnamed(shared: ir.Table, hardware: str) -> ir.Table:
    """Sums hours that a commitment covered, by commitment, day and workload, as hours of no run."""
    return _hours(shared.mutate(run=ibis.literal(""))).mutate(hardware=ibis.literal(hardware))


def _shared_by_runs(shared: ir.Table, work_daily: ir.Table) -> ir.Table:
    """Selects GPU charges with a workload tag alone, on days its runs used the same platform."""
    ran = work_daily.filter((work_daily.hardware == "gpu") & (work_daily.accelerator_hours > 0))
    of_gpu = shared.filter(shared.hardware == "gpu")
    return of_gpu.semi_join(ran, ["date", "workload", "platform"])


def _after_cutover(shared: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Selects Trainium charges with a workload tag alone, from the workload's cutover on."""
    of_trainium = shared.filter(shared.hardware == "trainium")
    rows = left_join(of_trainium, cutovers, ["workload"])
    return rows.filter(rows.date >= rows.cutover)
