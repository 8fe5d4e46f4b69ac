"""Lists the days as of which totals and status are computed: each month's last settled day."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def cutoffs(settled: ir.Table, workloads: ir.Table) -> ir.Table:
    """Returns each month's last settled day per workload; `newest` marks a workload's last one.

    `settled` holds the settled days of workloads and portfolio. Returns a row per workload, and
    `(portfolio)` × month; `month` and `cutoff` are null where no day of a workload is settled.
    """
    months = settled.group_by("workload", month=settled.date.truncate("M")).agg(
        cutoff=settled.date.max()
    )
    newest = months.month.max().over(ibis.window(group_by="workload"))
    known = months.select(
        "workload", "cutoff", month=months.month.strftime("%Y-%m"), newest=months.month == newest
    )
    return known.union(_without_days(workloads, known))


def _without_days(workloads: ir.Table, known: ir.Table) -> ir.Table:
    """Returns a row without a date for each workload, or portfolio, without settled days."""
    idle = workloads.select("workload").anti_join(known, "workload")
    return idle.select(
        "workload",
        cutoff=ibis.null("date"),
        month=ibis.null("string"),
        newest=ibis.literal(True),
    )
