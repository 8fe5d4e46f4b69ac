"""Joins the price that is in force on a day."""

from __future__ import annotations

import ibis.expr.types as ir


def with_price(
    rows: ir.Table,
    price_steps: ir.Table,
    *,
    on: str,
    series: str = "series",
    columns: tuple[str, ...] = ("usd_per_hour",),
) -> ir.Table:
    """Adds the price in force on each row's day for its instance type, region and series, or null.

    `columns` are those of the step of `price_steps` that holds on the day in the column `on`. A
    step's `until` is exclusive: from 1 June until 23 June, it does not hold on 23 June.
    """
    return rows.left_join(
        price_steps,
        [
            rows.instance_type == price_steps.instance_type,
            rows.region == price_steps.region,
            rows[series] == price_steps.series,
            rows[on] >= price_steps.since,
            (rows[on] < price_steps.until) | price_steps.until.isnull(),
        ],
    ).select(rows, *(price_steps[name] for name in columns))
