"""Repeats rows of workloads under the name of the portfolio, so that they can be summed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ibis.expr.types as ir

PORTFOLIO = "(portfolio)"
"""Name of the row that sums all workloads and what names none; no workload may be called so."""


def with_portfolio(rows: ir.Table) -> ir.Table:
    """Adds a copy of each row as workload `(portfolio)`, so its group sums all workloads.

    Grouped by `workload` afterwards, the portfolio's group holds the rows of every workload.
    """
    import ibis  # takes a second, and whoever asks for the name alone need not wait for it

    everyone = rows.mutate(workload=ibis.literal(PORTFOLIO))
    return rows.union(everyone.select(rows.columns))


def of_workloads(rows: ir.Table) -> ir.Table:
    """Returns the rows of single workloads, without those of `(portfolio)`, their sum."""
    return rows.filter(rows.workload != PORTFOLIO)


def of_portfolio(rows: ir.Table) -> ir.Table:
    """Returns only the rows of `(portfolio)`, the sum of all workloads."""
    return rows.filter(rows.workload == PORTFOLIO)
