"""Builds the tables of a month's statement: workloads, sums to date, tie-out, adjustments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import status_pill
from dashboard.widgets.serialisation import element
from dashboard.wording.format import cents, column_title, count, month_name, number, percent
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT, shown_status
from models.contract.bill_totals import compared_with
from models.contract.rules.credited_result_note import credited_result
from models.contract.schema import PORTFOLIO
from models.contract.units import EPOCH
from models.documents.no_workload import NO_WORKLOAD, of_no_workload
from models.documents.wording import plain_cause
from models.records.columns import in_buckets
from models.records.statement import Statement, uncompared

Row = Mapping[str, Any]
FIGURES = {
    "trn_cost": "Trainium cost, $",
    "trn_epochs": "Epochs",
    "trn_cost_per_epoch": "$ per epoch",
    "baseline_value": "GPU baseline, $",
    "counterfactual": "On GPU, $",
    "uncompared_cost": "Not compared, $",
    "gross_saving": "Gross saving, $",
    "overhead": "Overhead, $",
    "net_saving": "Net saving, $",
    "saving_at_old_volume": "Gross at old volume, $",
    "investment": "Investment, $",
    "adjustments": "Adjustments, $",
    "cumulative_net": "Cumulative, $",
    "roi": "Return",
}
TO_DATE = {
    "counterfactual": "On GPU, $",
    "trn_cost": "Trainium cost, $",
    "uncompared_cost": "Not compared, $",
    "net_saving": "Net saving, $",
    "saving_at_old_volume": "Gross at old volume, $",
    "investment": "Investment, $",
    "adjustments": "Adjustments, $",
    "credits": "Credits, $",
}
TIED = {
    "bill_total": "The bill, $",
    "block_spread": "Capacity Blocks, $",
    "held": "In buckets, $",
    "remainder": "Remainder, $",
    "bridge": "Bridge, $",
}
OF_WORKLOADS = ("trn_epochs", "trn_cost_per_epoch", "baseline_value", "roi")
"""Figures of workloads that what belongs to none of them does not have."""
BY = {"edition": "the method", "inputs": "its inputs"}
MOST = 300
"""How many adjusted figures are sent to the browser."""


def summary(statement: Statement, waiting: Mapping[str, int] | None = None) -> Component:
    """Builds the statement's table of workloads with figures and status; the portfolio is last.

    What the portfolio has beyond its workloads is a row before it, so that the rows add up to it.
    A row of whose month `waiting` days are not counted yet is marked as incomplete.
    """
    days = waiting or {}
    unit = words(statement.unit)
    rows = [row | {"mixed": statement.unit is None} for row in statement.tables["summary"]]
    titles = {"trn_epochs": unit.many.capitalize(), "trn_cost_per_epoch": unit.price}
    head = ["Workload", *(FIGURES | titles).values()]
    body = [
        [_standing(row, days.get(row["workload"], 0)), *(_figure(name, row) for name in FIGURES)]
        for row in rows
    ]
    return table(head, [*body[:-1], *_of_no_workload(statement), *body[-1:]], "summary")


def _of_no_workload(statement: Statement) -> list[list[Any]]:
    """Returns the row of a month's amounts of no workload, such as shared upkeep; or no row."""
    row = of_no_workload(statement)
    shown = [name for name in FIGURES if name not in OF_WORKLOADS]
    figures = [money(row[name]) if name in shown else MISSING for name in FIGURES] if row else []
    return [[NO_WORKLOAD, *figures]] if row else []


def _standing(row: Row, waiting: int) -> Any:  # noqa: ANN401 - a node of HTML
    name = "Portfolio" if row["workload"] == PORTFOLIO else row["workload"]
    parts = [element("Div", element("Bdi", name)), status_pill(shown_status(row))]
    if waiting:
        parts.append(html.Span("Incomplete", className="pill warn"))
        parts.append(element("Div", f"{count(waiting, 'day')} not counted yet", className="note"))
    if work := credited_result(row["baseline_reason"]):
        heading = f"On GPU counts results, {work} each"
        parts.append(element("Div", heading, className="note"))
    return element("Div", parts)


