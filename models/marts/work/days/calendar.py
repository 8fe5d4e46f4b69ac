"""Lists every day of each workload from its first to its last, with none missing.

From its first charge, sample, investment or part of what stood idle to its last settled day, or to
its newest charge or sample where that is later, and at least to the last settled day of any account
(`settled` is then false): what is spent on a workload whose bill lags is spent. A pool's idle days
of a month are borne by those that held it later in the month, too.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.work.days.workload_settled import settled_on


@step(
    grain="date × workload, without gaps",
    units="dates, UTC",
    nulls="none",
    method="§1.1",
    whose="workload",
)
def calendar(
    work_daily: ir.Table,
    spend_daily: ir.Table,
    workload_settled: ir.Table,
    config_investments: ir.Table,
    pool_days: ir.Table,
) -> ir.Table:
    """Lists every day of each workload without gaps, with whether it is settled."""
    outgoings = (spend_daily, config_investments, _idle(pool_days))
    borne = (rows.filter(rows.workload.notnull()).select("workload", "date") for rows in outgoings)
    days = work_daily.select("workload", "date").union(*borne)
    seen = days.group_by("workload").agg(first=days.date.min())
    newest = work_daily.group_by("workload").agg(newest=work_daily.date.max())
    span = seen.join(workload_settled, "workload")
    span = left_join(span, newest, ["workload"])
    span = span.mutate(end=ibis.greatest(span.settled_through, span.newest, span.latest))
    length = (span.end.epoch_days() - span["first"].epoch_days()).cast("int64")
    offsets = span.mutate(offset=ibis.range(0, length + 1).unnest())
    date = (offsets["first"] + offsets.offset.as_interval("D")).cast("timestamp").date()
    return offsets.select("workload", date=date, settled=settled_on(date, offsets))


def _idle(pool_days: ir.Table) -> ir.Table:
    """Lists days on which Trainium pools had idle time, with who may bear it (§2.10.6)."""
    rows = pool_days.mutate(month=pool_days.date.truncate("M"))
    pool = ["month", "cluster", "cluster_place", "instance_type"]
    bearers = rows.filter(rows.workload.notnull()).select("workload", *pool).distinct()
    idle = rows.workload.isnull() & (rows.holding != "unknown")
    idle = rows.filter(idle & rows.settled & (rows.hardware == "trainium"))
    return idle.select("date", *pool).distinct().join(bearers, pool)
