"""Reads the state of workloads: status, savings by day, forecast, investments. METHOD §6."""

from __future__ import annotations

from datetime import date

from dashboard.address.view import View
from dashboard.snapshot.rows import Row, range_of, read_row, read_rows
from models.contract.schema import PORTFOLIO

LAST_SETTLED = "SELECT max(date) FROM savings_daily WHERE workload = $workload AND settled"
"""The last settled day of a workload; null if none is."""


def standing(workload: str = PORTFOLIO) -> Row | None:
    """Reads a workload's row of the mart `break_even`, by default the portfolio's, or None."""
    return read_row("SELECT * FROM break_even WHERE workload = $workload", workload=workload)


def last_settled(workload: str) -> date | None:
    """Reads the last settled day of one workload, whatever other bills wait for; or None."""
    row = read_row(f"SELECT ({LAST_SETTLED}) AS day", workload=workload)
    return row["day"] if row else None


def statuses() -> dict[str, str]:
    """Reads workload → status for every workload, the largest investment first."""
    rows = read_rows(
        """SELECT workload, status FROM break_even WHERE workload <> $portfolio
           ORDER BY cumulative_investment DESC NULLS LAST, workload""",
        portfolio=PORTFOLIO,
    )
    return {row["workload"]: row["status"] for row in rows}


def curve(workload: str, view: View) -> list[Row]:
    """Reads by day a workload's net saving, investment and running total of saving less investment.

    They are null where unknown. The range of days is that of the page.
    """
    mart = "portfolio_daily" if workload == PORTFOLIO else "savings_daily"
    return read_rows(
        f"""SELECT date, settled, net_saving, investment, cumulative_net FROM {mart}
            WHERE workload = $workload AND date BETWEEN $first AND $last ORDER BY date""",
        workload=workload,
        **range_of(view),
    )


def forecast(workload: str, view: View) -> list[Row]:
    """Reads by week the forecast of cumulative saving less investment; empty for settled days.

    A range that ends on the last settled day or before has none. A row has low, median and high.
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
    """Reads the configured investments of a workload, or of all, by date in a page's date range.

    Those that are computed from the bill are left out.
    """
    return read_rows(
        """SELECT date, workload, kind, amount FROM investments
           WHERE (workload = $workload OR $workload = $portfolio)
             AND kind NOT IN ('port', 'validation', 'benchmark', 'baseline',
                 'overhead_before_cutover', 'stranded_commitment', 'pool_before_cutover',
                 'stranded_cluster')
             AND date BETWEEN $first AND $last ORDER BY date, amount DESC""",
        workload=workload,
        portfolio=PORTFOLIO,
        **range_of(view),
    )


def months(workload: str = PORTFOLIO) -> list[Row]:
    """Reads a workload's rows of `monthly_summary` for the two newest months with a settled day.

    The newest month is first.
    """
    return read_rows(
        """SELECT * FROM monthly_summary
           WHERE workload = $workload AND settled_through IS NOT NULL
           ORDER BY month DESC LIMIT 2""",
        workload=workload,
    )


def unjudged_kinds(workload: str = PORTFOLIO) -> list[Row]:
    """Reads the recipes trained on Trainium with too few GPU runs for a baseline, costliest first.

    Those of unknown cost come before them.
    """
    return read_rows(
        """SELECT * FROM unjudged_kinds WHERE workload = $workload OR $workload = $portfolio
           ORDER BY trn_cost DESC NULLS FIRST, workload, recipe""",
        workload=workload,
        portfolio=PORTFOLIO,
    )


def paceless_kinds(workload: str = PORTFOLIO) -> list[Row]:
    """Reads the recipes without a GPU pace, so that the saving at the earlier volume is unknown.

    Only those of workloads whose saving at today's volume is known. Each has its number of GPU runs
    and the days from the first of them to the move.
    """
    return read_rows(
        """SELECT workload, recipe, max(gpu_runs) AS gpu_runs, max(gpu_days) AS gpu_days
           FROM old_volume JOIN break_even USING (workload)
           WHERE per_day IS NULL AND credited_epochs > 0 AND saving_at_old_volume IS NULL
             AND cumulative_gross_saving IS NOT NULL
             AND (workload = $workload OR $workload = $portfolio)
           GROUP BY workload, recipe ORDER BY workload, recipe""",
        workload=workload,
        portfolio=PORTFOLIO,
    )
