"""Writes cells of a workbook: inputs as values, results as formulas with cached values.

Text is always text: a name that begins with `=` is no formula. An unknown value is written as such,
and so is the result of every formula that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from models.documents.spreadsheet_text import plain

UNKNOWN = "unknown"
MOST_ARGUMENTS = 200
HEAD_HEIGHT = 45
Row = Mapping[str, Any]
Formula = Callable[[int], str | None]
"""Returns the formula of a row by its number, counted from 1; None for a plain value."""
FIRST = 4
"""The number of a table's first row, counted from 1; heads are above."""


@dataclass(frozen=True)
class Column:
    """A column of a workbook sheet: its field, title, cell format, width and, if any, formula."""

    name: str
    title: str
    shown: str = "money"
    formula: Formula | None = None
    width: int = 13


@dataclass
class Book:
    """A workbook being written, and the cell formats that its sheets share."""

    workbook: Workbook
    formats: dict[str, Format] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Creates the cell formats that the sheets of a workbook share."""
        money = "#,##0.00;[Red]-#,##0.00;0.00"
        looks: dict[str, dict[str, object]] = {
            "money": {"num_format": money, "align": "right"},
            "quote": {"num_format": money, "align": "right"},
            "total": {"num_format": money, "bold": True, "top": 1},
            "share": {"num_format": "0.0 %;[Red]-0.0 %;0.0 %", "align": "right"},
            "number": {"num_format": "#,##0.######", "align": "right"},
            "price": {"num_format": "#,##0.00####", "align": "right"},
            "month": {"num_format": "0000-00"},
            "date": {"num_format": "yyyy-mm-dd"},
            "text": {"valign": "top"},
            "long": {"valign": "top", "text_wrap": True},
            "head": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"},
            "number head": {"bold": True, "bottom": 1, "text_wrap": True, "align": "right"},
            "title": {"bold": True, "font_size": 16},
            "note": {"italic": True, "font_color": "#555555"},
        }
        for name, look in looks.items():
            self.formats[name] = self.workbook.add_format({"font_name": "Arial"} | look)

    def sheet(self, name: str, *, frozen: tuple[int, int]) -> Worksheet:
        """Adds a sheet with frozen heads to the workbook, to be printed one page wide."""
        made = self.workbook.add_worksheet(name)
        made.freeze_panes(*frozen)
        made.set_landscape()
        made.set_paper(9)
        made.fit_to_pages(1, 0)
        made.repeat_rows(frozen[0] - 1)
        made.set_footer("&L&A&RPage &P of &N")
        return made

    def head(self, sheet: Worksheet, title: str, note: str) -> None:
        """Writes the title of a workbook sheet and the note below it."""
        sheet.write_string(0, 0, title, self.formats["title"])
        sheet.write_string(1, 0, note, self.formats["note"])

    def table(
        self, sheet: Worksheet, top: int, columns: Sequence[Column], rows: Sequence[Row]
    ) -> None:
        """Writes a table to a workbook sheet: column heads, and the rows below.

        `top` is the row of the heads, counted from 0.
        """
        sheet.set_row(top, HEAD_HEIGHT)
        for place, column in enumerate(columns):
            sheet.set_column(place, place, column.width)
            head = "head" if column.shown in ("text", "long") else "number head"
            sheet.write_string(top, place, column.title, self.formats[head])
        for number, row in enumerate(rows, top + 1):
            for place, column in enumerate(columns):
                formula = column.formula(number + 1) if column.formula else None
                self.cell(sheet, number, place, row.get(column.name), column.shown, formula)

    def cell(
        self,
        sheet: Worksheet,
        row: int,
        place: int,
        value: object,
        shown: str,
        formula: str | None = None,
    ) -> None:
        """Writes a cell: a formula with cached value, else the value; null money as `unknown`."""
        look = self.formats[shown]
        if formula is not None:
            sheet.write_formula(row, place, formula, look, _cached(value))
        elif value is None:
            sheet.write_string(
                row, place, UNKNOWN if shown in ("money", "total", "price") else "", look
            )
        elif isinstance(value, date):
            sheet.write_datetime(row, place, value, look)
        elif isinstance(value, Decimal | int):
            sheet.write_number(row, place, float(value), look)
        else:
            sheet.write_string(row, place, plain(str(value)), look)


def _cached(value: object) -> object:
    return UNKNOWN if value is None else float(value) if isinstance(value, Decimal) else value


def letters(columns: Sequence[Column]) -> dict[str, str]:
    """Maps each column's name to its spreadsheet letter (A, B, …)."""
    return {column.name: xl_col_to_name(place) for place, column in enumerate(columns)}


def known(expression: str, *cells: str) -> str:
    """Returns an expression as a spreadsheet formula, `unknown` if a cell is no number."""
    count = len(cells)
    return f'=IF(COUNT({",".join(cells)})<{count},"{UNKNOWN}",{expression})'


def added(cells: Iterable[str]) -> str:
    """Returns the spreadsheet formula for the sum of any number of cells; `=0` without any.

    Cells whose value is unknown add nothing.
    """
    parts = list(cells)
    groups = [parts[at : at + MOST_ARGUMENTS] for at in range(0, len(parts), MOST_ARGUMENTS)]
    sums = [f"SUM({','.join(group)})" for group in groups]
    return "=" + (sums[0] if len(sums) == 1 else f"SUM({','.join(sums)})") if sums else "=0"
