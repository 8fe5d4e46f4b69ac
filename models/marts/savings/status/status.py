"""Decides the status of a workload at a cutoff: the first of eight that applies (METHOD §6.5)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO


def status(rows: ir.Table) -> ir.Value:
    """Returns the column of a workload's status (`not_started` … `recovering`) at a month's end.

    An unknown investment is treated as one above $0.
    """
    moved = (rows.cutover <= rows.cutoff).fill_null(False)
    worked = rows.last_worked.notnull() | (rows.unpriced & moved)
    unknown = rows.cumulative_investment.isnull() & rows.cutoff.notnull()
    invested = unknown | (ibis.coalesce(rows.cumulative_investment, ZERO) > 0)
    return ibis.cases(
        (~worked & ~invested, "not_started"),
        (~worked, "investing"),
        (rows.none_compare | rows.must_verify, "not_comparable"),
        (~rows.has_baseline | rows.cumulative_net_saving.isnull(), "insufficient_baseline"),
        (rows.judged_net_saving < 0, "losing"),
        (~invested, "no_investment"),
        (rows.cumulative_net >= 0, "broke_even"),
        else_="recovering",
    )
