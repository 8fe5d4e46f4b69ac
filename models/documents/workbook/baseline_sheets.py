"""Adds the GPU baselines as sheets: formulas from each run and hour to the value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from models.contract.units import EPOCH, one
from models.documents.paper import Paper
from models.documents.workbook.book import FIRST, Book, Column, Row, known, letters
from models.records.statement import whole_name

RUNS, HOURS = "Baseline runs", "Baseline hours"
COUNTED = {True: "whole", False: "failed early: its dollars count"}


class Span(NamedTuple):
    """Where one GPU baseline's rows are in a workbook: sheet, first and last row (from 1)."""

    sheet: str
    first: int
    last: int

    def of(self, letter: str) -> str:
        """Returns a cell range such as `'Runs'!B5:B9`: one column of a GPU baseline's rows."""
        return f"'{self.sheet}'!{letter}{self.first}:{letter}{self.last}"

    @property
    def rows(self) -> int:
        """Returns how many rows a GPU baseline has on its sheet of the workbook."""
        return self.last - self.first + 1


def baseline_sheets(book: Book, paper: Paper, note: str) -> None:
    """Adds three workbook sheets: GPU cost per unit, the runs behind it, and their hours."""
    tables = paper.statement.tables
    values, runs, hours = (
        [row | _named(row) for row in tables.get(name, [])]
        for name in ("baselines", "baseline_runs", "baseline_hours")
    )
    spans = _spans(RUNS, runs), _spans(HOURS, hours)
    columns = _baselines(*spans, values)
    counted = [row | {"counted": COUNTED[row["qualifies"]]} for row in runs]
    for name, title, of, rows in (
        ("Baselines", "What a unit of work costs on GPU", columns, values),
        (RUNS, "The GPU runs behind each baseline", _RUNS, counted),
        (HOURS, "Their hours at the price of the day", _HOURS, [_per(row) for row in hours]),
    ):
        sheet = book.sheet(name, frozen=(FIRST - 1, 1))
        book.head(sheet, f"{title}, {paper.statement.month}", note)
        book.table(sheet, FIRST - 2, of, rows)
        sheet.print_area(0, 0, FIRST - 2 + len(rows), len(of) - 1)


def _spans(sheet: str, rows: Sequence[Row]) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for n, row in enumerate(rows, FIRST):
        first = found.get(row["workload"], Span(sheet, n, n)).first
        found[row["workload"]] = Span(sheet, first, n)
    return found


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a GPU baseline's name and unit, such as `epoch`, as cells of its row."""
    return {"workload": whole_name(row), "for": one(row.get("unit") or EPOCH)}


def _per(row: Row) -> Row:
    """Returns a row of GPU hours plus hours per epoch, and cost paid ÷ cost at the price then."""
    hours, epochs = row["instance_hours"], row["epochs"]
    paid, whole = row["effective_cost"], row["reference_cost"]
    return {
        **row,
        "hours_per_epoch": hours / epochs if hours is not None and epochs else None,
        "factor": paid / whole if paid is not None and whole else None,
    }


def _share(part: str, whole: str) -> str:
    return f'=IF(COUNT({part},{whole})<2,"unknown",IF({whole}=0,"unknown",{part}/{whole}))'


_RUNS = [
    Column("workload", "Workload", "text", width=40),
    Column("lineage", "GPU run", "text", width=24),
    Column("ended_on", "Ended on", "date"),
    Column("counted", "Counts as", "text", width=28),
    Column("epochs", "Work", "number"),
    Column("cost", "Cost"),
]
_HOURS = [
    Column("workload", "Workload", "text", width=40),
    Column("instance_type", "Instance type", "text", width=16),
    Column("region", "Region", "text"),
    Column("purchase_option", "Bought", "text"),
    Column("instance_hours", "Instance-hours", "number"),
    Column("epochs", "Work of the runs", "number"),
    Column("hours_per_epoch", "Hours per unit", "number", lambda n: _share(f"E{n}", f"F{n}")),
    Column("effective_cost", "Paid"),
    Column("reference_cost", "At the price then"),
    Column("factor", "Paid of the price", "number", lambda n: _share(f"H{n}", f"I{n}")),
    Column("price", "Price of the day", "price"),
    Column("payer_factor", "The payer's, if lower", "number"),
    Column(
        "repriced",
        "Repriced, per unit",
        formula=lambda n: known(f"G{n}*K{n}*MIN(J{n},L{n})", f"G{n}", f"K{n}", f"J{n}"),
    ),
    Column("other_per_epoch", "Storage and the like, per unit"),
]


_RUN, _HOUR = letters(_RUNS), letters(_HOURS)
"""Column name → its letter, on the sheets of runs and of hours."""


def _baselines(
    runs: Mapping[str, Span], hours: Mapping[str, Span], rows: Sequence[Row]
) -> list[Column]:
    """Lists the columns of the workbook sheet of GPU baselines, with their formulas."""
    workloads = dict(enumerate((row["workload"] for row in rows), FIRST))
    methods = dict(enumerate((row["method"] for row in rows), FIRST))
    return [
        Column("workload", "Workload", "text", width=40),
        Column("date", "On", "date"),
        Column("method", "Method", "text"),
        Column("measured", "Measured", formula=lambda n: _measured(runs.get(workloads[n]))),
        Column("repriced", "Repriced", formula=lambda n: _repriced(hours.get(workloads[n]))),
        Column("fixed", "Quoted", "quote"),
        Column("value", "GPU baseline", formula=lambda n: _value(methods[n], n)),
        Column("for", "For", "text", width=18),
        Column("runs", "GPU runs", "number", width=9),
        Column("reason", "Why", "long", width=70),
    ]


def _measured(runs: Span | None) -> str | None:
    """Returns the formula of a measured baseline: cost ÷ work of its runs; None without runs."""
    if runs is None:
        return None
    cost, epochs = runs.of(_RUN["cost"]), runs.of(_RUN["epochs"])
    return f'=IF(COUNT({cost})<{runs.rows},"unknown",SUM({cost})/SUM({epochs}))'


def _repriced(hours: Span | None) -> str | None:
    """Returns the formula of a repriced baseline: sum over its hours plus other; or None."""
    if hours is None:
        return None
    parts = hours.of(_HOUR["repriced"])
    other = f"'{hours.sheet}'!{_HOUR['other_per_epoch']}{hours.first}"
    short = f"COUNT({parts},{other})<{hours.rows + 1}"
    return f'=IF({short},"unknown",SUM({parts})+{other})'


def _value(method: str | None, n: int) -> str | None:
    """Returns the formula that picks a row's baseline: measured, repriced, lower or quoted."""
    return {
        "conservative": f'=IF(COUNT(D{n})<1,"unknown",MIN(D{n}:E{n}))',
        "measured": f"=D{n}",
        "repriced": f"=E{n}",
        "fixed": f"=F{n}",
    }.get(method or "")
