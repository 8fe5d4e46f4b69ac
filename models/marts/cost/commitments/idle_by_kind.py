"""Finds idle commitment that the bill cannot tell apart: several workloads share a kind.

Where the bill names a commitment by its kind only, as Cost Explorer does, all that stood idle of
the kind falls on the runs that commitments of the kind covered that month. With one workload that
is the answer of a bill that names each commitment. With several it may not be, and is said.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import product, ratio
from models.contract.rules.commitments_by_kind import is_kind
from models.marts.cost.commitments.covered_hours import (
    MONTH,
    covered_hours,
    hours_bearing_idle,
)


@step(
    grain="workload",
    units="dollars on the configured basis",
    nulls="none",
    method="§2.6",
    whose="workload",
)
def idle_by_kind(
    idle_commitments: ir.Table, committed: ir.Table, work_daily: ir.Table, cutovers: ir.Table
) -> ir.Table:
    """Sums each workload's idle of commitments known by kind that covered several workloads."""
    hours = hours_bearing_idle(covered_hours(committed, work_daily, cutovers))
    hours = hours.filter(is_kind(hours.commitment))
    own = hours.group_by(*MONTH, "workload").agg(hours=hours.hours.sum())
    every = own.group_by(*MONTH).agg(all=own.hours.sum(), owners=own.count())
    several = own.join(every.filter(every.owners > 1), MONTH)
    monthly = idle_commitments.group_by(MONTH).agg(cost=idle_commitments.cost.sum())
    rows = several.join(monthly, MONTH)
    amount = ratio(product(rows.cost, rows.hours), rows["all"])
    return rows.group_by("workload").agg(amount=amount.sum())
