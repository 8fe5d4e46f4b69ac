"""Decides for which hours of shared machines no job allocations came yet (METHOD §1.1, §2.10)."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

POOL_OF_DAY = ("date", "cluster", "cluster_place", "instance_type")


def with_ran(rows: ir.Table) -> ir.Table:
    """Adds `ran`: whether the row's machine pool has hours on its day; true for non-machines.

    A correction alone of a day is no hour that nobody tells of; beside hours it waits with them.
    What is no machine, such as a volume, always `ran`.
    """
    of_machines = (rows.component == "accelerator") & rows.holding.notnull()
    hours = ibis.ifelse(of_machines, rows.instance_hours, None)
    of_pool = hours.sum().over(ibis.window(group_by=[rows[name] for name in POOL_OF_DAY]))
    return rows.mutate(ran=~of_machines | (of_pool > 0).fill_null(False))


def lacks_allocations(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that who held the row's machines is unknown: no allocations came yet.

    Not where they are `delivered`, where a tag tells enough before the cluster's first delivery
    (`known_by_tag`), or where no machine `ran`.
    """
    return cast(ir.BooleanValue, ~rows.delivered & ~rows.known_by_tag & rows.ran)
