"""Lists independent totals with which a bill is compared (METHOD §7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from models.config.settings import Settings
from models.engine.context import BuildContext
from models.raw.delivery import Delivery

BASES = {"BilledCost": "billed", "EffectiveCost": "effective"}


def bill_totals(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists totals of invoices, Cost Explorer and bills by payer, account, month and cost basis."""
    settings, money = context.settings, context.bills
    bills = {tuple(accounts.split("|")) for delivery in money for accounts in delivery.totals}
    for invoice in settings.invoices:
        key = invoice.account, invoice.month
        pays = {(payer, month) for payer, _, month in bills}
        payers = [payer for payer, *rest in sorted(bills) if tuple(rest) == key]
        for payer in [invoice.account] if key in pays else payers or [invoice.account]:
            yield _total(payer, *key, "billed", invoice.amount, "invoice", 0)
    for delivery in context.live:
        if _checks(delivery, settings):
            for row in _delivered_totals(delivery, "cost_explorer", 1):
                yield row | {"billing_account": _payer(row, bills)}
    for delivery in money:
        yield from _delivered_totals(delivery, "self_check", 2)


def _checks(delivery: Delivery, settings: Settings) -> bool:
    """Returns whether a delivery of Cost Explorer is a total to compare the bill with.

    It is not the bill itself, and its source is configured: what one said last that the config has
    no longer is no total, for AWS rewrote the bill since.
    """
    counted = settings.cost.source in (delivery.key.source, delivery.format)
    configured = delivery.key.source in {entry.label for entry in settings.sources}
    return delivery.format == "cost_explorer" and configured and not counted


def _payer(row: Mapping[str, Any], bills: Iterable[tuple[str, ...]]) -> str | None:
    """Returns a Cost Explorer total's payer: its own, unless the bill has exactly one other.

    Cost Explorer does not name the payer if a member account asks; the total then has another
    account than the bill.
    """
    mine = row["account"] or "", row["month"]
    payers = sorted(payer for payer, *rest in bills if tuple(rest) == mine)
    own = row["billing_account"]
    return own if own in payers or len(payers) != 1 else payers[0]


def _delivered_totals(delivery: Delivery, source: str, rank: int) -> Iterator[dict[str, Any]]:
    for accounts, sums in delivery.totals.items():
        billing, account, month = accounts.split("|")
        for column, basis in BASES.items():
            if column in sums:
                yield _total(
                    billing or None, account or None, month, basis, sums[column], source, rank
                )


def _total(
    billing: str | None,
    account: str | None,
    month: str,
    basis: str,
    total: object,
    source: str,
    rank: int,
) -> dict[str, Any]:
    return {
        "month": month,
        "billing_account": billing,
        "account": account,
        "basis": basis,
        "total": Decimal(str(total)),
        "source": source,
        "rank": rank,
    }
