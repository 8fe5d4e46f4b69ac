"""What finance was told, as tables beside the delivered rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from ibis.backends.duckdb import Backend

from models import tables
from models.month_end.closes import Close, Closes
from models.schema import BESIDE
from models.settings import Settings

NOTHING = Decimal(0)


def lay(backend: Backend, settings: Settings) -> None:
    """The newest version of every closed month, and what is recognised of each."""
    closes = Closes(settings.data).standing()
    tables.fill(backend, "closed_months", list(_months(closes)))
    tables.fill(backend, "recognised", list(_recognised(closes)))


def _months(closes: Iterable[Close]) -> Iterator[dict[str, Any]]:
    for close in closes:
        for row in close.statement.tables["summary"]:
            yield {name: row[name] for name in BESIDE["closed_months"]}


def _recognised(closes: list[Close]) -> Iterator[dict[str, Any]]:
    told: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    unknown: set[tuple[str, str]] = set()
    for close in closes:
        for row in close.statement.tables["summary"]:
            key = close.month, row["workload"]
            if row["net_saving"] is None:
                unknown.add(key)
            told[key] += (row["net_saving"] or NOTHING) - (row["investment"] or NOTHING)
        for row in close.statement.tables["adjustments"]:
            sign = {"net_saving": 1, "investment": -1}.get(row["measure"], 0)
            if row["workload"] is not None:
                told[row["month"], row["workload"]] += sign * (row["amount"] or NOTHING)
    for (month, workload), net in told.items():
        yield {
            "month": month,
            "workload": workload,
            "net": None if (month, workload) in unknown and not net else net,
        }
