"""Builds the table of dollars that a month's headline leaves out or flags, and of credits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dash.development.base_component import Component

from dashboard.pages.finance.statement_tables import money, table
from dashboard.wording.format import percent
from dashboard.wording.reasons import reason
from models.contract.schema import PORTFOLIO
from models.documents.no_workload import of_unknown
from models.documents.wording import bridge
from models.records.statement import Row, Statement, uncompared


def not_in_headline(statement: Statement) -> Component:
    """Builds the table of dollars that a month's headline leaves out or flags, and of credits."""
    row = statement.row(PORTFOLIO)
    lines = [
        [reason(name), kind, money(amount)]
        for kind, found in (("left out", row["left_out"]), ("flagged", row["flagged"]))
        for name, amount in sorted((found or {}).items())
    ]
    credit = ["Credits, as billed", _credits_paid(row["credit_share"]), money(row["credits"])]
    return table(
        ["What", "How", "Dollars"],
        [*lines, *_bridge(row), *_unknown(statement), credit],
        texts=(0, 1),
    )


def _unknown(statement: Statement) -> list[list[Any]]:
    """Returns rows of amounts that the portfolio has of workloads whose own figure is unknown."""
    how = "in the portfolio's; each one's own is unknown: "
    return [
        [f"{title} of workloads", how + ", ".join(names), money(amount)]
        for title, amount, names in of_unknown(statement)
    ]


def _bridge(row: Row) -> list[list[str]]:
    """Returns the row that bridges Trainium cost and gross saving; empty if all is compared."""
    cost = uncompared(dict(row))
    return [["Trainium cost not compared", bridge(dict(row)), money(cost)]] if cost else []


def _credits_paid(share: Decimal | None) -> str:
    paid = "" if share is None else f"; they paid {percent(share, 1)} of what its runs cost"
    return f"not part of any cost above{paid}"
