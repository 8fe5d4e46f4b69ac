"""Exact arithmetic on money columns (METHOD §2.3).

DuckDB divides decimals as doubles, and ÷ 0 is infinity there but an error in Spark: every
quotient goes through `ratio`, is null over zero, and is rounded to DECIMAL once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import COST_COLUMNS, MONEY

PLACES = 9
UNIT = 1e9
"""Smallest parts in a dollar."""
ZERO = ibis.literal(0).cast(MONEY)


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]  # Ibis does not annotate it
def trunc(value: float) -> float:  # type: ignore[empty-body]  # each engine has its own
    """The whole part of a number; see `models.engine.sql.compilers`. A remainder of doubles takes
    longer than the rest."""


def money(value: ir.Value | int) -> ir.DecimalValue:
    """`value` as DECIMAL(38, 9)."""
    given = ibis.literal(value) if isinstance(value, int) else value
    return cast(ir.DecimalValue, given.cast(MONEY))


def ratio(part: ir.Value, whole: ir.Value) -> ir.DecimalValue:
    """`part ÷ whole` to nine places, half-up; null where `whole` is 0 or either is unknown.

    A first quotient is a double; what it leaves of `part` is exact and is divided once more.
    """
    above, below = money(part), money(whole)
    divisor = below.cast("float64").nullif(0)
    quotient = above.cast("float64") / divisor * UNIT
    # towards zero, so that what is left has the quotient's sign and rounds away from zero
    first = money(trunc(quotient) / UNIT)
    left = above - first * below
    return money(first + money((left.cast("float64") / divisor).round(PLACES)))


def product(left: ir.Value, right: ir.Value) -> ir.DecimalValue:
    """`left × right`, rounded half-up to nine places."""
    # Ibis takes the product for DECIMAL(38, 9) already, and would leave out a cast
    return money((left.cast(MONEY) * right.cast(MONEY)).round(PLACES))


def carried_product(
    left: ir.Value, right: ir.Value, *, within: str | tuple[str, ...], order: str
) -> ir.DecimalValue:
    """`left × right` row by row, rounded so that running totals are the rounded exact totals.

    Each row carries the previous rows' rounding: the sum of a workload's days is then exact to the
    ninth place, however many days a run touched.
    """
    exact = left.cast(MONEY) * right.cast(MONEY)
    until = exact.sum().over(ibis.cumulative_window(group_by=within, order_by=order))
    total = until.round(PLACES)
    before = (until - exact).round(PLACES)
    return cast(ir.DecimalValue, ibis.ifelse(left.isnull() | right.isnull(), None, total - before))


def known_sum(value: ir.Value, where: ir.BooleanValue | None = None) -> ir.DecimalValue:
    """The sum of a group, or of its rows `where`: unknown as soon as one of its values is."""
    unknown = value.isnull().any(where=where)
    return cast(ir.DecimalValue, ibis.ifelse(unknown, None, value.sum(where=where)).cast(MONEY))


def cost_sums(rows: ir.Table) -> dict[str, ir.Value]:
    """The `known_sum` of each of the four cost columns, by name."""
    return {name: known_sum(rows[name]) for name in COST_COLUMNS}


def zero_if_null(value: ir.Value) -> ir.DecimalValue:
    """0 where there is nothing to add (never where something is unknown)."""
    return money(ibis.coalesce(value, ZERO))


def allocated(
    rows: ir.Table, amounts: Iterable[str], *, weight: str, within: list[str], owner: str
) -> ir.Table:
    """`amounts` shared out in proportion to `weight`, so that the shares add up to the whole.

    `rows` repeats each whole once per owner; `within` names the columns that tell one whole from
    another. The residue of rounding goes to the largest share (then by the owner's name). A whole
    without any owner (one row, weight null) stays as it is.
    """
    whole = ibis.window(group_by=within)
    total = rows[weight].sum().over(whole)
    share = rows[weight].cast("float64") / total.cast("float64")
    largest = ibis.row_number().over(
        ibis.window(group_by=within, order_by=[ibis.desc(rows[weight]), rows[owner]])
    )
    names = list(amounts)
    rounded = rows.mutate(
        largest_=largest == 0,
        **{
            f"{name}_": ibis.ifelse(
                total.isnull(),
                money(rows[name]),
                money((rows[name].cast("float64") * share).round(PLACES)),
            )
            for name in names
        },
    )
    given = {name: rounded[f"{name}_"].sum().over(whole) for name in names}
    settled = rounded.mutate(
        **{
            name: rounded[f"{name}_"]
            + ibis.ifelse(rounded.largest_, rounded[name] - given[name], ZERO)
            for name in names
        }
    )
    return settled.select(*rows.columns)
