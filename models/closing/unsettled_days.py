"""Reads which days of a month are not counted yet, and the dollars on them. METHOD §1.1."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from models.config.settings import Settings
from models.contract.decimal_text import dollars
from models.contract.month import last_day
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.attribution_groups import OF_TRAINING
from models.contract.stalled_bills import NAMELESS, holds_back, undelivered_at_close

Row = dict[str, Any]
Ask = Callable[[str], list[Row]]
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
SELECT DISTINCT coalesce(bill.billing_account, '{NAMELESS}') AS account, newest_day
FROM settled_accounts AS bill
JOIN spend_daily AS line ON line.billing_account IS NOT DISTINCT FROM bill.billing_account
LEFT JOIN uncounted USING (workload)
WHERE settled_through < '{{ends}}' AND (uncounted.last > settled_through
    OR (attribution IN {OF_TRAINING} AND line.date > settled_through
        AND strftime(line.date, '%Y-%m') = '{{month}}'))
ORDER BY account"""
SILENT = f"""
SELECT coalesce(billing_account, '{NAMELESS}') AS account, newest_day FROM settled_accounts AS bill
WHERE newest_day < '{{ends}}' AND settled_through <= newest_day AND newest_month <= '{{month}}'
    AND NOT EXISTS (
        FROM spend_daily AS line WHERE line.billing_period = '{{month}}' AND line.invoiced
            AND line.billing_account IS NOT DISTINCT FROM bill.billing_account)
ORDER BY account"""
UNDELIVERED = """
SELECT cluster, min(date) AS first, count(DISTINCT date) AS days FROM pool_use
WHERE strftime(date, '%Y-%m') = '{month}' AND awaited GROUP BY cluster ORDER BY cluster"""


def unsettled_days(ask: Ask, month: str) -> list[Row]:
    """Returns rows of days and dollars that a month's figures do not count yet."""
    return ask(UNSETTLED.format(month=month))


def silent_bills(
    month: str, ask: Ask, settings: Settings, invoiced: Collection[str]
) -> Iterator[str]:
    """Yields a text per account whose bill of a month stops early and that no invoice covers.

    Yields nothing until the month's last day could have settled. An account that had nothing to
    charge does not hold up the close: its bill of the month is complete where a later month of it
    was delivered, where AWS has invoiced it, or where `[[invoices]]` says what AWS charged, because
    then it ties out. The bill of an account that the config says is closed is complete as well.
    """
    ends = last_day(month)
    if settings.last_settled < ends:
        return
    for row in ask(SILENT.format(month=month, ends=ends)):
        if row["account"] not in invoiced:
            yield undelivered_at_close(row["account"], row["newest_day"])


def waits_for_other_bills(month: str, unsettled: Iterable[Row], ask: Ask) -> Iterator[str]:
    """Yields texts on dollars of a past month that no figure has, as an account's bill stops early.

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


def without_allocations(month: str, ask: Ask) -> str:
    """Returns a text on the clusters and days of a month that no scheduler's job records cover."""
    each = [
        f"{row['cluster']} on {row['first']}"
        + (f" and {row['days'] - 1} more days" if row["days"] > 1 else "")
        for row in ask(UNDELIVERED.format(month=month))
    ]
    words = f"but no allocations were delivered of {', '.join(each)}"
    return f", {words}: what machines cost then is in no saving" if each else ""
