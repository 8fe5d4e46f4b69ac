"""What bills say of themselves: gross figures, members' own bills, months without a charge."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from ibis.backends.duckdb import Backend

from models.config.settings import Settings
from models.formats.bill import cost_explorer, cur2
from models.raw.zone import Delivery

MONTH = re.compile(r"^\d{4}-\d{2}$")
GROSS = """
SELECT DISTINCT BillingAccountId, strftime(BillingPeriodStart, '%Y-%m') FROM charges
WHERE ChargeDescription LIKE ? ORDER BY ALL"""


def gross_bills(backend: Backend, money: Sequence[Delivery]) -> Iterator[dict[str, Any]]:
    """Where the figures are gross: Cost Explorer's lines are few, an export's are not read."""
    found = {(account, month) for delivery in money for account, month in _gross_exports(delivery)}
    if any(delivery.format == cost_explorer.NAME for delivery in money):
        found.update(backend.con.execute(GROSS, [f"%{cost_explorer.GROSS}"]).fetchall())
    for account, month in sorted(found, key=lambda bill: (bill[0] or "", bill[1])):
        yield {"billing_account": account, "billing_period": month}


def _gross_exports(delivery: Delivery) -> Iterator[tuple[str | None, str]]:
    for accounts, sums in delivery.totals.items():
        billing, _, month = accounts.split("|")
        if Decimal(sums.get(cur2.GROSS_LINES, "0")) > 0:
            yield billing or None, month


def member_bills(money: Sequence[Delivery], settings: Settings) -> Iterator[dict[str, Any]]:
    """Whose bill Cost Explorer told to the account itself, though `organization.payer` pays it."""
    payer = settings.organization.payer
    told = {d.key.unit for d in money if d.format == "cost_explorer"}
    for account in sorted(told - {payer}) if payer else ():
        yield {"billing_account": account}


def delivered_months(money: Iterable[Delivery]) -> Iterator[dict[str, Any]]:
    """A month without a charge tells of a payer only where no other is told by the same unit."""
    payers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    months: dict[str, str] = {}
    told = [(d.key.source, d.key.unit, d) for d in money if MONTH.match(d.key.period)]
    for source, unit, delivery in told:
        payers[source, unit] |= {accounts.partition("|")[0] for accounts in delivery.totals}
    for source, unit, delivery in told:
        if len(payers[source, unit]) == 1:
            (payer,) = payers[source, unit]
            months[payer] = max(months.get(payer, ""), delivery.key.period)
    for payer, month in sorted(months.items()):
        yield {"billing_account": payer or None, "month": month}
