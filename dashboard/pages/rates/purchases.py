"""Renders how accelerator-hours were bought, which blocks are on offer, and where types are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import day, month_name, number, percent, plain
from dashboard.wording.unknown import UNKNOWN_AMOUNT

Row = dict[str, Any]
KINDS = {
    "committed": "Committed",
    "spot": "Spot",
    "capacity_block": "Capacity Blocks",
    "on_demand": "On demand",
}
MONTHS = 24
OFFERS = 50
ASK = "Add the source “capacity” to the configuration; its requests are free."


def coverage_table(rows: Sequence[Row], whole: bool = True) -> Component:
    """Builds the table by month of how accelerator-hours were bought.

    For a reader of the `whole` company with idle commitments, which are its own.
    """
    if not any(row["hours"] or row["idle"] != 0 for row in rows):
        return empty("No accelerator-hour in this range", "Choose another range.")
    used = [name for name in KINDS if any(row[name] for row in rows)]
    head = ["Month", "How they were bought", "Accel.-hours", *(KINDS[n] for n in used)]
    body: list[list[Cell]] = [
        [
            month_name(row["month"]),
            _bar(row, used),
            number(row["hours"]),
            *(percent(_share(row, name), 1) for name in used),
            *(_idle(row) if whole else ()),
        ]
        for row in rows[:MONTHS]
    ]
    head += ["Idle commitment, $"] if whole else []
    table = listing("How hours were bought", head, body, words=2)
    keys = [html.Span([html.I(className=f"key {name}"), KINDS[name]]) for name in used]
    more = f"The newest {MONTHS} of {len(rows):,} months." if len(rows) > MONTHS else None
    return html.Div([table, html.P(keys, className="note keys"), more and html.P(more)])


def _idle(row: Row) -> list[Cell]:
    return [UNKNOWN_AMOUNT if row["idle"] is None else row["idle"]]


def offers_table(rows: Sequence[Row]) -> Component:
    """Builds the table of Capacity Blocks on offer, the cheapest hour first."""
    if not rows:
        return empty("No Capacity Block was on offer", ASK)
    head = (
        "Type",
        "Zone",
        "Starts",
        "Instances",
        "Hours",
        "Fee, $",
        "$ per instance-hour",
        "Reported on",
    )
    body: list[list[Cell]] = [
        [
            str(row["instance_type"]),
            row["zone"] or row["region"],
            day(row["start"].date()) if row["start"] else None,
            number(row["instances"]),
            number(row["hours"]),
            row["fee"],
            row["usd_per_hour"],
            day(row["observed_on"]),
        ]
        for row in rows[:OFFERS]
    ]
    more = f"The {OFFERS} cheapest of {len(rows):,}." if len(rows) > OFFERS else ""
    return html.Div([listing("Capacity Blocks on offer", head, body, 3), html.P(more)])


def offered_table(rows: Sequence[Row]) -> Component:
    """Builds a table of instance types by region; a cell holds the number of zones."""
    if not rows:
        return empty("Where types are offered is not known", ASK)
    regions = sorted({row["region"] for row in rows})
    zones = {(row["instance_type"], row["region"]): row["zones"] for row in rows}
    types = list(dict.fromkeys(row["instance_type"] for row in rows))
    body = [[kind, *(_zones(zones.get((kind, region))) for region in regions)] for kind in types]
    observed = max(row["observed_on"] for row in rows)
    note = html.P(f"Zones that have the type; as of {day(observed)}.", className="note")
    return html.Div([listing("Where each type is offered", ["Type", *regions], body), note])


def _zones(found: int | None) -> str:
    return plain(Decimal(found)) if found else "not offered"


def _share(row: Row, name: str) -> Decimal | None:
    return row[name] / row["hours"] if row["hours"] else None


def _bar(row: Row, used: Sequence[str]) -> Component:
    parts = [(name, _share(row, name) or Decimal(0)) for name in used]
    text = ", ".join(f"{KINDS[name]} {percent(share, 1)}" for name, share in parts if share)
    slices = [
        html.I(className=f"key {name}", style={"width": f"{float(share) * 100:.2f}%"})
        for name, share in parts
        if share
    ]
    return html.Div(slices, className="mix", role="img", **aria(label=text or "no hours"))
