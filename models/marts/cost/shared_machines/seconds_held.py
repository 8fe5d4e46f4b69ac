"""Sums the seconds that each owner held per charge period, before they are scaled to the bill."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.intervals_and_gaps import GAP
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order


@step(
    grain="span × role (held, gap, reason) × owner; of gaps × moment",
    units="seconds of the whole machine",
    nulls="none",
    method="§2.10.2",
    whose="run",
)
def seconds_held(weights_by_moment: ir.Table) -> ir.Table:
    """Sums the seconds that owners held in each charge period; idle gaps stay apart by moment."""
    return weights_by_moment.group_by(
        "span",
        "role",
        "owner",
        moment=ibis.ifelse(weights_by_moment.role == GAP, weights_by_moment.moment, None),
    ).agg(seconds=sum_in_any_order(weights_by_moment.seconds))
