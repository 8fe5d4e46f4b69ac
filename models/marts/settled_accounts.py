"""How far each billing account's bill can be trusted.

Grain: billing account. `settled_through` is the last settled day: at least `settle_days` before
`as_of`, and not after the newest usage day delivered for the account, so that a stalled export
never turns into $0 (METHOD §1). Month-dated lines such as tax do not count as news. An account that
the config calls closed holds nothing back once its bill has a charge of any kind on its last day
and no usage after it: what follows is known to be nothing. One whose bill ends earlier has stalled,
closed or not; a `closed` that usage has outlived closes nothing and is `contradicted`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.settings import Settings


def settled_accounts(
    spend_reduced: ir.Table, config_accounts: ir.Table, settings: Settings
) -> ir.Table:
    """`billing_account`, `newest_day`, `settled_through`, `contradicted`."""
    closed = config_accounts.select("account", "closed")
    lines = spend_reduced.left_join(closed, spend_reduced.billing_account == closed.account)
    usage = lines.category == "Usage"
    rows = lines.group_by("billing_account", "closed").agg(
        newest_day=ibis.coalesce(lines.date.max(where=usage), lines.date.max()),
        ended=(lines.date == lines.closed).any(),
        outlived=(usage & (lines.date > lines.closed)).any(),
    )
    old_enough = ibis.literal(settings.last_settled)
    complete = (rows.ended & ~rows.outlived).fill_null(False)
    return rows.select(
        "billing_account",
        "newest_day",
        settled_through=ibis.ifelse(complete, old_enough, ibis.least(rows.newest_day, old_enough)),
        contradicted=ibis.ifelse(rows.outlived, rows.closed, None),
    )
