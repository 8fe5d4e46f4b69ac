"""Computes in Python, and writes, all tables that a build needs before it sums bill lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.engine.inputs import allocation_days, config
from models.engine.inputs.bills import (
    bill_totals,
    block_fees,
    delivered_months,
    gross_bills,
    member_bills,
    runs_hidden_by_grouping,
)

TABLES: dict[str, Callable[[BuildContext], Iterable[Mapping[str, Any]]]] = {
    "config_runs": config.runs,
    "config_workloads": config.workloads,
    "config_investments": config.investments,
    "config_accounts": config.accounts,
    "config_rules": config.rules,
    "known_blocks": block_fees.known_blocks,
    "gross_bills": gross_bills.gross_bills,
    "member_bills": member_bills.member_bills,
    "delivered_months": delivered_months.delivered_months,
    "runs_hidden_by_grouping": runs_hidden_by_grouping.runs,
    "bill_totals": bill_totals.bill_totals,
    "allocation_days": allocation_days.allocation_days,
    "held_jobs": allocation_days.held_jobs,
    "held_times": allocation_days.held_times,
    "over_allocations": allocation_days.over_allocations,
}
"""Each table and the function that makes its rows, in order."""


def fill_all(context: BuildContext) -> None:
    """Writes every table of `TABLES`: all that a build needs before it sums bill lines.

    The views of the delivered rows must exist already.
    """
    for name, rows in TABLES.items():
        fill(context.backend, name, list(rows(context)))
