"""Reads which days of a month are not counted yet, and which dollars wait on them. METHOD §1.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.contract.portfolio import PORTFOLIO

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


def unsettled_days(ask: Callable[[str], list[Row]], month: str) -> list[Row]:
    """Returns the statement's table `unsettled`: what a month does not count yet."""
    return ask(UNSETTLED.format(month=month))
