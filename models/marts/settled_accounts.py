"""How far each billing account's bill can be trusted.

Grain: billing account. `settled_through` is the last settled day: at least `settle_days` before
`as_of`, and not after the newest usage day delivered for the account, so that a stalled export
never turns into $0 (METHOD §1). Month-dated lines such as tax do not count as news. An account that
the config calls closed holds nothing back once its bill has come through its last day: what follows
is known to be nothing. One whose bill ends earlier has stalled, closed or not.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.settings import Settings


def settled_accounts(
    spend_reduced: ir.Table, config_accounts: ir.Table, settings: Settings
) -> ir.Table:
    """`billing_account`, `newest_day`, `settled_through`."""
    usage = spend_reduced.category == "Usage"
    newest = spend_reduced.group_by("billing_account").agg(
        newest_day=ibis.coalesce(spend_reduced.date.max(where=usage), spend_reduced.date.max())
    )
    old_enough = ibis.literal(settings.last_settled)
    closed = config_accounts.select("account", "closed")
    rows = newest.left_join(closed, newest.billing_account == closed.account)
    complete = rows.closed <= rows.newest_day
    return rows.select(
        "billing_account",
        "newest_day",
        settled_through=ibis.ifelse(complete, old_enough, ibis.least(rows.newest_day, old_enough)),
    )
