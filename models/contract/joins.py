"""Left joins, join conditions in which null equals null, and tables without some columns."""

from __future__ import annotations

from collections.abc import Sequence

import ibis.expr.types as ir


def same_keys(
    left: ir.Table, right: ir.Table, keys: Sequence[str], suffix: str = ""
) -> list[ir.BooleanValue]:
    """Lists the join conditions under which two tables have equal keys, where null equals null.

    The names of the right table's key columns end in `suffix`.
    """
    return [left[key].identical_to(right[f"{key}{suffix}"]) for key in keys]


def left_join(left: ir.Table, right: ir.Table, keys: Sequence[str]) -> ir.Table:
    """Left-joins two tables on key columns; columns that only the right has are null without match.

    A null key never matches. A column that both tables have keeps the value of `left`.
    """
    further = [name for name in right.columns if name not in left.columns]
    joined = left.left_join(right.select(*keys, *further), list(keys))
    # columns by name: `drop` would list those of both sides in the SQL once more
    return joined.select(*left.columns, *further)


def without(rows: ir.Table, *names: str) -> ir.Table:
    """Returns a table without the named columns.

    All others are selected by name: Ibis repeats in SQL all that comes before a `drop`, once for
    each of its readers.
    """
    return rows.select(*(name for name in rows.columns if name not in names))
