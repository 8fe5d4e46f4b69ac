"""How many seconds of each period each owner held, before they meet what the bill has."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.holds import RUN
from models.marts.cost.shared_machines.periods import PERIOD
from models.marts.cost.shared_machines.pieces import GAP, OWNERS


@step(
    grain="unit × period × role (held, gap, reason) × owner; of gaps × moment",
    units="seconds of the whole machine",
    nulls="workload, run: a job of nobody known, or nobody's",
    method="§2.10.2",
    whose="run",
)
def weights(moments: ir.Table) -> ir.Table:
    """Sums the seconds of each owner by period; gaps stay by moment, earlier ones count first."""
    tags = [name for name in moments.columns if name.startswith("tag_")]
    jobs = moments.role.isin((RUN, GAP))
    owner = {name: ibis.ifelse(jobs, moments[name], None) for name in (*OWNERS[1:], *tags)}
    return moments.group_by(
        *PERIOD, "role", "cluster", **owner,
        moment=ibis.ifelse(moments.role == GAP, moments.moment, None),
    ).agg(seconds=moments.seconds.sum())  # fmt: skip
