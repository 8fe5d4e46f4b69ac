"""Sums the workloads in a reader's scope, for readers who may not see the portfolio.

As in the portfolio (METHOD §6.7), all overhead and investment of these workloads is deducted, also
where a saving is unknown, and what is unknown on a day makes all later sums unknown. Where no
workload that moved has a known saving, they have none together from the first such day on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal

from dashboard.address.view import View
from dashboard.snapshot.rows import Row, range_of, read_rows
from dashboard.wording.unknown import UNJUDGED
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.contract.schema import MARTS, PORTFOLIO

DAILY_TOTALS = """
WITH days AS (
  SELECT date, bool_or(settled) AS settled,
         coalesce(sum(gross_saving), 0) - coalesce(sum(overhead), 0) AS net,
         coalesce(sum(investment), 0) AS invested,
         bool_or(settled AND (overhead IS NULL OR investment IS NULL)) AS lost,
         bool_or(settled AND gross_saving IS NULL AND $unjudged) AS unclaimed
  FROM savings_daily GROUP BY date),
sums AS (
  SELECT *, coalesce(bool_or(lost) OVER past, FALSE) AS unknown,
         NOT settled OR coalesce(bool_or(lost OR unclaimed) OVER past, FALSE) AS unsaved,
         sum(net) OVER past AS all_net, sum(invested) OVER past AS all_invested
  FROM days WINDOW past AS (ORDER BY date))
SELECT date, settled, CASE WHEN NOT unsaved THEN net END AS net_saving,
       CASE WHEN NOT unknown THEN invested END AS investment,
       CASE WHEN NOT unsaved THEN all_net END AS cumulative_net_saving,
       CASE WHEN settled AND NOT unknown THEN all_invested END AS cumulative_investment,
       CASE WHEN NOT unsaved THEN all_net - all_invested END AS cumulative_net,
       CASE WHEN NOT unsaved AND all_invested > 0
            THEN CAST((all_net - all_invested) / all_invested AS DECIMAL(38, 9)) END AS roi
FROM sums WHERE date BETWEEN $first AND $last ORDER BY date"""
MONTHS = """
SELECT month, CASE WHEN count(gross_saving) > 0
                    AND count(*) FILTER (overhead IS NULL) = 0
                   THEN sum(gross_saving) - coalesce(sum(overhead), 0) END AS net_saving
FROM monthly_summary WHERE settled_through IS NOT NULL
GROUP BY month ORDER BY month DESC LIMIT 2"""
UNCLAIMED = (*UNJUDGED, *NOT_MOVED_YET)
STATUSES = "SELECT status, left_out, flagged FROM break_even"


def daily_totals(view: View) -> list[Row]:
    """Sums the reader's workloads by day: net saving, investment, running totals and return."""
    unjudged = _unclaimed([row["status"] for row in read_rows(STATUSES)]) in UNJUDGED
    return read_rows(DAILY_TOTALS, unjudged=unjudged, **range_of(view))


def returns_by_day(view: View) -> list[Row]:
    """Reads by settled day the return on investment of the reader's workloads together."""
    return [row | {"workload": PORTFOLIO} for row in daily_totals(view) if row["settled"]]


def returns_by_month(view: View) -> list[Row]:
    """Reads on each month's last settled day the return of the reader's workloads together."""
    ends = {row["date"].replace(day=1): row for row in returns_by_day(view)}
    return list(ends.values())


def months() -> list[Row]:
    """Sums net savings of the reader's workloads in each of the two newest months of settled days.

    Null where no workload's saving is known, or an overhead is not.
    """
    return read_rows(MONTHS)


def standing() -> Row:
    """Sums up all workloads in the reader's scope as one row of `break_even`, with a status.

    Its other columns are null: there is no forecast of some workloads together.
    """
    rows = read_rows(STATUSES)
    settled = [row for row in daily_totals(View()) if row["settled"]]
    sums = settled[-1] if settled else {}
    return dict.fromkeys(MARTS["break_even"]) | {
        "status": _status([row["status"] for row in rows], sums),
        "workloads": len(rows),
        "moved": sum(row["status"] not in NOT_MOVED_YET for row in rows),
        "cumulative_net_saving": sums.get("cumulative_net_saving"),
        "cumulative_investment": sums.get("cumulative_investment"),
        "cumulative_net": sums.get("cumulative_net"),
        "roi": sums.get("roi"),
        "forecast_reason": "each workload's page has its own",
        "left_out": _by_reason(row["left_out"] for row in rows),
        "flagged": _by_reason(row["flagged"] for row in rows),
    }


def _status(each: Collection[str], sums: Row) -> str:
    """Returns one status for given workloads: by their summed balance, if any saving is known.

    If none is known, it is the first of theirs, in the order of `UNCLAIMED`.
    """
    found = _unclaimed(each)
    if found or not each:
        return found
    net = sums.get("cumulative_net")
    return "broke_even" if net is not None and net >= 0 else "recovering"


def _unclaimed(each: Collection[str]) -> str:
    """Returns the first of given statuses if none of them has a known saving; else empty text."""
    known = set(each) - set(UNCLAIMED)
    return next((status for status in UNCLAIMED if status in each and not known), "")


def _by_reason(each: Iterable[Mapping[str, Decimal | None] | None]) -> dict[str, Decimal | None]:
    """Maps each reason to the sum of its dollars; None if one part of the sum is unknown."""
    sums: dict[str, Decimal | None] = {}
    for reason, dollars in (item for amounts in each for item in (amounts or {}).items()):
        before = sums.get(reason, Decimal(0))
        sums[reason] = None if before is None or dollars is None else before + dollars
    return sums
