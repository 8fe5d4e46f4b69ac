"""Fills the workbook's first sheet: month, quarter and year to date, status, and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from xlsxwriter.worksheet import Worksheet

from models.contract.decimal_text import dollars
from models.contract.schema import PORTFOLIO
from models.documents.no_workload import INPUTS, to_date_with_unassigned, with_unassigned
from models.documents.paper import Paper
from models.documents.wording import percent
from models.documents.workbook.book import FIRST, Book, Column, letters
from models.documents.workbook.flow_columns import (
    flow_columns,
    per_epoch,
    with_costs_per_epoch,
)
from models.documents.workbook.sheet_heads import write_head
from models.documents.workbook.workloads_sheet import Places
from models.records.columns import COSTS_PER_EPOCH
from models.records.statement import Row, uncompared


def summary_sheet(book: Book, sheet: Worksheet, paper: Paper, places: Places) -> None:
    """Fills the summary: month, quarter and year to date, statuses, what waits, and a chart.

    Its figures are links to cells of the sheet of workloads.
    """
    month = paper.statement.month
    history = with_unassigned(paper.statement.tables["history"])
    rows = [row for row in history if row["month"] == month]
    columns = flow_columns(
        Column("workload", "Workload", "text", width=24), unit=paper.statement.unit
    )
    at, there = letters(columns), letters(flow_columns(*[Column("", "")] * 3))
    write_head(book, sheet, "Savings of training on Trainium", paper)
    book.table(sheet, FIRST - 2, columns, [with_costs_per_epoch(row) for row in rows])
    for n, row in enumerate(rows, FIRST):
        place = places[row["workload"], month]
        costs_per_unit = [name for name in COSTS_PER_EPOCH if row[name] is not None]
        for name in (*INPUTS, "cumulative_net", *costs_per_unit):
            shown = "number" if name.endswith("epochs") else "money"
            link = f"=Workloads!{there[name]}{place}"
            book.cell(sheet, n - 1, list(at).index(name), row[name], shown, link)
    top = FIRST + len(rows) + 1
    for period, title in (("quarter", "Quarter to date"), ("year", "Year to date")):
        top = _to_date(book, sheet, paper, places, (period, title, top, there))
    top = _statuses(book, sheet, paper, top + 1)
    top = _waiting(book, sheet, paper, top)
    _chart(book, sheet, paper, places, there, top + 1)
    sheet.print_area(0, 0, top + 22, len(columns) - 1)


AS_OF = ("cumulative_net", "cumulative_investment", "roi")
"""What is as of a month's end: no sum of months."""
STATUS_COLUMNS = {
    "workload": (0, "Status of each"),
    "status": (1, "Status"),
    "parity": (3, "Quality parity"),
    "comparability": (5, "Compared"),
    "settled_through": (7, "Settled through"),
    "credit_share": (8, "Credits of the cost of runs"),
    "left_out": (10, "Left out"),
    "flagged": (13, "Counted with a flag"),
}
"""The columns that are text, and where each begins: wide enough for its longest words."""


def _statuses(book: Book, sheet: Worksheet, paper: Paper, top: int) -> int:
    """Writes each workload's status, parity, settled day, … to a sheet; returns the next row.

    The returned row counts from 0.
    """
    rows = paper.statement.tables["summary"]
    for place, title in STATUS_COLUMNS.values():
        book.cell(sheet, top, place, title, "head")
    for n, row in enumerate(rows, top + 1):
        for name, (place, _) in STATUS_COLUMNS.items():
            value = row[name] if name == "workload" else _words(row[name])
            value = _share(row[name]) if name == "credit_share" else value
            book.cell(sheet, n, place, value, "text")
    return top + len(rows) + 2


def _waiting(book: Book, sheet: Worksheet, paper: Paper, top: int) -> int:
    """Writes a line per missing input on the month's uncounted dollars; returns the next row."""
    sentences = [*filter(None, (paper.waiting.allocations, paper.waiting.bill))]
    for n, sentence in enumerate(sentences, top):
        book.cell(sheet, n, 0, sentence, "note")
    return top + len(sentences)


def _share(value: Decimal | None) -> str:
    return "" if value is None else percent(value)


