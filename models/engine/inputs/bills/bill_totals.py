"""Lists independent totals with which a bill is compared (METHOD §7.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from models.config.bill import Invoice
from models.config.settings import Settings
from models.engine.context import BuildContext
from models.raw.delivery import Delivery

BASES = {"BilledCost": "billed", "EffectiveCost": "effective"}


def bill_totals(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists totals of invoices, Cost Explorer and bills by payer, account, month and cost basis."""
    settings, money = context.settings, context.bills
    bills = {tuple(accounts.split("|")) for delivery in money for accounts in delivery.totals}
    for invoice in settings.invoices:
        for payer, account in _invoiced(invoice, bills, settings):
            total = invoice.amount, "invoice", 0
            yield _total(payer, account, invoice.month, "billed", *total)
    for delivery in context.live:
        if _checks(delivery, settings):
            for row in _delivered_totals(delivery, "cost_explorer", 1):
                yield row | {"billing_account": _payer(row, bills)}
    for delivery in money:
        yield from _delivered_totals(delivery, "self_check", 2)


def _invoiced(
    invoice: Invoice, bills: Collection[tuple[str, ...]], settings: Settings
) -> list[tuple[str | None, str | None]]:
    """Lists payer and account of each bill whose total a given invoice states.

    A bill that names no account is that of the only invoice of its month.
    """
    month = [accounts for *accounts, of in sorted(bills) if of == invoice.month]
    alone = sum(other.month == invoice.month for other in settings.invoices) == 1
    if alone and month == [["", ""]]:
        return [(None, None)]
    payers = [payer for payer, account in month if account == invoice.account]
    if not payers or invoice.account in {payer for payer, _ in month}:
        payers = [invoice.account]
    return [(payer, invoice.account) for payer in payers]


def _checks(delivery: Delivery, settings: Settings) -> bool:
    """Whether a delivery is of Cost Explorer, from a configured source, and not the bill itself.

    It is not the bill itself, and its source is configured: what one said last that the config has
    no longer is no total, for AWS rewrote the bill since.
    """
    counted = settings.cost.source in (delivery.key.source, delivery.format)
    configured = delivery.key.source in {entry.label for entry in settings.sources}
    return delivery.format == "cost_explorer" and configured and not counted


def _payer(row: Mapping[str, Any], bills: Iterable[tuple[str, ...]]) -> str | None:
    """Returns a Cost Explorer total's payer: the bill's only one for the account, else its own.

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
