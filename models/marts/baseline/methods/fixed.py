"""The quote in the config in place of a computed baseline (METHOD §5.4, `fixed`)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import product, ratio
from models.contract.schema import MONEY


def quoted(rows: ir.Table) -> ir.Value:
    """Returns the config's GPU dollars per epoch, scaled if compared per token; null if none.

    The quote is for a GPU epoch. Where work is compared per token, it is scaled to the tokens of a
    Trainium epoch.
    """
    quote = rows.fixed.cast(MONEY)
    scaled = ratio(product(quote, product(rows.gpu_epochs, rows.per_epoch)), rows.work)
    return ibis.ifelse(rows.tokens_per_epoch.isnull(), quote, scaled)
