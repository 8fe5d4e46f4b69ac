"""Fills idle gaps around jobs with the capacity left in their charge period, earliest first."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.marts.cost.shared_machines.shares.scaled_to_capacity import SPAN, in_spans
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order


def filled_gaps(gaps: ir.Table, spans: ir.Table) -> ir.Table:
    """Adds `part`, the seconds of a gap that fit in its period's free capacity, earliest first."""
    of_moment = gaps.group_by(*SPAN, "moment").agg(whole=sum_in_any_order(gaps.seconds))
    rows = in_spans(of_moment, spans)
    until = rows.whole.sum().over(ibis.cumulative_window(group_by=SPAN, order_by=[rows.moment]))
    free = ibis.greatest(rows.left - (until - rows.whole), 0.0)
    fills = rows.select(*SPAN, "moment", fits=ibis.least(free, rows.whole) / rows.whole)
    parts = left_join(gaps, fills, [*SPAN, "moment"])
    return parts.mutate(part=parts.seconds * parts.fits)
