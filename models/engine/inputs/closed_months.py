"""Writes the figures of closed months, and what has changed since, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ibis.backends.duckdb import Backend

from models.contract.schema import BESIDE
from models.engine import contract_tables
from models.engine.context import BuildContext
from models.records import adjustment_amounts
from models.records.closes import Close, Closes

NOT_ASKED = {"compared_cost": None}
"""What a statement has besides; its movements are of no account here."""
READS = frozenset({"month_facts"})
FILLS = ("adjustments_due",)


def fill_closed_months(context: BuildContext) -> None:
    """Writes `closed_months`: each workload's figures in each month's newest month-end close."""
    closes = Closes(context.settings.data).newest_versions()
    contract_tables.fill(context.backend, "closed_months", list(months(closes)))


def months(closes: Iterable[Close]) -> Iterator[dict[str, Any]]:
    """Yields a row per workload and given month-end close, with the figures that were closed."""
    for close in closes:
        for row in close.statement.tables["summary"]:
            yield {name: row[name] for name in BESIDE["closed_months"]}


TABLES: dict[str, Callable[..., Any]] = {"closed_months": months}
"""Each table and the function that makes its rows."""


def fill_adjustments(context: BuildContext) -> None:
    """Writes `adjustments_due`: per workload, the change in closed months' saving less investment.

    By workload, as far as no later close has adjusted it. It runs between `month_facts` and
    `monthly_summary`.
    """
    closes = Closes(context.settings.data).newest_versions()
    rows = [row for close in closes for row in _movements(context.backend, close, closes)]
    found = [
        {"workload": workload, "adjustments": adjustment_amounts.net(rows, workload)}
        for workload in sorted({row["workload"] for row in rows})
    ]
    contract_tables.fill(context.backend, "adjustments_due", found)


def _movements(backend: Backend, close: Close, closes: Iterable[Close]) -> Iterator[dict[str, Any]]:
    """Yields a row per workload and measure (net saving, investment): the change since a close."""
    cursor = backend.con.execute("SELECT * FROM month_facts WHERE month = ?", [close.month])
    names = [column[0] for column in cursor.description]
    facts = [dict(zip(names, row, strict=True)) | NOT_ASKED for row in cursor.fetchall()]
    now = adjustment_amounts.amounts({"summary": facts, "tie_out": ()}, close.month)
    for moved in adjustment_amounts.movements(close, now, closes):
        found = dict(zip(adjustment_amounts.KEYS, moved.key, strict=True))
        if found["measure"] in adjustment_amounts.SIGNS:
            yield found | {"amount": moved.amount}
