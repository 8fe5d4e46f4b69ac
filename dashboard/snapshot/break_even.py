"""The only door to the published snapshot: a question in, plain rows out.

Each request reads the snapshot that is current by then, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.snapshot.rows import Row, range_of, read_row, read_rows
from models.contract.schema import PORTFOLIO

MOVING = ("investing", "not_started")
"""Statuses of workloads without a settled production run on Trainium."""


def standing(workload: str = PORTFOLIO) -> Row | None:
    """Where one workload, or the portfolio, stands."""
    return read_row("SELECT * FROM break_even WHERE workload = $workload", workload=workload)


def statuses() -> dict[str, str]:
    """Every workload and its status, in the same order."""
    rows = read_rows(
        """SELECT workload, status FROM break_even WHERE workload <> $portfolio
           ORDER BY cumulative_investment DESC NULLS LAST, workload""",
        portfolio=PORTFOLIO,
    )
    return {row["workload"]: row["status"] for row in rows}


def curve(workload: str, view: View) -> list[Row]:
    """Cumulative net saving per day; unknown on days that are not settled or not priced."""
    mart = "portfolio_daily" if workload == PORTFOLIO else "savings_daily"
    return read_rows(
        f"""SELECT date, settled, net_saving, investment, cumulative_net FROM {mart}
            WHERE workload = $workload AND date BETWEEN $first AND $last ORDER BY date""",
        workload=workload,
        **range_of(view),
    )


def forecast(workload: str, view: View) -> list[Row]:
    """Cumulative net saving of the weeks to come, if the range reaches past the last settled day.

    A range that ends earlier asks about the past.
    """
    return read_rows(
        """SELECT date, low, median, high FROM forecast_paths
           WHERE workload = $workload AND $last > (SELECT settled_through FROM snapshot)
             AND ($last = $never OR date <= $last) ORDER BY date""",
        workload=workload,
        last=view.last,
        never=View().last,
    )


def investments(workload: str, view: View) -> list[Row]:
    """One-time outlays in order of their date; recurring ones have no day to be marked on."""
    return read_rows(
        """SELECT date, workload, kind, amount FROM investments
           WHERE (workload = $workload OR $workload = $portfolio)
             AND kind NOT IN ('upkeep', 'port', 'validation', 'stranded_commitment')
             AND date BETWEEN $first AND $last ORDER BY date, amount DESC""",
        workload=workload,
        portfolio=PORTFOLIO,
        **range_of(view),
    )


def months(workload: str = PORTFOLIO) -> list[Row]:
    """The two newest months, newest first."""
    return read_rows(
        "SELECT * FROM monthly_summary WHERE workload = $workload ORDER BY month DESC LIMIT 2",
        workload=workload,
    )
