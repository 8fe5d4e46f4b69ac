"""Finds restatements: an account's monthly dollars that differ in a later delivered bill.

The history is computed from the markers alone. A marker is written once, holds the totals of its
delivery, and stays when the files are cleared away; so a crash can neither lose a change nor
count one twice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from models.contract.decimal_text import dollars
from models.contract.month import last_day
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key

MONTH = re.compile(r"^\d{4}-\d{2}$")
NOTHING = Decimal("0.000000000")


@dataclass(frozen=True)
class Change:
    """One account's bill of a month that AWS changed: old and new dollars; None is unknown.

    `pulled_at` is when the new total was pulled (UTC). `settled` says that all days of the month
    were old enough to be settled when the old total was pulled, so that no late day explains the
    change.
    """

    source: str
    month: str
    billing_account: str | None
    account: str | None
    pulled_at: datetime
    settled: bool
    old_billed: Decimal | None
    new_billed: Decimal | None
    old_effective: Decimal | None
    new_effective: Decimal | None

    def document(self) -> dict[str, object]:
        """Converts a changed monthly total to a dictionary for JSON, with amounts as text."""
        fields = asdict(self) | {"pulled_at": self.pulled_at.isoformat()}
        return {name: f"{x:f}" if isinstance(x, Decimal) else x for name, x in fields.items()}


def changes(deliveries: Iterable[Delivery], settle_days: int) -> Iterator[Change]:
    """Yields, per account and month, dollars that differ between consecutive bill deliveries.

    `deliveries` are given oldest first; the one before is the last of the same key.
    """
    before: dict[Key, Delivery] = {}
    for delivery in deliveries:
        if not delivery.append:
            if delivery.key in before:
                yield from between(before[delivery.key], delivery, settle_days)
            before[delivery.key] = delivery


def between(old: Delivery, new: Delivery, settle_days: int) -> Iterator[Change]:
    """Yields, per account and month, dollars that differ between two given bill deliveries.

    A month that the old one lacks is new, and no change.
    """
    held = {accounts.split("|")[2] for accounts in old.totals}
    if MONTH.match(old.key.period):
        held.add(old.key.period)  # it was delivered without any charge
    for accounts in sorted({**old.totals, **new.totals}):
        billing, account, month = accounts.split("|")
        was, now = (_sums(delivery, accounts) for delivery in (old, new))
        if month in held and was != now:
            settled = last_day(month) + timedelta(settle_days) <= old.pulled_at.date()
            who = (billing or None, account or None)
            yield Change(new.key.source, month, *who, new.pulled_at, settled, *_paired(was, now))


def _sums(delivery: Delivery, accounts: str) -> dict[str, Decimal | None]:
    """Returns an account's billed and effective dollars of a month in a bill; 0 if absent.

    An account that is absent has no charges, because a delivery is never partial.
    """
    totals: Mapping[str, str] | None = delivery.totals.get(accounts)
    if totals is None:
        return {"BilledCost": NOTHING, "EffectiveCost": NOTHING}
    return {
        name: Decimal(totals[name]) if name in totals else None
        for name in ("BilledCost", "EffectiveCost")
    }


def _paired(
    was: Mapping[str, Decimal | None], now: Mapping[str, Decimal | None]
) -> tuple[Decimal | None, ...]:
    return was["BilledCost"], now["BilledCost"], was["EffectiveCost"], now["EffectiveCost"]


def lines(found: Iterable[Change]) -> list[str]:
    """Lists a text per changed month: dollars before and after, number of accounts."""
    months: defaultdict[str, list[Change]] = defaultdict(list)
    for change in found:
        months[change.month].append(change)
    return [_line(month, changed) for month, changed in sorted(months.items())]


def _line(month: str, changed: list[Change]) -> str:
    billed = _moved([(change.old_billed, change.new_billed) for change in changed])
    effective = _moved([(change.old_effective, change.new_effective) for change in changed])
    accounts = "1 account" if len(changed) == 1 else f"{len(changed)} accounts"
    late = " after it was settled" if any(change.settled for change in changed) else ""
    return f"{month} changed{late}: billed {billed}, effective {effective} ({accounts})"


def _moved(pairs: list[tuple[Decimal | None, Decimal | None]]) -> str:
    if any(side is None for pair in pairs for side in pair):
        return "unknown"
    old, new = (sum((pair[side] or NOTHING for pair in pairs), NOTHING) for side in (0, 1))
    return f"{dollars(old)} → {dollars(new)}"
