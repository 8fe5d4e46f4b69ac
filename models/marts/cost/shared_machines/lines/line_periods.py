"""Lists the charge periods of each bill line of a shared machine."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step


@step(
    grain="line × period",
    units="length: seconds",
    nulls="length: the bill does not say when the period ends",
    method="§2.10.1",
    whose="company",
)
def line_periods(placed_lines: ir.Table) -> ir.Table:
    """Lists the charge periods of each shared machine's bill line, a row per line and period.

    Example: a line of a machine at $21.50 of 24 equal hours is 24 rows.
    """
    rows = placed_lines.filter(
        placed_lines.unit_day.notnull() & ~placed_lines.whole & placed_lines.period_from.notnull()
    )
    starts = cast(ir.ArrayValue, ibis.coalesce(rows.periods, ibis.array([rows.period_from])))
    length = rows.period_to.delta(rows.period_from, unit="second")
    return rows.select(
        "line", "unit_day", "used", "hours", "effective_cost",
        length=length, period_from=starts.unnest(),
    )  # fmt: skip
