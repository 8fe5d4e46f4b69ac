"""Chooses the GPU platform with the lowest cost per unit as the baseline (METHOD §5.1).

Example: an epoch costs $180.00 on p4d and $110.00 on p5. Compared with p4d, a Trainium epoch of
$105.00 would save $75.00, of which $70.00 could be saved on GPU as well. With a target loss it is
the value of a result, `value` × `cap` (METHOD §3.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import cents_text, product

DAY = ["date", "workload", "kind"]


def lowest(rows: ir.Table) -> ir.Table:
    """Selects each recipe's cheapest GPU platform on each day; `others` describes the rest."""
    result = product(rows.value, rows.cap)
    order = [rows.value.isnull(), result.coalesce(rows.value), rows.measured, rows.candidate]
    rows = rows.mutate(place=ibis.row_number().over(ibis.window(group_by=DAY, order_by=order)))
    of_result = (", $" + cents_text(result) + " a result").fill_null("")
    value = ("$" + cents_text(rows.value) + of_result).fill_null("unknown")
    quoted = rows.candidate + " would be " + value
    beaten = rows.mutate(quoted=quoted).filter(rows.place > 0)
    others = beaten.group_by(DAY).agg(
        others=beaten.quoted.collect(order_by=beaten.place).join(", ")
    )
    return left_join(rows.filter(rows.place == 0), others, DAY)
