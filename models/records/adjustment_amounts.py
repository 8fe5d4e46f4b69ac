"""Computes adjustments: closed months as of today, less what finance already has (METHOD §7.4).

What finance has of a month is its newest version, plus what later closes adjusted. So all closes
and adjustments together always add up to today's figures, in whatever order months were closed and
closed again. Example: a month was closed with $100 net, a later close adjusted it by $10, and today
it comes to $125: the adjustment is $15.

An amount that was unknown at the close and is known now is adjusted in full. A saving that is still
unknown was never claimed and needs no adjustment. An investment that is unknown makes the
adjustment unknown, because it is deducted from savings and must not be taken for $0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from models.records.closes import Close
from models.records.columns import BUCKETS, COSTS
from models.records.statement import Row

NOTHING = Decimal(0)
OF_WORKLOADS = (
    *COSTS, "net_saving", "saving_at_list", "saving_at_old_volume", "investment", "credits",
)  # fmt: skip
OF_ACCOUNTS = (*BUCKETS, "bridge", "block_spread", "bill_total", "remainder")
SIGNS = {"net_saving": 1, "investment": -1}
KEYS = ("kind", "workload", "billing_account", "account", "basis", "measure")
Key = tuple[str | None, ...]
Amounts = Mapping[Key, Decimal | None]


class Movement(NamedTuple):
    """An amount of a closed month that changed after its close, with old and new; null is unknown.

    `closed` is the amount in the newest version of the month, `adjusted_before` the sum of what
    other closes adjusted, and `amount` what is to be adjusted now.
    """

    key: Key
    closed: Decimal | None
    adjusted_before: Decimal
    now: Decimal | None
    amount: Decimal | None

    @property
    def unknown(self) -> bool:
        """Whether an amount was unknown at the close, still is, and was never adjusted."""
        return self.closed is None and self.now is None and not self.adjusted_before


def movements(
    close: Close, now: Amounts, others: Iterable[Close], made: Iterable[Row] = ()
) -> Iterator[Movement]:
    """Yields amounts of a closed month that changed, less earlier adjustments, by key.

    An amount that has not changed is left out. `now` holds the month's `amounts` as computed today,
    `others` the newest closes of all months, `made` rows of adjustments that this close has so far.
    """
    before = _summed(close.month, [*_rows(others), *made])
    return changed_amounts(amounts(close.statement.tables, close.month), before, now)


def changed_amounts(
    closed: Amounts, before: Mapping[Key, Decimal], now: Amounts
) -> Iterator[Movement]:
    """Yields a row per amount of a closed month that differs from closed plus adjusted."""
    for key in sorted({*closed, *now, *before}, key=lambda key: tuple(part or "" for part in key)):
        as_closed, earlier = closed.get(key, NOTHING), before.get(key, NOTHING)
        today = now.get(key, NOTHING)
        amount = None if today is None else today - (as_closed or NOTHING) - earlier
        found = Movement(key, as_closed, earlier, today, amount)
        if amount != 0 and (not found.unknown or key[-1] == "investment"):
            yield found


def net(rows: Iterable[Row], workload: str) -> Decimal | None:
    """Returns adjustments of net saving less those of investment of a workload; None if unknown.

    `rows` have `workload`, `measure` and `amount`, which is in dollars.
    """
    mine = [row for row in rows if row["workload"] == workload]
    moved = [(SIGNS[row["measure"]], row["amount"]) for row in mine if row["measure"] in SIGNS]
    if any(amount is None for _, amount in moved):
        return None
    return sum((sign * amount for sign, amount in moved), NOTHING)


def amounts(tables: Mapping[str, Sequence[Row]], month: str) -> dict[Key, Decimal | None]:
    """Maps (whose, measure) keys to all dollars of a month that adjustments may change."""
    found: dict[Key, Decimal | None] = {}
    for row in tables["summary"]:
        for measure in OF_WORKLOADS if row["month"] == month else ():
            found["workload", row["workload"], None, None, None, measure] = row[measure]
    for row in tables["tie_out"]:
        whose = row["billing_account"], row["account"], row["basis"]
        for measure in OF_ACCOUNTS if row["month"] == month else ():
            found["account", None, *whose, measure] = row[measure]
    return found


def adjusted(month: str, closes: Iterable[Close]) -> dict[Key, Decimal]:
    """Maps each amount's key to the dollars already adjusted of a month by later closes."""
    return _summed(month, _rows(closes))


def _rows(closes: Iterable[Close]) -> list[Row]:
    return [row for close in closes for row in close.statement.tables["adjustments"]]


def _summed(month: str, rows: Iterable[Row]) -> dict[Key, Decimal]:
    found: dict[Key, Decimal] = {}
    for row in (row for row in rows if row["month"] == month):
        key = tuple(row[name] for name in KEYS)
        found[key] = found.get(key, NOTHING) + (row["amount"] or NOTHING)
    return found
