"""Lists each payer's newest delivered month."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from models.engine.context import BuildContext

MONTH = re.compile(r"^\d{4}-\d{2}$")


def delivered_months(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists each payer's newest month of bills; payers whose bills share deliveries are left out.

    Months without a charge count too, and such a month does not say of which payer it is.
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
