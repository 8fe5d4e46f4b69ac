"""Adds the workbook sheet of months by workload, with portfolio rows that sum the workloads."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema import PORTFOLIO
from models.documents.no_workload import INPUTS, with_unassigned
from models.documents.paper import Paper
from models.documents.workbook.book import FIRST, Book, Column, added, known, letters
from models.documents.workbook.flow_columns import (
    flow_columns,
    with_costs_per_epoch,
)
from models.documents.workbook.sheet_heads import write_head
from models.records.columns import COSTS_PER_EPOCH
from models.records.statement import Row

Places = dict[tuple[str, str], int]
"""Workload and month → the row on the sheet of workloads, as people count."""


def workloads_sheet(book: Book, paper: Paper) -> Places:
    """Adds the sheet of all workloads' months; maps (workload, month) to the row's number.

    Rows count from 1, as in a formula.
    """
    rows = with_unassigned(paper.statement.tables["history"])
    places = {(row["workload"], row["month"]): n for n, row in enumerate(rows, FIRST)}
    columns = flow_columns(
        Column("workload", "Workload", "text", width=24),
        Column("period", "Month", "month", width=9),
        Column("closed", "Closed as version", "number", width=9),
        unit=paper.statement.unit,
    )
    sheet = book.sheet("Workloads", frozen=(FIRST - 1, 2))
    write_head(book, sheet, "Every month of every workload", paper)
    book.table(sheet, FIRST - 2, columns, [with_costs_per_epoch(row) for row in rows])
    at = letters(columns)
    by_place = {name: place for place, name in enumerate(at)}
    for before, row in zip([None, *rows], rows, strict=False):
        n = places[row["workload"], row["month"]]
        opens = before is None or before["workload"] != row["workload"]
        formulas: dict[str, str | None] = dict.fromkeys(COSTS_PER_EPOCH)
        formulas |= {"cumulative_net": _cumulative(at, n, opens)} if _follows(row) else {}
        if row["workload"] == PORTFOLIO:
            members = [p for (who, month), p in places.items() if _member(who, month, row)]
            formulas |= {name: added(f"{at[name]}{p}" for p in members) for name in INPUTS}
        for name, formula in formulas.items():
            if row[name] is not None:
                shown = "number" if name.endswith("epochs") else "money"
                book.cell(sheet, n - 1, by_place[name], row[name], shown, formula)
    sheet.autofilter(FIRST - 2, 0, FIRST - 2 + len(rows), len(columns) - 1)
    sheet.print_area(0, 0, FIRST - 2 + len(rows), len(columns) - 1)
    return places


def _member(who: str, month: str, row: Row) -> bool:
    return who != PORTFOLIO and month == row["month"]


def _follows(row: Row) -> bool:
    """Whether a month's other changes of cumulative net are known, so that it can be a formula."""
    return row["other_change"] is not None


def _cumulative(at: Mapping[str, str], n: int, opens: bool) -> str:
    """Returns a month's cumulative-net formula: row above + saving and changes − investment."""
    own = [at[name] + f"{n}" for name in ("net_saving", "adjustments", "other_change")]
    spent = f"{at['investment']}{n}"
    opening = [] if opens else [f"{at['cumulative_net']}{n - 1}"]
    return known("+".join([*opening, *own]) + f"-{spent}", *opening, *own, spent)
