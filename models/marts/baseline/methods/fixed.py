"""Returns the quote in the config as the baseline (METHOD §5.4, `fixed`)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import MONEY


def quoted(rows: ir.Table) -> ir.Value:
    """Returns the column of the GPU cost per unit quoted in the config; null if none is."""
    return rows.fixed.cast(MONEY)


def quoted_at_list() -> ir.Value:
    """Returns a column of null, because a quote in the config has no value at list prices."""
    return ibis.null(MONEY)
