"""Left joins, and join conditions that treat null as a value."""

from __future__ import annotations

from collections.abc import Sequence

import ibis.expr.types as ir


def same_keys(
    left: ir.Table, right: ir.Table, keys: Sequence[str], suffix: str = ""
) -> list[ir.BooleanValue]:
    """Returns join conditions: both sides have the same keys, and null equals null.

    On the right side the names of the key columns end in `suffix`.
    """
    return [left[key].identical_to(right[f"{key}{suffix}"]) for key in keys]


def left_join(left: ir.Table, right: ir.Table, keys: Sequence[str]) -> ir.Table:
    """Returns all rows of `left` with the other columns of `right`, null where no key matches.

    A null key never matches. Columns that both sides have keep the value of `left`.
    """
    further = [name for name in right.columns if name not in left.columns]
    joined = left.left_join(right.select(*keys, *further), list(keys))
    # columns by name: `drop` would list those of both sides in the SQL once more
    return joined.select(*left.columns, *further)
