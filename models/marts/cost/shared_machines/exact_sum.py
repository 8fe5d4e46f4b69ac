"""Sums of seconds that are the same in whichever order rows come."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

DIGITS = 11
"""Places of a second behind which doubles of a day keep what an order of rows left."""


@ibis.udf.agg.builtin  # type: ignore[untyped-decorator]  # Ibis does not annotate it
def fsum(value: float) -> float:  # type: ignore[empty-body]  # DuckDB has it
    """Sums doubles and carries along what each addition rounds away."""


def exact_sum(seconds: ir.Value) -> ir.FloatingValue:
    """Sums seconds, each sum cut behind its last sure place.

    Else an amount that a share halves at its ninth place would be rounded up or down as rows come.
    """
    return cast(ir.FloatingValue, fsum(seconds).round(DIGITS))
