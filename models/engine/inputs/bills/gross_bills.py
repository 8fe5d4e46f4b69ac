"""Lists the bills with lines at gross cost (before discounts) because net cost is missing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from models.engine.context import BuildContext
from models.formats.bill import cost_explorer, cur2
from models.formats.bill.gross_figures import GROSS_NOTE
from models.raw.delivery import Delivery

GROSS = """
SELECT DISTINCT BillingAccountId, strftime(BillingPeriodStart, '%Y-%m') FROM charges
WHERE ChargeDescription LIKE ? ORDER BY ALL"""


def gross_bills(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists payer and month of bills with lines at gross cost because net cost is missing.

    For Cost Explorer the lines themselves are read, since they are few; for an export its totals
    alone.
    """
    bills = context.bills
    found = {
        (account, month)
        for delivery in bills
        for account, month in _months_with_gross_lines(delivery)
    }
    if any(delivery.format == cost_explorer.NAME for delivery in bills):
        found.update(context.backend.con.execute(GROSS, [f"%{GROSS_NOTE}"]).fetchall())
    for account, month in sorted(found, key=lambda bill: (bill[0] or "", bill[1])):
        yield {"billing_account": account, "billing_period": month}


def _months_with_gross_lines(delivery: Delivery) -> Iterator[tuple[str | None, str]]:
    for accounts, sums in delivery.totals.items():
        billing, _, month = accounts.split("|")
        if Decimal(sums.get(cur2.GROSS_LINES, "0")) > 0:
            yield billing or None, month
