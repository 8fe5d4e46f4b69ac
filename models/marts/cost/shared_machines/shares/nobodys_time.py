"""Finds what time of a machine no job held, and why: drained, down, or just idle.

Where the allocations of the day are not delivered it is not idle, but unknown.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.marts.cost.attribution_buckets import UNDELIVERED
from models.marts.cost.shared_machines.fractions_held import RUN
from models.marts.cost.shared_machines.intervals_and_gaps import GAP
from models.marts.cost.shared_machines.shares.scaled_to_capacity import DUST, SPAN
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order

IDLE = "idle"
"""What `holding` says of machine time that nobody held, where no event tells why."""


def nobodys_time(weights: ir.Table, spans: ir.Table, jobs: ir.Table) -> ir.Table:
    """Returns the seconds that no job held, per period and reason; else `idle` or `undelivered`."""
    borne = jobs.group_by(SPAN).agg(borne=sum_in_any_order(jobs.part))
    rows = left_join(spans.select("span", "capacity", "delivered"), borne, SPAN)
    rest = rows.capacity - rows.borne.fill_null(0.0)
    rows = rows.mutate(rest=ibis.ifelse(rest >= DUST, rest, 0.0))
    barred = weights.filter(~weights.role.isin((RUN, GAP)))
    sums = barred.group_by(SPAN).agg(barred=sum_in_any_order(barred.seconds))
    rows = left_join(rows, sums, SPAN)
    rows = rows.mutate(barred=rows.barred.fill_null(0.0))
    reasons = barred.join(rows.select("span", "rest", all_="barred"), SPAN)
    reasons = reasons.group_by("span", holding="role").agg(
        part=sum_in_any_order(reasons.seconds * ibis.least(1.0, reasons.rest / reasons.all_))
    )
    rest = ibis.greatest(rows.rest - rows.barred, 0.0)
    idle = rows.mutate(part=rest, holding=ibis.ifelse(rows.delivered, IDLE, UNDELIVERED))
    nobody = reasons.select("span", "holding", "part").union(idle.select("span", "holding", "part"))
    return nobody.mutate(owner=ibis.null("int64"))
