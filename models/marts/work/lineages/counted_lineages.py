"""Defines which lineages of runs count in cost per epoch and savings (METHOD §4.2).

One with progress but without accelerator-hours is not: its work was paid for by nobody we know. Nor
is one whose cost is unknown. Both are named in `left_out` or by Trust.
"""

from __future__ import annotations

import ibis.expr.types as ir


def is_counted(facts: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a lineage has production or baseline runs, hours and known cost.

    They are accelerator-hours on the bill.
    """
    return facts.own & (facts.all_hours > 0) & facts.cost.notnull()


def is_unpriced(facts: ir.Table) -> ir.BooleanValue:
    """Returns the condition that Trainium runs (resumed as one) do not count: cost is unknown."""
    return facts.own & facts.on_trainium & facts.cost.isnull()
