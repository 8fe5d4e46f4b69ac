"""Finds idle minutes around jobs that count as the jobs' own: booting, draining, scheduling.

Up to `clusters.gap_minutes` after a job's end in which the machine held no job at all are that
job's; jobs that end together share them. As long before a machine's first job is that job's. Of an
end that only the day cut off, or that nobody saw, there is no gap.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.marts.cost.shared_machines.fractions_held import RUN


@step(
    grain="idle time around a job × job × UTC day",
    units="began, ended: UTC",
    nulls="none",
    method="§2.10.4",
    whose="run",
)
def gaps(fractions_held: ir.Table, members: ir.Table, settings: Settings) -> ir.Table:
    """Lists the idle minutes beside jobs that count as theirs (boot, drain), by machine and day."""
    length = ibis.interval(minutes=settings.clusters.gap_minutes)
    rows = fractions_held.filter((fractions_held.reason == RUN) & fractions_held.resource.notnull())
    ends = _ends(rows)
    after = rows.filter(rows.ends).join(ends, ["resource", "ended"])
    after = after.mutate(
        began=after.ended,
        ended=ibis.least(
            (after.ended + length).cast("timestamp"),
            ibis.coalesce(after.next_start, (after.ended + length).cast("timestamp")),
        ),
    )
    firsts = members.select(first_of="resource", first_from="first_from")
    first = rows.join(firsts, [rows.resource == firsts.first_of, rows.began == firsts.first_from])
    first = first.filter(first.starts)
    first = first.mutate(began=(first.began - length).cast("timestamp"), ended=first.began)
    both = after.select(fractions_held.columns).union(first.select(fractions_held.columns))
    return _by_day(both.filter(both.ended > both.began))


def _ends(rows: ir.Table) -> ir.Table:
    """Lists when a machine is left without a job, and when the next one starts (null: none)."""
    order = ibis.window(group_by=[rows.resource], order_by=[rows.began, rows.ended])
    so_far = ibis.cumulative_window(group_by=[rows.resource], order_by=[rows.began, rows.ended])
    jobs = rows.select(
        "resource", ended=rows.ended.max().over(so_far), next_start=rows.began.lead().over(order)
    )
    return jobs.filter((jobs.next_start > jobs.ended).fill_null(True))


def _by_day(rows: ir.Table) -> ir.Table:
    """Splits a gap that crosses midnight in two rows, one for each day."""
    midnight = rows.ended.truncate("D").cast("timestamp")
    crosses = (rows.began < midnight) & (rows.ended > midnight)
    first = rows.mutate(ended=ibis.ifelse(crosses, midnight, rows.ended))
    second = rows.filter(crosses).mutate(began=midnight.name("began"))
    both = first.union(second.select(first.columns))
    return both.mutate(date=both.began.date())
