"""Divides machine time by charge period: among who held it, gaps around jobs, and nobody."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.cost.attribution_buckets import UNDELIVERED
from models.marts.cost.shared_machines.exact_sum import exact_sum
from models.marts.cost.shared_machines.fractions_held import RUN
from models.marts.cost.shared_machines.intervals import GAP

SPAN = ["span"]
OF_SPAN = ("span", "unit_day", "alike", "cluster", "over", "daily")
DUST = 1.0
"""Seconds; less is what rounding of the bill's hours leaves."""
HELD, UNKNOWN, IDLE = "held", "unknown", "idle"
"""What `holding` says: a known run or workload held it, a job of nobody known, nobody.

Where allocations are not delivered, what no job is known to have held is `UNDELIVERED`.
"""


@step(
    grain="span × holding × owner",
    units="part: seconds of the capacity of one period; over: seconds that jobs held beyond it",
    nulls="owner: nobody; cluster: that of the owner; fraction: the only part",
    method="§2.10.3, §2.10.4, §2.10.6",
    whose="run",
)
def shares(period_capacity: ir.Table, seconds_held: ir.Table, owners: ir.Table) -> ir.Table:
    """Computes what fraction of a machine's charge period each owner held, and what was idle.

    What was held is scaled to the capacity, then gaps are filled in order of time. `fraction` is
    the part of all of the span's, `largest` the one that bears what rounding leaves.
    """
    period_capacity = _filled_up(period_capacity, seconds_held)
    held = _in_spans(seconds_held.filter(seconds_held.role == RUN), period_capacity)
    held = held.mutate(part=held.seconds * held.scale)
    filled = _filled(seconds_held.filter(seconds_held.role == GAP), period_capacity)
    jobs = held.select("span", "owner", "part").union(filled.select("span", "owner", "part"))
    jobs = jobs.group_by("span", "owner").agg(part=exact_sum(jobs.part))
    nobody = _nobodys(seconds_held, period_capacity, jobs)
    known = left_join(jobs, owners.select("owner", "known"), ["owner"])
    jobs = known.mutate(holding=ibis.ifelse(known.known, HELD, UNKNOWN))
    columns = ["span", "holding", "owner", "part"]
    every = jobs.select(columns).union(nobody.select(columns))
    every = every.filter(every.part > 0)
    return with_fractions(every, SPAN).join(period_capacity.select(OF_SPAN), "span")


def with_fractions(rows: ir.Table, whole: list[str]) -> ir.Table:
    """Adds to each part its `fraction` of its whole (null if alone) and if it is the `largest`.

    The largest bears the residue of rounding; of equal ones the first by holding and owner.
    """
    sums = rows.group_by(whole).agg(number=rows.count(), total=exact_sum(rows.part))
    rows = rows.join(sums, whole)
    alone = rows.filter(rows.number == 1).mutate(fraction=ibis.null("float64"), largest=True)
    several = rows.filter(rows.number > 1)
    order = [ibis.desc(several.part), several.holding, several.owner]
    place = ibis.row_number().over(ibis.window(group_by=whole, order_by=order))
    several = several.mutate(fraction=several.part / several.total, largest=place == 0)
    return alone.union(several).drop("number", "total")


def _filled_up(spans: ir.Table, weights: ir.Table) -> ir.Table:
    """Adds to each period how much was held in all, what is left, and by how much it is over."""
    runs = weights.filter(weights.role == RUN)
    sums = runs.group_by(SPAN).agg(held=exact_sum(runs.seconds))
    rows = left_join(spans, sums, SPAN)
    rows = rows.mutate(held=rows.held.fill_null(0.0))
    beyond = ibis.greatest(rows.held - rows.capacity, 0.0)
    return rows.mutate(
        over=ibis.ifelse(beyond >= DUST, beyond, 0.0),
        scale=ibis.ifelse(rows.held > rows.capacity, rows.capacity / rows.held, 1.0),
        left=ibis.greatest(rows.capacity - rows.held, 0.0),
    )


def _filled(gaps: ir.Table, spans: ir.Table) -> ir.Table:
    """Gives gaps what capacity is left of their period, the earlier ones first."""
    of_moment = gaps.group_by(*SPAN, "moment").agg(whole=exact_sum(gaps.seconds))
    rows = _in_spans(of_moment, spans)
    until = rows.whole.sum().over(ibis.cumulative_window(group_by=SPAN, order_by=[rows.moment]))
    free = ibis.greatest(rows.left - (until - rows.whole), 0.0)
    fills = rows.select(*SPAN, "moment", fits=ibis.least(free, rows.whole) / rows.whole)
    parts = left_join(gaps, fills, [*SPAN, "moment"])
    return parts.mutate(part=parts.seconds * parts.fits)


def _nobodys(weights: ir.Table, spans: ir.Table, jobs: ir.Table) -> ir.Table:
    """Returns what no job held: by the reason that an interval gives, the rest as `idle`."""
    borne = jobs.group_by(SPAN).agg(borne=exact_sum(jobs.part))
    rows = left_join(spans.select("span", "capacity", "delivered"), borne, SPAN)
    rest = rows.capacity - rows.borne.fill_null(0.0)
    rows = rows.mutate(rest=ibis.ifelse(rest >= DUST, rest, 0.0))
    barred = weights.filter(~weights.role.isin((RUN, GAP)))
    sums = barred.group_by(SPAN).agg(barred=exact_sum(barred.seconds))
    rows = left_join(rows, sums, SPAN)
    rows = rows.mutate(barred=rows.barred.fill_null(0.0))
    told = barred.join(rows.select("span", "rest", all_="barred"), SPAN)
    told = told.group_by("span", holding="role").agg(
        part=exact_sum(told.seconds * ibis.least(1.0, told.rest / told.all_))
    )
    rest = ibis.greatest(rows.rest - rows.barred, 0.0)
    idle = rows.mutate(part=rest, holding=ibis.ifelse(rows.delivered, IDLE, UNDELIVERED))
    nobody = told.select("span", "holding", "part").union(idle.select("span", "holding", "part"))
    return nobody.mutate(owner=ibis.null("int64"))


def _in_spans(rows: ir.Table, spans: ir.Table) -> ir.Table:
    columns = [name for name in ("capacity", "scale", "left") if name not in rows.columns]
    return rows.join(spans.select(*SPAN, *columns), SPAN)
