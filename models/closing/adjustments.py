"""What closed months would be today, less what finance was told of them (METHOD §7).

Told is what the newest version of the month says, plus what later closes adjusted of it already. So
all closes and adjustments together are always today's truth, whatever was closed or reopened when.
What was unknown then and is known now is adjusted in full. What is unknown still was never claimed,
and is adjusted by nothing; but an investment that is unknown still is said to be: a saving is held
against it, and it is never taken for $0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial

from models.closing import causes
from models.records.closes import Close, Delivered
from models.records.columns import BUCKETS, COSTS
from models.records.statement import Row

NOTHING = Decimal(0)
OF_WORKLOADS = (*COSTS, "net_saving", "saving_at_list", "investment", "credits")
OF_ACCOUNTS = (*BUCKETS, "bridge", "block_spread", "bill_total", "remainder")
KEYS = ("kind", "workload", "billing_account", "account", "basis", "measure")
Key = tuple[str | None, ...]
Amounts = Mapping[Key, Decimal | None]


def adjustments(
    month: str,
    now: Mapping[str, Sequence[Row]],
    closes: Iterable[Close],
    delivered: Sequence[Delivered],
    config: Mapping[str, object],
) -> list[Row]:
    """The rows of `adjustments` in the statement of `month`: one for each amount that moved.

    `now`: rows of all months, `summary` and `tie_out`, as they are computed today. `closes`: the
    standing ones of other months; those before `month` are adjusted.
    """
    others = list(closes)
    found = []
    for close in (close for close in others if close.month < month):
        told = max(
            (later for later in others if later.month >= close.month),
            key=lambda later: (later.closed_at, later.month),
        )
        why = cache(partial(causes.since, told, close.month, delivered, config))
        found += list(_of(close, now, others, why))
    return found


def net(rows: Iterable[Row], workload: str) -> Decimal | None:
    """What a workload's adjustments come to: net saving less investment. Null as METHOD's are."""
    mine = [row for row in rows if row["workload"] == workload]
    signs = {"net_saving": 1, "investment": -1}
    moved = [(signs[row["measure"]], row["amount"]) for row in mine if row["measure"] in signs]
    if any(amount is None for _, amount in moved):
        return None
    return sum((sign * amount for sign, amount in moved), NOTHING)


def _of(
    close: Close,
    now: Mapping[str, Sequence[Row]],
    others: Iterable[Close],
    why: Callable[[str | None], str],
) -> Iterator[Row]:
    told = amounts(close.statement.tables, close.month)
    before = _adjusted(close.month, others)
    today = amounts(now, close.month)
    for key in sorted({*told, *today, *before}, key=lambda key: tuple(part or "" for part in key)):
        closed, earlier = told.get(key, NOTHING), before.get(key, NOTHING)
        current = today.get(key, NOTHING)
        amount = None if current is None else current - (closed or NOTHING) - earlier
        unknown = closed is None and current is None and not earlier
        reopened = causes.REOPENED if earlier and current == (closed or NOTHING) else ""
        if amount != 0 and (not unknown or key[-1] == "investment"):
            yield {
                "month": close.month,
                "version": close.version,
                **dict(zip(KEYS, key, strict=True)),
                "closed": closed,
                "adjusted_before": earlier,
                "now": current,
                "amount": amount,
                "cause": causes.UNKNOWN if unknown else reopened or why(key[3]),
            }


def amounts(tables: Mapping[str, Sequence[Row]], month: str) -> dict[Key, Decimal | None]:
    """Every amount of a month that may move, by whose it is and what it measures."""
    found: dict[Key, Decimal | None] = {}
    for row in tables["summary"]:
        for measure in OF_WORKLOADS if row["month"] == month else ():
            found["workload", row["workload"], None, None, None, measure] = row[measure]
    for row in tables["tie_out"]:
        whose = row["billing_account"], row["account"], row["basis"]
        for measure in OF_ACCOUNTS if row["month"] == month else ():
            found["account", None, *whose, measure] = row[measure]
    return found


def _adjusted(month: str, others: Iterable[Close]) -> dict[Key, Decimal]:
    """What other closes adjusted of a month."""
    found: dict[Key, Decimal] = {}
    for close in others:
        for row in close.statement.tables["adjustments"]:
            if row["month"] == month:
                key = tuple(row[name] for name in KEYS)
                found[key] = found.get(key, NOTHING) + (row["amount"] or NOTHING)
    return found
