"""Decides which hours of shared machines nobody has told of yet (METHOD §1.1, §2.10)."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir


def lacks_allocations(pool_days: ir.Table) -> ir.BooleanValue:
    """Returns the condition that who held the machines of a row is unknown for want of allocations.

    Not where a tag tells enough, before the cluster's first delivery. A correction alone of a day
    is no hour that nobody tells of.
    """
    ran = (pool_days.instance_hours > 0).fill_null(False)
    return cast(ir.BooleanValue, ~pool_days.delivered & ~pool_days.told_by_tag & ran)
