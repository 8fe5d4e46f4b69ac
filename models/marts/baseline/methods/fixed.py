"""The quote in the config in place of a computed baseline (METHOD §5.4, `fixed`)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import MONEY


def quoted(rows: ir.Table) -> ir.Value:
    """Returns the config's GPU dollars per unit, the same for every kind of work; null if none."""
    return rows.fixed.cast(MONEY)


def quoted_at_list() -> ir.Value:
    """Returns null: a quote has no list price, so no saving at list rests on it."""
    return ibis.null(MONEY)
