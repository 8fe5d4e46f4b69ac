"""How far each billing account's bill can be trusted.

Grain: billing account. `settled_through` is the last settled day: at least `settle_days` before
`as_of`, and not after the newest usage day delivered for the account, so that a stalled export
never turns into $0 (METHOD §1). Month-dated lines such as tax do not count as news.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.settings import Settings


def settled_accounts(spend_reduced: ir.Table, settings: Settings) -> ir.Table:
    """`billing_account`, `newest_day`, `settled_through`."""
    usage = spend_reduced.category == "Usage"
    newest = spend_reduced.group_by("billing_account").agg(
        newest_day=ibis.coalesce(spend_reduced.date.max(where=usage), spend_reduced.date.max())
    )
    old_enough = ibis.literal(settings.last_settled)
    return newest.mutate(settled_through=ibis.least(newest.newest_day, old_enough))
