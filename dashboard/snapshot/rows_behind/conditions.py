"""Defines SQL conditions that several selections of rows share, on parameters from a URL."""

from __future__ import annotations

from models.contract.rules import attribution_groups as groups

OF_WORKLOAD = "($workload = '' OR workload = $workload)"
STANDING_OF = "workload = coalesce(nullif($workload, ''), '(portfolio)')"
IN_RANGE = "date BETWEEN $first AND $last"
OBSERVED_IN_RANGE = "CAST(observed_at AS DATE) BETWEEN $first AND $last"
OF_WORKLOADS = f"attribution IN {groups.OF_WORKLOADS}"
OF_MONTH = """strftime(date, '%Y-%m') = $month"""


def of_company(sum_: str) -> str:
    """Returns SQL for a company-wide sum: null for a reader who sees only some workloads.

    They have none of its rows, so it would be $0.
    """
    return f"CASE WHEN $whole THEN {sum_} END"
