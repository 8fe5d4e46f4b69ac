"""Renders delivered rows unchanged, and how they add up to the number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import dash_ag_grid as dag
from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria
from dashboard.widgets.tables.columns import DEFAULTS, OPTIONS, Column
from dashboard.wording.explanations.explanation import LEFT_OUT, Explanation
from dashboard.wording.format import cents, count, day, number, percent
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]
DOLLARS = ", $"
SHARE = "Recovered"
TITLES = {
    "began": "Began, UTC",
    "usage": "Usage type",
    "purchase_option": "Bought",
    "attribution": "Bucket",
    "list_cost": "List, $",
    "effective_cost": "Effective, $",
    "billed_cost": "Billed, $",
    "observed_at": "Observed, UTC",
    "pulled_at": "Pulled, UTC",
    "usd_per_hour": "$ per hour",
    "sha256": "SHA-256",
}
WIDE = {
    "began": 158,
    "observed_at": 158,
    "pulled_at": 158,
    "usage": 200,
    "description": 220,
    "resource": 220,
    "sha256": 220,
    "offering": 200,
}
UNIT, UNITS_DIFFER = "Unit", "differs by workload and recipe"
AHEAD = ("purchase_option", "attribution", "service", "category")
"""Text columns that are long only at times."""


def how_it_is_made(
    of: Explanation, inputs: Row, snapshot: Row, pulled: datetime | None
) -> Component:
    """Renders how a number on a page is made: formula with inputs, days, basis, exclusions."""
    facts: list[tuple[str, Component | str]] = [
        ("What", of.what),
        ("Formula", of.formula),
        *([("Inputs", _inputs(inputs))] if inputs else []),
        ("Days", of.window),
        ("Basis", of.basis),
        ("Settled", f"Through {day(snapshot['settled_through'])}; as of {day(snapshot['as_of'])}."),
        ("Pulled", f"{day(pulled.date())}, {pulled:%H:%M} UTC." if pulled else "Not known."),
        ("Leaves out", of.leaves_out or LEFT_OUT),
    ]
    rows = [html.Div([html.Dt(name), html.Dd(value)]) for name, value in facts]
    return html.Dl(rows, className="made")


def _inputs(inputs: Row) -> Component:
    each = [html.Div([html.Dt(name), html.Dd(_input_value(name, v))]) for name, v in inputs.items()]
    return html.Dl(each, className="lines inputs")


def _input_value(name: str, value: Decimal | int | str | None) -> str:
    if name == UNIT:
        return words(value).one if isinstance(value, str) else UNITS_DIFFER
    if isinstance(value, str):
        return value
    if value is None:
        return UNKNOWN_AMOUNT
    if name.endswith(DOLLARS):
        return cents(value)
    return percent(value) if name == SHARE else number(value, 0 if isinstance(value, int) else 3)


def reconciliation(sums: Sequence[tuple[str, Decimal | None]], basis: str) -> Component:
    """Builds the table that leads from the sum of delivered rows to the number on the page."""
    rows = [
        html.Tr([html.Th(name, scope="row"), html.Td(cents(value), className="number")])
        for name, value in sums
    ]
    head = html.Tr([html.Th("Sum of all rows", scope="col"), html.Th(f"{basis}, $", scope="col")])
    return html.Table([html.Thead(head), html.Tbody(rows)], className="tie")


def grid(rows: Sequence[Row], label: str) -> Component:
    """Builds a grid of delivered rows; columns that no row fills are left out."""
    filled = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    drawn: Component = dag.AgGrid(
        rowData=[{name: delivered_text(row[name]) for name in filled} for row in rows],
        columnDefs=[_column(name, rows) for name in filled],
        defaultColDef=DEFAULTS | {"flex": None},
        dashGridOptions=OPTIONS | {"rowHeight": 30},
        className="grid source",
        style={"height": f"{min(560, 76 + 30 * len(rows))}px", "width": "100%"},
    )
    return html.Div(drawn, role="region", **aria(label=label))


def count_note(rows: Sequence[Row], every: int, order: str) -> str:
    """Says how many delivered rows there are, how many are shown, and in which order."""
    if len(rows) == every:
        return count(every, "row")
    return f"The first {len(rows):,} of {every:,} rows, {order}."


def delivered_text(value: object) -> object:
    """Formats a value as it was delivered: all digits of a decimal, no midnight of a date."""
    if isinstance(value, Decimal):
        return _digits(value)
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S").removesuffix(" 00:00:00")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, int | float) or value is None else str(value)


def _digits(value: Decimal) -> str:
    whole, _, part = f"{value:f}".partition(".")
    return f"{whole}.{part.rstrip('0'):0<2}" if part else whole


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> Column:
    title = TITLES.get(name, name.replace("_", " ").capitalize())
    numeric = any(isinstance(row[name], Decimal | int | float) for row in rows)
    width = WIDE.get(name, 112 if numeric or name in AHEAD else 150)
    found: Column = {"field": name, "headerName": title, "width": width, "tooltipField": name}
    if numeric and not any(isinstance(row[name], bool) for row in rows):
        value = f"params.data['{name}'] == null ? null : Number(params.data['{name}'])"
        shown = f"params.data['{name}'] ?? '{MISSING}'"
        found |= {
            "type": "rightAligned",
            "filter": False,
            "valueGetter": {"function": value},
            "valueFormatter": {"function": shown},
        }
    return found
