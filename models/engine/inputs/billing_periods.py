"""Lists bills with gross figures, members' own bills, and the newest delivered months."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from models.engine.context import BuildContext
from models.formats.bill import cost_explorer, cur2
from models.formats.bill.gross_figures import GROSS_NOTE
from models.raw.delivery import Delivery

MONTH = re.compile(r"^\d{4}-\d{2}$")
GROSS = """
SELECT DISTINCT BillingAccountId, strftime(BillingPeriodStart, '%Y-%m') FROM charges
WHERE ChargeDescription LIKE ? ORDER BY ALL"""


def gross_bills(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists payer and month of each bill that uses gross figures because it has no net ones.

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


def member_bills(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the member accounts whose bills are from Cost Explorer; none without a payer.

    A member is any account but `organization.payer`.
    """
    payer = context.settings.organization.payer
    billed = {d.key.unit for d in context.bills if d.format == "cost_explorer"}
    for account in sorted(billed - {payer}) if payer else ():
        yield {"billing_account": account}


def delivered_months(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists each payer's newest delivered month; payers that share a delivery are left out.

    Months without a charge count too. Payers that share a delivery unit are left out, because a
    month without charges does not say of which of them it is.
    """
    payers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    months: dict[str, str] = {}
    monthly = [(d.key.source, d.key.unit, d) for d in context.bills if MONTH.match(d.key.period)]
    for source, unit, delivery in monthly:
        payers[source, unit] |= {accounts.partition("|")[0] for accounts in delivery.totals}
    for source, unit, delivery in monthly:
        if len(payers[source, unit]) == 1:
            (payer,) = payers[source, unit]
            months[payer] = max(months.get(payer, ""), delivery.key.period)
    for payer, month in sorted(months.items()):
        yield {"billing_account": payer or None, "month": month}
