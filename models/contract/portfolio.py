"""Repeats rows of workloads under the name of the portfolio, which stands for all of them."""

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
    """Returns the rows of workloads, without the portfolio's."""
    return rows.filter(rows.workload != PORTFOLIO)


def of_portfolio(rows: ir.Table) -> ir.Table:
    """Returns the rows of the portfolio alone."""
    return rows.filter(rows.workload == PORTFOLIO)
