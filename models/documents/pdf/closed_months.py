"""Builds the PDF's table of closed months whose figures changed, and why (METHOD §7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from models.contract.decimal_text import dollars
from models.contract.schema import PORTFOLIO
from models.documents.pdf.figures import FEW, more_rows
from models.documents.spreadsheet_text import plain
from models.documents.wording import plain_cause
from models.records.statement import Row


def adjustment_table(rows: Sequence[Row]) -> dict[str, Any]:
    """Builds the PDF's table of the last six changes of closed months, with amounts and causes.

    The amounts are net saving, investment and the bill as billed.
    """
    steps = sorted({_step(row) for row in rows})
    lines = [[_named(*step), *(dollars(value) for value in _of(rows, *step))] for step in steps]
    whole = {_step(row) for row in rows if row["workload"] == PORTFOLIO}
    causes = {
        (row["month"], row["cause"]): None
        for row in rows
        if row["workload"] == PORTFOLIO or _step(row) not in whole
    }
    return {
        "columns": ["Closed month", "Net saving", "Investment", "The bill, as billed"],
        "rows": lines[-FEW:],
        "more": more_rows(lines, FEW),
        "none": "None is due in this month.",
        "causes": [[month, plain(plain_cause(cause))] for month, cause in list(causes)[-FEW:]],
    }


def _step(row: Row) -> tuple[str, str]:
    return row["month"], row["changed_by"] or ""


def _named(month: str, changed_by: str) -> str:
    return f"{month}, by the edition" if changed_by == "edition" else month


def _of(rows: Iterable[Row], month: str, changed_by: str) -> list[Decimal | None]:
    mine = [r for r in rows if _step(r) == (month, changed_by)]
    whole = [row for row in mine if row["workload"] == PORTFOLIO]
    bill = [r for r in mine if (r["measure"], r["basis"]) == ("bill_total", "billed")]
    parts = [[r for r in whole if r["measure"] == name] for name in ("net_saving", "investment")]
    return [summed(part, "amount") for part in (*parts, bill)]


def summed(rows: Sequence[Row], name: str) -> Decimal | None:
    """Sums a column of rows; None as soon as one value is null (unknown), 0 without rows."""
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known, Decimal(0)) if len(known) == len(rows) else None
