"""Scales the time that jobs held of a machine to the time on the bill, per charge period."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.marts.cost.shared_machines.fractions_held import RUN
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order

SPAN = ["span"]
DUST = 1.0
"""Seconds; less is what rounding of the bill's hours leaves."""


def scaled_to_capacity(spans: ir.Table, weights: ir.Table) -> ir.Table:
    """Adds to charge periods the seconds that jobs held, what is left, the excess, the scale."""
    runs = weights.filter(weights.role == RUN)
    sums = runs.group_by(SPAN).agg(held=sum_in_any_order(runs.seconds))
    rows = left_join(spans, sums, SPAN)
    rows = rows.mutate(held=rows.held.fill_null(0.0))
    beyond = ibis.greatest(rows.held - rows.capacity, 0.0)
    return rows.mutate(
        over=ibis.ifelse(beyond >= DUST, beyond, 0.0),
        scale=ibis.ifelse(rows.held > rows.capacity, rows.capacity / rows.held, 1.0),
        left=ibis.greatest(rows.capacity - rows.held, 0.0),
    )


def in_spans(rows: ir.Table, spans: ir.Table) -> ir.Table:
    """Adds `capacity`, `scale` and `left` of a charge period to the rows of what was held in it."""
    columns = [name for name in ("capacity", "scale", "left") if name not in rows.columns]
    return rows.join(spans.select(*SPAN, *columns), SPAN)
