"""Lists every day of each workload from its first to its last, with none missing.

From its first charge, sample or investment to its last settled day, or to its newest charge or
sample where that is later, and at least to the last settled day of any account (`settled` is then
false): what is spent on a workload whose bill lags is spent.
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
) -> ir.Table:
    """Lists every day of each workload without gaps, with whether it is settled."""
    outlays = config_investments.filter(config_investments.workload.notnull())
    owned = spend_daily.filter(spend_daily.workload.notnull())
    days = (
        work_daily.select("workload", "date")
        .union(owned.select("workload", "date"))
        .union(outlays.select("workload", "date"))
    )
    seen = days.group_by("workload").agg(first=days.date.min())
    newest = work_daily.group_by("workload").agg(newest=work_daily.date.max())
    span = seen.join(workload_settled, "workload")
    span = left_join(span, newest, ["workload"])
    span = span.mutate(end=ibis.greatest(span.settled_through, span.newest, span.latest))
    length = (span.end.epoch_days() - span["first"].epoch_days()).cast("int64")
    offsets = span.mutate(offset=ibis.range(0, length + 1).unnest())
    date = (offsets["first"] + offsets.offset.as_interval("D")).cast("timestamp").date()
    return offsets.select("workload", date=date, settled=settled_on(date, offsets))