def to_date(rows: Sequence[Row], facts: Mapping[str, str | None]) -> Component:
    """Builds the table of the portfolio's sums since the fiscal quarter and year began."""
    called = {"quarter": facts["fiscal_quarter"], "year": facts["fiscal_year"]}
    body = [
        [
            f"{called[row['period']]} since {month_name(row['since'])}",
            *(money(_flow(name, row)) for name in TO_DATE),
        ]
        for row in rows
        if row["workload"] == PORTFOLIO
    ]
    return table(["Portfolio", *TO_DATE.values()], body)


def _flow(name: str, row: Row) -> Decimal | None:
    """Returns an amount of a statement's row; Trainium cost not compared is computed if missing."""
    return uncompared(dict(row)) if name == "uncompared_cost" else row[name]


def tie_out(rows: Sequence[Row]) -> Component:
    """Builds the tie-out table: the bill against its cost buckets, per account and cost basis."""
    body = []
    for row in rows:
        held = {**row, "held": in_buckets(row)}
        source = compared_with(row["total_source"])
        figures = [money(held[name]) for name in TIED]
        body.append([row["account"] or "no account", row["basis"], *figures, source])
    return table(["Account", "Basis", *TIED.values(), "Source of the total"], body, texts=(0, 1, 7))


def adjustments(rows: Sequence[Row]) -> Component:
    """Builds tables of the figures of closed months that have changed since, with their causes."""
    every = html.Details(
        [html.Summary(_figures_count(len(rows))), _moved(rows[:MOST])],
        className="more",
        **data(key="all adjustments"),
    )
    return html.Div([_moved([row for row in rows if _leads(row)][:MOST]), every])


def _figures_count(count: int) -> str:
    more = f"The first {MOST} of {count:,} figures: the workbook has all"
    return more if count > MOST else f"All {count} figures"


def _leads(row: Row) -> bool:
    if row["kind"] == "workload":
        return row["measure"] in ("net_saving", "investment")
    return bool((row["measure"], row["basis"]) == ("bill_total", "billed"))


def _moved(rows: Sequence[Row]) -> Component:
    body = [
        [
            f"{month_name(row['month'])}, version {row['version']}",
            row["workload"] or f"{row['account'] or 'no account'} {row['basis']}",
            row["measure"].replace("_", " "),
            BY.get(row["changed_by"], MISSING),
            *(money(row[name]) for name in ("closed", "adjusted_before", "now", "amount")),
            _cause(row, before),
        ]
        for before, row in zip([None, *rows], rows, strict=False)
    ]
    head = ["Closed month", "Whose", "Figure", "Changed by", "As closed, $", "Adjusted before, $"]
    return table([*head, "As known now, $", "Adjustment, $", "Cause"], body, texts=(0, 1, 2, 3, 8))


def _cause(row: Row, before: Row | None) -> Component:
    """Says why a figure of a closed month changed; once, where the row above has the same cause."""
    again = before and (before["month"], before["cause"]) == (row["month"], row["cause"])
    return html.Span("the same" if again else plain_cause(row["cause"]), className="cause")


def table(
    head: Sequence[str],
    body: Sequence[Sequence[Any]],
    name: str = "",
    texts: tuple[int, ...] = (0,),
) -> Component:
    """Builds an HTML table in which every column but those in `texts` holds numbers."""
    marks = ["" if place in texts else "number" for place in range(len(head))]
    titles = map(column_title, head)
    heads = [html.Th(text, className=mark) for text, mark in zip(titles, marks, strict=True)]
    rows = [
        element(
            "Tr",
            [element("Td", cell, className=mark) for cell, mark in zip(line, marks, strict=True)],
        )
        for line in body
    ]
    made = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className=f"paper {name}")
    return html.Div(made, className="scrolls", tabIndex=0)


def _figure(name: str, row: Row) -> str:
    if name.endswith("per_epoch") and not row[f"{name[:3]}_epochs"]:
        return MISSING
    if name == "baseline_value" and row["workload"] == PORTFOLIO:
        return MISSING
    if name == "roi":
        return MISSING if row["roi"] is None else percent(row["roi"], 1)
    unit = words(row["unit"] or EPOCH)
    if name.endswith("epochs"):
        return number(row[name], 2) + (f" {unit.many}" if row["mixed"] and row[name] else "")
    priced = name.endswith("per_epoch") or name == "baseline_value"
    return money(_flow(name, row)) + (f" {unit.per}" if row["mixed"] and priced else "")


def money(value: Decimal | None) -> str:
    """Formats dollars to the cent; unknown ones as such."""
    return UNKNOWN_AMOUNT if value is None else cents(value)
