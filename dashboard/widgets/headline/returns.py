"""Renders the return on investment over time with its table, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.charts import returns as drawn
from dashboard.widgets.attributes import data
from dashboard.widgets.card import chart
from dashboard.widgets.explain import explain
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import listing
from dashboard.wording.explanations.savings import RETURN
from dashboard.wording.format import cents, day, month
from dashboard.wording.unknown import MISSING, NOT_MOVED, UNJUDGED, instead_of_curve, shown_status

Row = dict[str, Any]
Rows = Sequence[Row]
SHOWN = {"net": "Net savings", "return": "Return by day", "months": "Return by month"}
"""The measures that the curve of a move can show."""
MOST_MONTHS = 12
NOTE = "0 % is break-even; −100 % means that nothing has come back yet."


def return_by_day(standing: Row, days: Rows, ends: Rows) -> Component:
    """Draws the return of one move by day, above a table of its values at month ends."""
    known = drawn.known(days)
    if not known:
        return _none(standing)
    return _view(drawn.daily_return(days), known, _own_months(ends))


def return_by_month(standing: Row, ends: Rows, workloads: Sequence[str]) -> Component:
    """Draws the returns of some moves at month ends, above a table of them.

    The first of `workloads` is the one that `standing` is about.
    """
    mine = drawn.known([row for row in ends if row["workload"] == workloads[0]])
    if not mine:
        return _none(standing)
    table = _own_months(ends) if len(workloads) == 1 else _every_month(ends, workloads)
    return _view(drawn.monthly_returns(ends, workloads), mine, table)


def _view(figure: Row, known: Rows, table: Component) -> Component:
    note = f"{drawn.shown(known[-1])} on {day(known[-1]['date'])}. {NOTE}"
    head = html.Div([html.H3(drawn.TITLE), explain(RETURN)], className="card-title")
    behind = html.Details(
        [html.Summary("The returns as a table"), table],
        className="more",
        **data(key="returns as a table"),
    )
    return html.Div([head, chart(figure, drawn.summary(known), note), behind])


def _own_months(ends: Rows) -> Component:
    """Builds the table of one move's months, the newest first: balance, invested, return."""
    rows = [
        (
            f"{month(row['date'])}, {day(row['date'])}",
            cents(row["cumulative_net"]),
            cents(row["cumulative_investment"]),
            _share(row),
        )
        for row in reversed(ends)
    ]
    head = ("Month, last settled day", "Saved less invested, $", "Invested so far, $", "Return")
    return listing("Return at each month's end", head, rows)


def _every_month(ends: Rows, workloads: Sequence[str]) -> Component:
    """Builds the table of several moves by month: the last twelve months, the newest first."""
    months = sorted({month(row["date"]): row["date"] for row in ends}.items(), key=lambda m: m[1])
    names = [name for name, _ in reversed(months[-MOST_MONTHS:])]
    at = {(row["workload"], month(row["date"])): row for row in ends}
    rows = [
        (
            drawn.named(workload),
            *(_share(at.get((workload, name), {"roi": None})) for name in names),
        )
        for workload in workloads
    ]
    return listing("Return at each month's end, by workload", ("Workload", *names), rows)


def _share(row: Row) -> str:
    return MISSING if row["roi"] is None else drawn.shown(row)


def _none(standing: Row) -> Component:
    if shown_status(standing) in UNJUDGED:
        return empty(*instead_of_curve(standing), "question")
    if standing.get("status") == "not_started":
        return empty(*NOT_MOVED)
    return empty(
        "The return is unknown",
        "It needs an investment ([[investments]] in the configuration) and a known saving.",
        "question",
    )
