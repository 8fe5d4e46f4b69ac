"""What finance was told, as tables beside the delivered rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from models.contract.schema import BESIDE
from models.engine import contract_tables
from models.engine.context import BuildContext
from models.records.closes import Close, Closes

NOTHING = Decimal(0)
MEASURES = ("net_saving", "investment")


def fill_closed_months(context: BuildContext) -> None:
    """Fills `closed_months` and `recognised` from the newest close of every month."""
    closes = Closes(context.settings.data).standing()
    contract_tables.fill(context.backend, "closed_months", list(months(closes)))
    contract_tables.fill(context.backend, "recognised", list(recognised(closes)))


def months(closes: Iterable[Close]) -> Iterator[dict[str, Any]]:
    """What the newest close of each month told finance of each workload."""
    for close in closes:
        for row in close.statement.tables["summary"]:
            yield {name: row[name] for name in BESIDE["closed_months"]}


def recognised(closes: list[Close]) -> Iterator[dict[str, Any]]:
    """What is recognised of each month and workload: what its close told, and later adjustments."""
    told: dict[tuple[str, str, str], Decimal | None] = {}
    adjusted: defaultdict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
    for close in closes:
        for row in close.statement.tables["summary"]:
            told |= {(close.month, row["workload"], name): row[name] for name in MEASURES}
        for row in close.statement.tables["adjustments"]:
            if row["measure"] in MEASURES:
                key = row["month"], row["workload"], row["measure"]
                adjusted[key] += row["amount"] or NOTHING
    for month, workload in sorted({key[:2] for key in {*told, *adjusted}}):
        keys = {name: (month, workload, name) for name in MEASURES}
        said = {name: _said(told.get(key, NOTHING), adjusted[key]) for name, key in keys.items()}
        yield {"month": month, "workload": workload, **said}


TABLES: dict[str, Callable[..., Any]] = {"closed_months": months, "recognised": recognised}
"""Each table and the function that makes its rows."""


def _said(told: Decimal | None, adjusted: Decimal) -> Decimal | None:
    """Unknown where it was when the month was closed, and no later close told it either."""
    return told if told is None and not adjusted else (told or NOTHING) + adjusted
