"""Divides what the bill has of each period: to who held it, to gaps, and the rest to nobody."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.cost.shared_machines.holds import RUN
from models.marts.cost.shared_machines.periods import PERIOD
from models.marts.cost.shared_machines.pieces import GAP, OWNERS

DUST = 1.0
"""Seconds; less is what rounding of the bill's hours leaves."""
HELD, UNKNOWN, IDLE = "held", "unknown", "idle"
"""What `holding` says: a known run or workload held it, a job of nobody known, nobody."""


@step(
    grain="unit × period × holding × owner",
    units="part: seconds of the capacity; over: seconds that jobs held beyond it",
    nulls="workload, run: nobody known",
    method="§2.10.3, §2.10.4, §2.10.6",
    whose="run",
)
def shares(periods: ir.Table, weights: ir.Table) -> ir.Table:
    """Scales weights to the capacity, fills gaps in order of time, and names the rest as idle."""
    owner = [name for name in weights.columns if name in OWNERS[1:] or name.startswith("tag_")]
    spans = _spans(periods, weights)
    held = _in_spans(weights.filter(weights.role == RUN), spans)
    held = held.mutate(part=held.seconds * held.scale)
    filled = _filled(weights.filter(weights.role == GAP), spans)
    jobs = held.select(*PERIOD, "cluster", *owner, "part").union(
        filled.select(*PERIOD, "cluster", *owner, "part")
    )
    known = ibis.coalesce(*(jobs[name] for name in OWNERS[1:])).notnull()
    jobs = jobs.mutate(holding=ibis.ifelse(known, HELD, UNKNOWN))
    nobody = _nobodys(weights, spans, jobs)
    nobody = nobody.mutate(**{name: ibis.null("string") for name in owner})
    columns = [*PERIOD, "cluster", "holding", *owner]
    every = jobs.select(*columns, "part").union(nobody.select(*columns, "part"))
    parts = every.filter(every.part > 0).group_by(columns).agg(part=every.part.sum())
    return left_join(parts, spans.select(*PERIOD, "over", "daily"), PERIOD)


def _spans(periods: ir.Table, weights: ir.Table) -> ir.Table:
    """Adds to each period how much was held in all, what is left, and by how much it is over."""
    runs = weights.filter(weights.role == RUN)
    sums = runs.group_by(*PERIOD).agg(held=runs.seconds.sum())
    rows = left_join(periods, sums, PERIOD)
    rows = rows.mutate(held=rows.held.fill_null(0.0))
    beyond = ibis.greatest(rows.held - rows.capacity, 0.0)
    return rows.mutate(
        over=ibis.ifelse(beyond >= DUST, beyond, 0.0),
        scale=ibis.ifelse(rows.held > rows.capacity, rows.capacity / rows.held, 1.0),
        left=ibis.greatest(rows.capacity - rows.held, 0.0),
    )


def _filled(gaps: ir.Table, spans: ir.Table) -> ir.Table:
    """Gives gaps what capacity is left of their period, the earlier ones first."""
    of_moment = gaps.group_by(*PERIOD, "moment").agg(whole=gaps.seconds.sum())
    rows = _in_spans(of_moment, spans)
    until = rows.whole.sum().over(
        ibis.cumulative_window(group_by=list(PERIOD), order_by=[rows.moment])
    )
    free = ibis.greatest(rows.left - (until - rows.whole), 0.0)
    fills = rows.select(*PERIOD, "moment", fits=ibis.least(free, rows.whole) / rows.whole)
    parts = left_join(gaps, fills, [*PERIOD, "moment"])
    return parts.mutate(part=parts.seconds * parts.fits)


def _nobodys(weights: ir.Table, spans: ir.Table, jobs: ir.Table) -> ir.Table:
    """Returns what no job held: by the reason that an interval gives, the rest as `idle`."""
    borne = jobs.group_by(*PERIOD).agg(borne=jobs.part.sum())
    rows = left_join(spans, borne, PERIOD)
    rest = rows.capacity - rows.borne.fill_null(0.0)
    rows = rows.mutate(rest=ibis.ifelse(rest >= DUST, rest, 0.0))
    barred = weights.filter(~weights.role.isin((RUN, GAP)))
    sums = barred.group_by(*PERIOD).agg(barred=barred.seconds.sum())
    rows = left_join(rows, sums, PERIOD)
    rows = rows.mutate(barred=rows.barred.fill_null(0.0))
    told = barred.join(rows.select(*PERIOD, "rest", all_="barred"), PERIOD)
    told = told.mutate(
        part=told.seconds * ibis.least(1.0, told.rest / told.all_), holding=told.role
    )
    idle = rows.mutate(part=ibis.greatest(rows.rest - rows.barred, 0.0), holding=ibis.literal(IDLE))
    columns = [*PERIOD, "cluster", "holding", "part"]
    return told.select(columns).union(idle.select(columns))


def _in_spans(rows: ir.Table, spans: ir.Table) -> ir.Table:
    columns = [name for name in spans.columns if name not in rows.columns]
    return rows.join(spans.select(*PERIOD, *columns), list(PERIOD))
