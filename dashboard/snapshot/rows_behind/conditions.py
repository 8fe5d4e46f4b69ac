"""SQL conditions that several selections share, on parameters that an address gives."""

from __future__ import annotations

from models.contract.rules import attribution_groups as groups

OF_WORKLOAD = "($workload = '' OR workload = $workload)"
STANDING_OF = "workload = coalesce(nullif($workload, ''), '(portfolio)')"
IN_RANGE = "date BETWEEN $first AND $last"
OBSERVED_IN_RANGE = "CAST(observed_at AS DATE) BETWEEN $first AND $last"
OF_WORKLOADS = f"attribution IN {groups.OF_WORKLOADS}"
OF_MONTH = """strftime(date, '%Y-%m') = $month"""


def of_company(sum_: str) -> str:
    """Returns SQL for a sum that is the company's: null for a reader of some workloads.

    They have none of its rows, so it would be $0.
    """
    return f"CASE WHEN $whole THEN {sum_} END"
