"""Determines the hardware of a run: that of most of its accelerator-hours (METHOD §1).

Example: a run of 20 hours on a GPU machine of 8 accelerators and 10 on a Trainium machine of 16 is
160 to 160; the first by name, `gpu`, decides such a tie.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def used_by_runs(direct: ir.Table, split: ir.Table) -> ir.Table:
    """Unites runs' accelerator-hours from their own charges and from their parts of shared ones."""
    columns = ("workload", "run", "hardware", "accelerator_hours")
    both = direct.select(columns).union(split.select(columns))
    return both.filter(both.accelerator_hours.notnull())


def with_hardware(rows: ir.Table, used: ir.Table) -> ir.Table:
    """Sets the hardware of all rows of a run to that of most of its accelerator-hours.

    Rows of no run, and of a run without accelerator-hours, keep their own.
    """
    each = used.group_by("workload", "run", "hardware").agg(hours=used.accelerator_hours.sum())
    order = ibis.window(
        group_by=["workload", "run"], order_by=[ibis.desc(each.hours), each.hardware]
    )
    most = each.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank == 0)
    of_run = most.select(workload_="workload", run_="run", hardware_="hardware")
    joined = rows.left_join(of_run, [rows.workload == of_run.workload_, rows.run == of_run.run_])
    return joined.mutate(hardware=ibis.coalesce(joined.hardware_, joined.hardware))
