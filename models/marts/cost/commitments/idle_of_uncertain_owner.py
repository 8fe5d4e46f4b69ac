"""Sums idle commitment cost of uncertain owner: several workloads used commitments of that kind.

Cost Explorer names a commitment only by its kind. There, all idle cost of a kind is split among the
runs that commitments of that kind covered in the month. If they belong to one workload, the result
is that of a bill which names each commitment. If they belong to several it may differ, and the
`reason` of these workloads says by how many dollars.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import known_sum, product, ratio
from models.contract.rules.commitments_by_kind import is_kind
from models.marts.cost.commitments.covered_hours import (
    MONTH,
    covered_hours,
    hours_sharing_idle,
)


@step(
    grain="workload",
    units="dollars on the configured basis",
    nulls="amount: its price is missing",
    method="§2.6",
    whose="workload",
)
def idle_by_kind(
    idle_commitments: ir.Table, committed: ir.Table, work_daily: ir.Table, cutovers: ir.Table
) -> ir.Table:
    """Sums per workload the idle cost of commitments known only by kind, which others use too."""
    hours = hours_sharing_idle(covered_hours(committed, work_daily, cutovers))
    hours = hours.filter(is_kind(hours.commitment))
    own = hours.group_by(*MONTH, "workload").agg(hours=hours.hours.sum())
    every = own.group_by(*MONTH).agg(all=own.hours.sum(), owners=own.count())
    several = own.join(every.filter(every.owners > 1), MONTH)
    monthly = idle_commitments.group_by(MONTH).agg(cost=known_sum(idle_commitments.cost))
    rows = several.join(monthly, MONTH)
    amount = ratio(product(rows.cost, rows.hours), rows["all"])
    return rows.group_by("workload").agg(amount=known_sum(amount))
