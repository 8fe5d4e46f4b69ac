"""Joins that keep the left side's rows and names."""

from __future__ import annotations

from collections.abc import Sequence

import ibis.expr.types as ir


def same_keys(
    left: ir.Table, right: ir.Table, keys: Sequence[str], suffix: str = ""
) -> list[ir.BooleanValue]:
    """Equal keys, where null is a value like any other; `right` has them with a `suffix`."""
    return [left[key].identical_to(right[f"{key}{suffix}"]) for key in keys]


def left_join(left: ir.Table, right: ir.Table, keys: Sequence[str]) -> ir.Table:
    """Every row of `left`, with `right`'s further columns where the keys meet, else null."""
    further = [name for name in right.columns if name not in left.columns]
    joined = left.left_join(right.select(*keys, *further), list(keys))
    # by name: `drop` would tell every column of both sides once more
    return joined.select(*left.columns, *further)
