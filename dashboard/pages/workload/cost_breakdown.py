"""Renders where each dollar of the runs went, on GPU and on Trainium."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.explain import term
from dashboard.widgets.indicators import hardware_name
from dashboard.wording.format import cents, count, percent
from dashboard.wording.theme import HARDWARE, hardware
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]

PARTS = {
    "productive": "Productive training",
    "startup": "Start-up, before the first progress",
    "idle": "Idle otherwise",
    "repeated": "Repeated after restarts",
    "validation": "Validation, benchmarks and porting",
    "storage": "Storage",
    "network": "Network",
    "other": "Other",
}
IDLE_MEANING = (
    "Its part of what Trainium machines that jobs share stood idle on the settled days of the "
    "range: overhead of the move, in no run. Idle of GPU machines is in no baseline."
)
COMPONENTS = ("storage", "network", "other")
ZERO = Decimal(0)


def split(rows: Iterable[Row]) -> dict[str, Decimal]:
    """Maps what runs' cost paid for (training, idle, storage …) to dollars; the parts add up.

    Idle and repeated time includes storage and network too. These are therefore shown only with
    their part of the remaining cost, and no dollar is counted twice.
    """
    parts = dict.fromkeys(PARTS, ZERO)
    for row in rows:
        cost = row["cost"] or ZERO
        if row["trial"]:
            parts["validation"] += cost
            continue
        idle, repeated = row["idle"] or ZERO, row["repeated"] or ZERO
        rest = cost - idle - repeated
        side = {name: _part(rest, row[name], cost) for name in COMPONENTS}
        startup = row["startup"] or ZERO
        whole = side | {"startup": startup, "idle": idle - startup, "repeated": repeated}
        for name, value in whole.items():
            parts[name] += value
        parts["productive"] += rest - sum(side.values(), ZERO)
    return parts


def dollars_table(rows: Sequence[Row], cluster_idle: Decimal | None = ZERO) -> Component:
    """Builds the table of what runs' dollars paid for (training, idle, storage …), by hardware.

    Below stands the workload's part of what Trainium pools stood idle, which no run bears; null is
    unknown, and none is left out.
    """
    others = {
        row["hardware"]: None for row in rows if row["cost"] and row["hardware"] not in HARDWARE
    }
    names = [*HARDWARE, *others]
    sides = {name: split(r for r in rows if r["hardware"] == name) for name in names}
    body = [
        html.Tr([html.Th(label, scope="row"), *_cells(part, sides)])
        for part, label in PARTS.items()
        if any(parts[part] for parts in sides.values())
    ]
    totals = [cell for parts in sides.values() for cell in (_money(_total(parts)), html.Td())]
    foot = html.Tfoot(
        [html.Tr([html.Th("All runs", scope="row"), *totals]), *_idle(cluster_idle, names)]
    )
    return html.Table([_head(names), html.Tbody(body), foot], className="dollars")


def unknown_note(rows: Sequence[Row]) -> list[Component]:
    """Returns a note on how many runs have no known cost and so are in no sum; else empty."""
    left = sum(row["unknown"] for row in rows)
    words = f"Left out: {count(left, 'run')} without a known cost."
    return [html.P(words, className="note")] if left else []


def _idle(amount: Decimal | None, names: Sequence[str | None]) -> list[Component]:
    """Builds the table row of idle Trainium pools' cost, without a GPU figure; no row at $0.

    GPU pools have none, because no baseline bears their idle.
    """
    if amount == ZERO:
        return []
    cells = [
        cell
        for name in names
        for cell in (
            _idle_cells(amount) if name == "trainium" else (_money_text(MISSING), html.Td())
        )
    ]
    title = html.Th(term("Cluster idle", IDLE_MEANING), scope="row")
    return [html.Tr([title, *cells], className="beside")]


def _idle_cells(amount: Decimal | None) -> tuple[Component, Component]:
    shown = UNKNOWN_AMOUNT if amount is None else cents(amount)
    return _money_text(shown), html.Td("beside the runs", className="note")


def _head(names: Sequence[str | None]) -> Component:
    groups = [html.Th(hardware_name(name, ", $"), colSpan=2, scope="colgroup") for name in names]
    return html.Thead(html.Tr([html.Td(), *groups]))


def _cells(part: str, sides: dict[str | None, dict[str, Decimal]]) -> list[Component]:
    return [
        cell
        for name, parts in sides.items()
        for cell in (_money(parts[part]), _share(parts[part], _total(parts), hardware(name).css))
    ]


def _share(value: Decimal, total: Decimal, css: str) -> Component:
    share = value / total if total else None
    width = f"{float(share or 0) * 100:.2f}%"
    filled = html.Div(className=f"share {css}", style={"width": width}) if value else None
    bar = html.Div(filled, className="track")
    shown = percent(share, 1) if total else MISSING
    return html.Td(html.Div([html.Span(shown), bar], className="share-cell"))


def _total(parts: dict[str, Decimal]) -> Decimal:
    return sum(parts.values(), ZERO)


def _money(value: Decimal) -> Component:
    return _money_text(cents(value))


def _money_text(text: str) -> Component:
    return html.Td(text, className="number")


def _part(rest: Decimal, component: Decimal | None, cost: Decimal) -> Decimal:
    return rest * (component or ZERO) / cost if cost else ZERO
