"""The row that stands for all workloads together."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

PORTFOLIO = "(portfolio)"
"""Name of the row that sums all workloads and what names none; no workload may be called so."""


def with_portfolio(rows: ir.Table) -> ir.Table:
    """`rows` of workloads, and each of them once more under the portfolio's name.

    Grouped by `workload` afterwards, the portfolio's group holds the rows of every workload.
    """
    everyone = rows.mutate(workload=ibis.literal(PORTFOLIO))
    return rows.union(everyone.select(rows.columns))
