"""Reads which days of a month are not counted yet, and which dollars wait on them. METHOD §1.1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from models.contract.decimal_text import dollars
from models.contract.month import last_day
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.attribution_groups import OF_TRAINING
from models.contract.stalled_bills import holds_back

Row = dict[str, Any]
UNSETTLED = f"""
WITH waits AS (FROM unsettled_spend WHERE strftime(date, '%Y-%m') = '{{month}}'),
uncounted AS (
    SELECT workload, date FROM savings_daily
    WHERE strftime(date, '%Y-%m') = '{{month}}' AND NOT settled AND workload IS NOT NULL
), each AS (
    FROM uncounted UNION ALL SELECT '{PORTFOLIO}', date FROM uncounted
    UNION ALL SELECT '{PORTFOLIO}', date FROM waits
)
SELECT '{PORTFOLIO}' AS workload, waits_for, count(*) AS days, min(date) AS first,
    max(date) AS last, CASE WHEN count(*) = count(cost) THEN sum(cost) END AS cost
FROM waits GROUP BY waits_for
UNION ALL
SELECT workload, NULL, count(DISTINCT date), min(date), max(date), NULL FROM each GROUP BY workload
ORDER BY workload, waits_for NULLS FIRST"""
HOLDING_BACK = f"""
WITH uncounted AS (
    SELECT workload, max(date) AS last FROM savings_daily
    WHERE strftime(date, '%Y-%m') = '{{month}}' AND NOT settled GROUP BY workload
)
SELECT DISTINCT coalesce(bill.billing_account, 'no account') AS account, newest_day
FROM settled_accounts AS bill
JOIN spend_daily AS line ON line.billing_account IS NOT DISTINCT FROM bill.billing_account
LEFT JOIN uncounted USING (workload)
WHERE settled_through < '{{ends}}' AND (uncounted.last > settled_through
    OR (attribution IN {OF_TRAINING} AND line.date > settled_through
        AND strftime(line.date, '%Y-%m') = '{{month}}'))
ORDER BY account"""
UNDELIVERED = """
SELECT cluster, min(date) AS first, count(DISTINCT date) AS days FROM pool_use
WHERE strftime(date, '%Y-%m') = '{month}' AND awaited GROUP BY cluster ORDER BY cluster"""


def unsettled_days(ask: Callable[[str], list[Row]], month: str) -> list[Row]:
    """Returns the statement's table `unsettled`: what a month does not count yet."""
    return ask(UNSETTLED.format(month=month))


def waits_for_other_bills(
    month: str, unsettled: Iterable[Row], ask: Callable[[str], list[Row]]
) -> Iterator[str]:
    """Yields, as text, each bill that dollars of a past month wait for, which no figure has yet.

    A workload's days are settled up to the first day on which a bill of its accounts stops. Where
    that bill is whole nothing more of it comes, and the others' later charges are never counted.
    """
    for row in unsettled:
        if row["waits_for"] == "bill" and row["cost"] != 0:
            cost = "an unknown cost" if row["cost"] is None else dollars(row["cost"])
            days = f"on {row['days']} days from" if row["days"] > 1 else "on"
            for bill in ask(HOLDING_BACK.format(month=month, ends=last_day(month))):
                waits = holds_back(bill["account"], f"{bill['newest_day']}")
                yield f"{cost} {days} {row['first']} {waits}"


def without_allocations(month: str, ask: Callable[[str], list[Row]]) -> str:
    """Names, as text, the days of a month on which nobody told who held machines of a cluster."""
    each = [
        f"{row['cluster']} on {row['first']}"
        + (f" and {row['days'] - 1} more days" if row["days"] > 1 else "")
        for row in ask(UNDELIVERED.format(month=month))
    ]
    words = f"but no allocations were delivered of {', '.join(each)}"
    return f", {words}: what machines cost then is in no saving" if each else ""
