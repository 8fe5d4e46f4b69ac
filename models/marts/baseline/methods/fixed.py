"""Returns the quote in the config as the baseline (METHOD §5.4, `fixed`)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import MONEY


def quoted(rows: ir.Table) -> ir.Value:
    """Returns the config's GPU cost per unit, the same for every kind of work; null if none."""
    return rows.fixed.cast(MONEY)


def quoted_at_list() -> ir.Value:
    """Returns null, because a quote has no value at list prices."""
    return ibis.null(MONEY)
