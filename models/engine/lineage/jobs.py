"""Ibis expressions of `held_jobs` and `held_times`, to trace columns: plain SQL writes these."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join


def held_jobs(held_intervals: ir.Table, machine_lines: ir.Table) -> ir.Table:
    """Lists jobs of known runs: submission, start, end and wait, from stored job intervals.

    It names the columns that each is made of; `allocations.held_jobs` has the arithmetic.
    """
    billed = machine_lines.select(
        resource="machine", billed_type=machine_lines.sku.concat(machine_lines.sku_instance_type)
    )
    held_intervals = left_join(held_intervals, billed, ["resource"])
    jobs = held_intervals.filter(held_intervals.run.notnull() & (held_intervals.reason == "run"))
    keys = ["workload", "run", "cluster", "job"]
    waited = (jobs.began.epoch_seconds() - jobs.queued_at.epoch_seconds()).sum()
    return jobs.group_by(keys).agg(
        instance_type=ibis.coalesce(jobs.instance_type, jobs.billed_type).max(),
        queued_at=jobs.queued_at.min(), began=jobs.began.min(), ended=jobs.ended.max(),
        still_held=~jobs.ends.any(), waited=waited,
    )  # fmt: skip


def held_times(held_intervals: ir.Table) -> ir.Table:
    """Lists when each known run held machines: its distinct starts and ends, from job intervals."""
    held = held_intervals.filter(held_intervals.run.notnull() & (held_intervals.reason == "run"))
    return held.select("workload", "run", "began", "ended").distinct()
