"""Reads freshness, tie-out, restatements and the pull log for the Trust page."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.snapshot.charges import (
    CONFIGURED_COST,
    RUNNING_HOURS,
    UNTAGGED,
    WORKED_DAYS,
    known_sum,
)
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, range_of, read_row, read_rows
from models.contract.schema import PORTFOLIO
from models.raw.pulls.pull_history import Pull
from models.records import audit

TIE_OUT = """
SELECT month, basis, sum(direct) AS direct, sum(shared) AS shared,
       sum(cluster_idle) AS cluster_idle, sum(overhead) AS overhead,
       sum(idle_commitment) AS idle_commitment, sum(untagged) AS untagged,
       sum(purchase) AS purchase, sum(credit) AS credit, sum(refund) AS refund, sum(tax) AS tax,
       sum(support) AS support, sum(other) AS other, sum(bridge) AS bridge,
       sum(block_spread) AS block_spread, sum(bill_total) AS bill_total,
       sum(remainder) AS remainder, count(*) AS accounts,
       coalesce(sum(abs(remainder)) FILTER (abs(remainder) >= 0.01), 0) AS unheld,
       list_sort(list_distinct(list(total_source))) AS sources
FROM tie_out
WHERE basis = $basis AND month BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')
GROUP BY month, basis ORDER BY month DESC"""
"""Tie-out of each month, summed over its accounts.

`unheld` sums absolute remainders, so that one account's does not hide another's; remainders below a
cent come from rounding an invoice and are left out.
"""

TIE_OUT_BY_ACCOUNT = """
SELECT * FROM tie_out
WHERE basis = $basis AND month BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')
ORDER BY month DESC, billing_account, account"""
"""Tie-out of each month and account, the newest month first."""

UNTAGGED_SHARE = f"""
SELECT {known_sum(CONFIGURED_COST, UNTAGGED)} AS untagged,
       {known_sum(CONFIGURED_COST)} AS cost
FROM accelerator_days WHERE {WORKED_DAYS} AND {RUNNING_HOURS}"""
"""Accelerator spend of settled days, and the part of it that names no workload."""


def workloads() -> list[Row]:
    """Reads each workload's savings that are left out or flagged, largest investment first."""
    return read_rows(
        """SELECT workload, left_out, flagged FROM break_even WHERE workload <> $portfolio
           ORDER BY cumulative_investment DESC NULLS LAST, workload""",
        portfolio=PORTFOLIO,
    )


def sources() -> list[Row]:
    """Reads how fresh each source and account is, stale ones first."""
    return read_rows("SELECT * FROM freshness ORDER BY stale DESC NULLS LAST, source, account")


def pulls() -> list[Pull]:
    """Reads the newest pulls from the pull journal; empty for a reader of some workloads only."""
    return list(data_context().pulls())


def tie_out(view: View) -> list[Row]:
    """Reads each month's cost buckets and bill, summed over accounts, the newest month first."""
    return read_rows(TIE_OUT, basis=view.tied, **range_of(view))


def restatements(view: View) -> list[Row]:
    """Reads bills whose dollars AWS changed in the pulls of the range, the newest change first."""
    return read_rows(
        """SELECT * FROM restatements WHERE CAST(pulled_at AS DATE) BETWEEN $first AND $last
           AND (billed_change <> 0 OR effective_change <> 0)
           ORDER BY pulled_at DESC, month, account""",
        **range_of(view),
    )


def untagged_share() -> Row:
    """Reads one row: accelerator spend of settled days, and how much of it names no workload."""
    return read_row(UNTAGGED_SHARE) or {}


def cluster_coverage(view: View) -> list[Row]:
    """Reads how many hours of each cluster allocations explain, by month, the newest first."""
    return read_rows(
        """SELECT * FROM allocation_coverage
           WHERE month BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')
           ORDER BY month DESC, cluster""",
        **range_of(view),
    )


def audit_lines(count: int) -> list[audit.Line]:
    """Reads the `count` newest lines of the audit trail; 404 for a reader with a limited scope."""
    return audit.newest(data_context().company.data, count)
