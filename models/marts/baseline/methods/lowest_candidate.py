"""Which platform's runs are the baseline: of several candidates the lowest value (METHOD §5.5).

Example: an epoch costs $180.00 on p4d and $110.00 on p5. Measured against p4d a Trainium epoch of
$105.00 would save $75.00, of which $70.00 were to be had on GPU.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

DAY = ["date", "workload", "kind"]


def lowest(rows: ir.Table) -> ir.Table:
    """Keeps a day's candidate of the lowest known value; `others` says what the others say."""
    order = [rows.value.isnull(), rows.value, rows.measured, rows.candidate]
    rows = rows.mutate(place=ibis.row_number().over(ibis.window(group_by=DAY, order_by=order)))
    dollars = "$" + rows.value.cast("decimal(38, 2)").cast("string")
    said = rows.candidate + " would say " + dollars.fill_null("nothing")
    beaten = rows.mutate(said=said).filter(rows.place > 0)
    others = beaten.group_by(DAY).agg(others=beaten.said.collect(order_by=beaten.place).join(", "))
    return left_join(rows.filter(rows.place == 0), others, DAY)
