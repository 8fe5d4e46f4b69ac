"""Exact arithmetic on money columns, and their text in reasons (METHOD §2.3).

A delivered amount becomes DECIMAL(18,9) once, in `models.formats.fields.amount`. DuckDB divides
decimals as doubles, and ÷ 0 is infinity there but an error in Spark. So every quotient goes through
`ratio`: null over zero, and rounded to DECIMAL once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import COST_COLUMNS, MONEY

PLACES = 9
UNIT = 1e9
"""The smallest parts of a dollar that are kept (1e-9)."""
ZERO = ibis.literal(0).cast(MONEY)


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]  # Ibis does not annotate it
def trunc(value: float) -> float:  # type: ignore[empty-body]  # compiled by each engine's compiler
    """Truncates doubles towards zero in SQL: DuckDB's `trunc`, elsewhere by the remainder.

    In DuckDB a remainder of doubles would take most of the time of a division. See
    `models.engine.sql`.
    """


def money(value: ir.Value | int) -> ir.DecimalValue:
    """Casts a column or an integer to the type of money columns, DECIMAL(38, 9)."""
    given = ibis.literal(value) if isinstance(value, int) else value
    return cast(ir.DecimalValue, given.cast(MONEY))


def ratio(part: ir.Value, whole: ir.Value) -> ir.DecimalValue:
    """Divides money columns to nine places, half-up; null if the divisor is 0 or either is null.

    The first quotient is a double. What it leaves of `part` is exact and is divided once more.
    Example: 2 ÷ 3 is 0.666666667.
    """
    above, below = money(part), money(whole)
    divisor = below.cast("float64").nullif(0)
    quotient = above.cast("float64") / divisor * UNIT
    # towards zero, so that what is left has the quotient's sign and rounds away from zero
    first = money(trunc(quotient) / UNIT)
    left = above - first * below
    return money(first + money((left.cast("float64") / divisor).round(PLACES)))


def product(left: ir.Value, right: ir.Value) -> ir.DecimalValue:
    """Multiplies two columns as money, rounded half-up to nine places."""
    # Ibis takes the product for DECIMAL(38, 9) already, and would leave out a cast
    return money((left.cast(MONEY) * right.cast(MONEY)).round(PLACES))


def carried_product(
    left: ir.Value, right: ir.Value, *, within: str | tuple[str, ...], order: str
) -> ir.DecimalValue:
    """Multiplies two columns so that a group's running totals are the exact ones, rounded.

    Each row carries the rounding of the rows before it. The sum of a workload's days is then exact
    to the ninth place, however many days a run touched.
    """
    exact = left.cast(MONEY) * right.cast(MONEY)
    until = exact.sum().over(ibis.cumulative_window(group_by=within, order_by=order))
    total = until.round(PLACES)
    before = (until - exact).round(PLACES)
    return cast(ir.DecimalValue, ibis.ifelse(left.isnull() | right.isnull(), None, total - before))


def cents_text(value: ir.Value) -> ir.StringValue:
    """Formats a column of numbers as text with two decimals, rounded half-up: `1234.50`."""
    return cast(ir.StringValue, value.cast("decimal(38, 2)").cast("string"))


def known_sum(value: ir.Value, where: ir.BooleanValue | None = None) -> ir.DecimalValue:
    """Sums a column over a group, or over the rows of `where`; null if any of these is null."""
    unknown = value.isnull().any(where=where)
    return cast(ir.DecimalValue, ibis.ifelse(unknown, None, value.sum(where=where)).cast(MONEY))


def cost_sums(rows: ir.Table) -> dict[str, ir.Value]:
    """Maps each of the four cost columns to its sum over a group, which is null if any value is."""
    return {name: known_sum(rows[name]) for name in COST_COLUMNS}


def zero_if_null(value: ir.Value) -> ir.DecimalValue:
    """Returns a money column with 0 for null, for an amount where null means none and not unknown.

    Never use it for an amount that exists and is unknown.
    """
    return money(ibis.coalesce(value, ZERO))


def allocated(
    rows: ir.Table, amounts: Iterable[str], *, weight: str, within: list[str], owner: str
) -> ir.Table:
    """Splits amounts among owners by weight, a row per owner; the parts add up to each exactly.

    `rows` repeats each whole once per owner; `within` names the columns that tell wholes apart. The
    residue of rounding goes to the largest share, of equal ones to the first by `owner`. A whole
    without any owner (one row, weight null) stays as it is. Example: $10 by weights 1, 1 and 1 is
    3.333333334, 3.333333333 and 3.333333333.
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
