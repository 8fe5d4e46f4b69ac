"""Sums dollars that are left out or flagged into a map from reason to dollars."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import with_portfolio
from models.contract.schema import MONEY, REASONS


def dollars_by_reason(left_out_and_flagged: ir.Table, effect: str, keys: list[str]) -> ir.Table:
    """Sums left-out or flagged dollars per group and for the portfolio, as a map by reason.

    `keys` includes `workload`; the portfolio's groups sum all workloads. `effect` is `left_out` or
    `flagged`, and names the column of the map. A reason with an unknown amount has null, not the
    sum of its other amounts.
    """
    rows = with_portfolio(left_out_and_flagged.filter(left_out_and_flagged.effect == effect))
    unknown = rows.amount.isnull().any()
    sums = rows.group_by(*keys, "reason").agg(
        amount=ibis.ifelse(unknown, None, rows.amount.sum()).cast(MONEY)
    )
    return sums.group_by(keys).agg(
        **{
            effect: ibis.map(
                sums.reason.collect(order_by=sums.reason),
                sums.amount.collect(order_by=sums.reason, include_null=True),
            ).cast(REASONS)
        }
    )