def _words(value: Any) -> str:  # noqa: ANN401 - a name, a day, or dollars by reason
    if isinstance(value, Mapping):
        by_reason = sorted(value.items())
        return ", ".join(f"{why.replace('_', ' ')} {dollars(amount)}" for why, amount in by_reason)
    return "" if value is None else f"{value}".replace("_", " ")


def _to_date(
    book: Book,
    sheet: Worksheet,
    paper: Paper,
    places: Places,
    what: tuple[str, str, int, Mapping[str, str]],
) -> int:
    """Writes each workload's sums of the quarter or year to date to a sheet; returns the next row.

    The returned row counts from 0.
    """
    period, title, top, there = what
    facts = paper.statement.facts
    rows = to_date_with_unassigned(paper.statement, period)
    called = facts["fiscal_year"] if period == "year" else facts["fiscal_quarter"]
    since = rows[0]["since"] if rows else paper.statement.month
    first = Column("workload", f"{title} ({called}, since {since})", "text")
    columns = flow_columns(first, unit=paper.statement.unit)
    columns = [c for c in columns if c.name not in AS_OF and c.name != "other_change"]
    at = letters(columns)
    book.table(sheet, top, [Column(c.name, c.title, c.shown, width=c.width) for c in columns], [])
    for n, row in enumerate(rows, top + 2):
        mine = [
            place
            for (who, month), place in places.items()
            if who == row["workload"] and since <= month <= paper.statement.month
        ]
        held = with_costs_per_epoch(row | {"month": paper.statement.month})
        mixed = _no_quotients(paper, row)
        for place, column in enumerate(columns):
            formula, value = _of_period(column.name, at, there, mine, n), held.get(column.name)
            if column.name in mixed:
                formula = value = None
            book.cell(sheet, n - 1, place, value, column.shown, formula)
    return top + len(rows) + 2


def _no_quotients(paper: Paper, period: Row) -> set[str]:
    """Returns names of cost-per-unit columns that a period's cost ÷ work does not give.

    Cost is of all kinds of work and all production, work of the main kind where its unit counts it.
    A month of Trainium cost that nothing compares with, and of no work, does not say which it is.
    """
    rows = [
        row
        for row in paper.statement.tables["history"]
        if row["workload"] == period["workload"] and row["month"] >= period["since"]
    ]
    found = {name for name in COSTS_PER_EPOCH if any(row[name] is not None for row in rows)}
    apart = any(not row["trn_epochs"] and (uncompared(row) or 0) > 0 for row in rows)
    return found | ({"trn_cost_per_epoch"} if apart else set())


def _of_period(
    name: str, at: Mapping[str, str], there: Mapping[str, str], mine: list[int], n: int
) -> str | None:
    if name == "workload" or not mine:
        return None
    if name.endswith("per_epoch"):
        return per_epoch(at, name[:3], n)
    cells = f"Workloads!{there[name]}{min(mine)}:{there[name]}{max(mine)}"
    return f'=IF(COUNT({cells})<{len(mine)},"unknown",SUM({cells}))'


def _chart(
    book: Book, sheet: Worksheet, paper: Paper, places: Places, there: Mapping[str, str], top: int
) -> None:
    """Adds the chart of the portfolio's monthly cumulative net to the workbook's summary sheet."""
    mine = [place for (who, _), place in places.items() if who == PORTFOLIO]
    column, month = there["cumulative_net"], "B"
    chart = book.workbook.add_chart({"type": "line"})
    chart.add_series(
        {
            "name": "Cumulative net",
            "categories": f"=Workloads!${month}${min(mine)}:${month}${max(mine)}",
            "values": f"=Workloads!${column}${min(mine)}:${column}${max(mine)}",
            "line": {"color": "#0072B2", "width": 2.25},
            "marker": {"type": "circle", "size": 5},
        }
    )
    title = "Cumulative net (saving less investment), US dollars"
    chart.set_title({"name": title, "name_font": {"size": 12}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True}})
    chart.set_x_axis({"num_format": "0000-00", "label_position": "low"})
    chart.set_size({"width": 900, "height": 340})
    sheet.insert_chart(top, 0, chart)
