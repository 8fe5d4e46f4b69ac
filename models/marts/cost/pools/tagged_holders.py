"""Finds charges of a cluster's machines that bear a run's tag: that run held the pool, too.

A run tag says whose an hour is, in place of an allocation. The machine is one of its pool all the
same: what stands idle beside it falls on whoever held the pool (METHOD §2.10.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.marts.cost.attribution_buckets import HELD


def tagged_holders(charges: ir.Table) -> ir.Table:
    """Selects accelerator charges with a run's tag in clusters that jobs share; marks them `held`.

    A machine is of the cluster whose tag it bears, in an account in which machines of that cluster
    are divided (`holding` of some charge).
    """
    divided = charges.filter(charges.holding.notnull() & charges.cluster.notnull())
    divided = divided.select("cluster", "account").distinct()
    tagged = charges.filter(
        charges.holding.isnull()
        & (charges.attribution == "direct")
        & (charges.component == "accelerator")
    )
    found = tagged.semi_join(divided, ["cluster", "account"])
    return found.mutate(holding=ibis.literal(HELD[0])).select(*charges.columns)
