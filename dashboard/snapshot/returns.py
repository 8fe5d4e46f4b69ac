"""Reads the return on investment of moves at the end of each day. METHOD §6.4."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.address.view import View
from dashboard.snapshot.rows import Row, range_of, read_rows
from models.contract.schema import PORTFOLIO

MOST = 24
"""How many workloads are compared by month, the largest investments first."""
COLUMNS = "workload, date, roi, cumulative_net, cumulative_investment"
BY_DAY = f"""
SELECT {COLUMNS} FROM (FROM savings_daily UNION ALL BY NAME FROM portfolio_daily)
WHERE settled AND list_contains($workloads::VARCHAR[], workload) AND date BETWEEN $first AND $last
"""
MONTH_ENDS = f"""{BY_DAY}
QUALIFY date = max(date) OVER (PARTITION BY workload, date_trunc('month', date))
ORDER BY workload, date"""


def by_day(workload: str, view: View) -> list[Row]:
    """Reads by settled day a move's return on investment; null if unknown or none is invested."""
    return read_rows(f"{BY_DAY} ORDER BY date", workloads=[workload], **range_of(view))


def month_ends(workloads: Sequence[str], view: View) -> list[Row]:
    """Reads the return on investment of given workloads on each month's last settled day."""
    return read_rows(MONTH_ENDS, workloads=list(workloads), **range_of(view))


def largest_moves() -> list[str]:
    """Reads the names of workloads with a known return, at most 24, largest investment first."""
    rows = read_rows(
        """SELECT workload FROM break_even WHERE workload <> $portfolio AND roi IS NOT NULL
           ORDER BY cumulative_investment DESC, workload LIMIT $most""",
        portfolio=PORTFOLIO,
        most=MOST,
    )
    return [row["workload"] for row in rows]
