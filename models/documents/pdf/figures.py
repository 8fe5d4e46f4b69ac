"""Builds the PDF's figures of the month: main figures, workloads, periods to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from models.contract.decimal_text import dollars
from models.contract.schema import PORTFOLIO
from models.contract.units import EPOCH, plural
from models.documents.no_workload import NO_WORKLOAD, of_no_workload
from models.documents.paper import Paper
from models.documents.spreadsheet_text import plain
from models.documents.wording import nothing_invested, number, percent
from models.records.statement import Row, Statement, uncompared

MOST = 12
FEW = 6
"""Rows of a table on the first page and on the second; the workbook has them all."""
SEVERAL = "several"
"""Stands for the unit of a portfolio whose workloads count different ones: its work has no sum."""


def tiles(whole: Row) -> list[list[str]]:
    """Returns label and text of the PDF's six main figures: savings, cumulative net, return, …."""
    return [
        ["Net saving", dollars(whole["net_saving"])],
        ["Gross, at list", dollars(whole["saving_at_list"])],
        ["Gross, old volume", dollars(whole["saving_at_old_volume"])],
        ["Adjustments", dollars(whole["adjustments"])],
        ["Cumulative net", dollars(whole["cumulative_net"])],
        ["Return so far", _return_so_far(whole)],
    ]


def _return_so_far(whole: Row) -> str:
    """Returns the return on investment as text: `none` where nothing was invested."""
    return "none" if nothing_invested(whole) else percent(whole["roi"])


FIGURES = {
    "Trainium cost": "trn_cost",
    "Epochs": "trn_epochs",
    "Per epoch": "trn_cost_per_epoch",
    "GPU baseline": "baseline_value",
    "On GPU": "counterfactual",
    "Gross saving": "gross_saving",
    "Overhead": "overhead",
    "Net saving": "net_saving",
    "Cumulative": "cumulative_net",
}
BESIDES = {
    "GPU cost": "gpu_cost",
    "Epochs": "gpu_epochs",
    "Per epoch": "gpu_cost_per_epoch",
    "At list": "saving_at_list",
    "Old volume": "saving_at_old_volume",
    "Invested": "investment",
    "Adjusted": "adjustments",
    "Return": "roi",
    "Credits": "credits",
    "Status": "status",
    "Parity": "parity",
}
OF_WORKLOADS = (
    "trn_epochs", "trn_cost_per_epoch", "gpu_epochs", "gpu_cost_per_epoch", "baseline_value",
    "saving_at_list", "roi", "status", "parity",
)  # fmt: skip
"""What belongs to no workload has no such figure."""


def workload_table(statement: Statement, columns: Mapping[str, str]) -> dict[str, Any]:
    """Builds the PDF's table of the portfolio and the 12 workloads with most saving or loss.

    What the portfolio has of no workload is a row before it.
    """
    summary = statement.tables["summary"]
    mixed = statement.unit != EPOCH
    rows = [row | {"mixed": mixed} for row in summary]
    mine = [row for row in rows if row["workload"] != PORTFOLIO]
    mine.sort(key=lambda row: (-abs(row["net_saving"] or 0), row["workload"]))
    (whole,) = (row for row in rows if row["workload"] == PORTFOLIO)
    return {
        "columns": ["Workload", *_unit(mixed, "Unit"), *(_heading(n, mixed) for n in columns)],
        "rows": [
            *(_figures(row["workload"], row, columns) for row in mine[:MOST]),
            *_beyond(statement, columns, mixed=mixed),
        ],
        "total": _figures("Portfolio", whole, columns),
        "more": more_rows(mine),
    }


def _beyond(statement: Statement, columns: Mapping[str, str], *, mixed: bool) -> list[list[str]]:
    """Returns the PDF row of the portfolio less its workloads; [] if there are no such dollars."""
    row = of_no_workload(statement)
    if row is None:
        return []
    figures = ["" if name in OF_WORKLOADS else dollars(row[name]) for name in columns.values()]
    return [[NO_WORKLOAD, *_unit(mixed, ""), *figures]]


def _heading(name: str, mixed: bool) -> str:
    """Returns a column title, with `Work` for `Epochs` where workloads count different units."""
    return {"Epochs": "Work", "Per epoch": "Per unit"}.get(name, name) if mixed else name


def _figures(name: str, row: Row, columns: Mapping[str, str]) -> list[str]:
    unit = plural(row["unit"]) if row["unit"] else SEVERAL
    figures = (_figure(column, row) for column in columns.values())
    return [plain(name), *_unit(row["mixed"], unit), *figures]


def _unit(mixed: bool, text: str) -> list[str]:
    """Returns a list with the unit's cell; [] where all workloads count epochs."""
    return [text] if mixed else []


def _figure(column: str, row: Row) -> str:
    value = row[column]
    side = column[:3]
    if column.endswith("per_epoch") and row[f"{side}_epochs"] == 0:
        return f"no {plural(EPOCH)}" if not row["mixed"] else "no work"
    if column.endswith(("epochs", "per_epoch")) and row["mixed"] and not row["unit"]:
        return ""
    if column == "baseline_value" and row["workload"] == PORTFOLIO:
        return ""
    if column == "roi":
        return "" if value is None else percent(value)
    if column in ("status", "parity"):
        return plain((value or "").replace("_", " "))
    return number(value) if column.endswith("epochs") else dollars(value)


def more_rows(rows: Sequence[object], most: int = MOST) -> str:
    """Returns the note on how many rows a table of the PDF leaves out; empty if none."""
    return f"And {len(rows) - most} more: the workbook has every row." if len(rows) > most else ""


def _of_period(row: Row, column: str) -> Decimal | None:
    return uncompared(row) if column == "uncompared_cost" else row[column]


def period_table(paper: Paper) -> dict[str, Any]:
    """Builds the PDF's table of the portfolio's month, fiscal quarter and fiscal year to date."""
    names = {
        "Trainium cost": "trn_cost",
        "On GPU": "counterfactual",
        "Not compared": "uncompared_cost",
        "Overhead": "overhead",
        "Net saving": "net_saving",
        "Investment": "investment",
        "Adjustments": "adjustments",
        "Credits": "credits",
    }
    facts = paper.statement.facts
    called = {"quarter": facts["fiscal_quarter"], "year": facts["fiscal_year"]}
    rows = [
        [
            f"{called[row['period']]} since {row['since']}",
            *(dollars(_of_period(row, column)) for column in names.values()),
        ]
        for row in paper.statement.tables["to_date"]
        if row["workload"] == PORTFOLIO
    ]
    month = paper.statement.row(PORTFOLIO)
    rows.insert(
        0, [paper.statement.month, *(dollars(_of_period(month, c)) for c in names.values())]
    )
    return {"columns": ["Portfolio", *names], "rows": rows}
