"""Renders runs grouped by a dimension: a line per group, which links to its runs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from dash import html
from dash.development.base_component import Component

from dashboard.address.view import View
from dashboard.widgets.attributes import data
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.dimensions import Dimension
from dashboard.wording.format import number, percent
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING

Row = dict[str, Any]
SHOWN = 100
HEAD = (
    "Runs",
    "Cost, $",
    "Share of all",
    "Work",
    "Idle, $",
    "Repeated, $",
    "Unsettled, $",
    "Cost unknown",
)


def run_groups(rows: Sequence[Row], by: Dimension, view: View) -> Component:
    """Renders the first 100 groups of runs as a table, in the order given."""
    whole = sum((row["cost"] or Decimal(0) for row in rows), Decimal(0))
    body = [_group(row, by, view, whole) for row in rows[:SHOWN]]
    more = f"The first {SHOWN} of {len(rows):,}; the CSV has all." if len(rows) > SHOWN else None
    table = listing(f"Runs by {by.label}", (by.label, *HEAD), body)
    return html.Div([table, html.P(more, className="note") if more else None])


def _group(row: Row, by: Dimension, view: View, whole: Decimal) -> list[Cell]:
    name = html.A(by.name(row["value"]), href=_address(row, by, view), **data(go="runs"))
    share = percent(row["cost"] / whole, 1) if row["cost"] is not None and whole else None
    one_unit = row["workloads"] == 1 and row["unit"]
    work = f"{number(row['epochs'], 2)} {words(row['unit']).many}" if one_unit else MISSING
    unknown = number(row["unknown"])
    amounts = (row["idle"], row["repeated"], row["unsettled"])
    return [name, number(row["runs"]), row["cost"], share, work, *amounts, unknown]


def _address(row: Row, by: Dimension, view: View) -> str:
    """Returns the URL of one group's runs: the same filters, plus the group's value."""
    filters = [each for each in view.where if not each.startswith(f"{by.key}=")]
    query = [
        ("from", view.start.isoformat() if view.start else ""),
        ("to", view.end.isoformat() if view.end else ""),
        ("named", view.named),
        ("sort", view.sort or ""),
        *(("columns", each) for each in view.columns),
        *(("where", each) for each in (*filters, f"{by.key}={row['value']}")),
    ]
    return f"/runs?{urlencode([(name, value) for name, value in query if value])}"
