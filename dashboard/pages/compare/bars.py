"""Draws the compared groups as bars of cost per unit of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.pages.compare.cost_per_epoch import by_unit, per_epoch, several_units
from dashboard.snapshot.runs.compared_runs import Axes
from dashboard.widgets.card import with_downloads
from dashboard.wording.dimensions import Dimension
from dashboard.wording.format import cents, count, number
from dashboard.wording.theme import HARDWARE, hardware
from dashboard.wording.units import Unit, words

Row = dict[str, Any]
Places = Mapping[str | None, int]
ROWS = 20
PARTS = 6
"""How many groups, and parts of a group, are drawn, the most expensive first; the grid has all."""
UNKNOWN_COST = "unknown cost"


def bars(rows: Sequence[Row], of: Axes, unit: Unit) -> Component:
    """Draws HTML bars of cost per unit: the 20 groups that cost most, each with up to 6 parts.

    Bars of one unit of work share a scale; those of another have a heading and their own.
    """
    grouped = _by_name(rows)
    order = sorted(grouped, key=lambda name: -_cost(grouped[name]))
    drawn = [row for name in order[:ROWS] for row in grouped[name]]
    most = max((len(parts) for parts in grouped.values()), default=0)
    places = {value: place for place, value in enumerate(dict.fromkeys(r["then"] for r in rows))}
    units = by_unit(drawn)
    body: list[Component] = []
    for name, of_unit in units.items():
        title = f"Cost {words(name).per}" if name else "Several units of work"
        body += [html.H3(title, className="bars-unit")] if len(units) > 1 else []
        body += _on_one_scale(of, of_unit, places, words(name))
    text = f"Cost {unit.per} by {' and '.join(one.label for one in of.each)}."
    note = _note(of, len(grouped), most, unit, len(units))
    return with_downloads(html.Div(body, className="bars"), text, note)


def _on_one_scale(of: Axes, rows: Sequence[Row], places: Places, unit: Unit) -> list[Component]:
    top = max((rate for row in rows if (rate := per_epoch(row))), default=Decimal(1))
    return [_group(of, name, parts, top, places, unit) for name, parts in _by_name(rows).items()]


def _by_name(rows: Sequence[Row]) -> dict[str | None, list[Row]]:
    grouped: dict[str | None, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["by"], []).append(row)
    return grouped


def _cost(rows: Sequence[Row]) -> Decimal:
    return sum((row["cost"] or Decimal(0) for row in rows), Decimal(0))


def _note(of: Axes, groups: int, parts: int, unit: Unit, units: int) -> str:
    text = f"Width: cost {unit.per}{', each unit on its own scale' if units > 1 else ''}."
    text += " Hatched: GPU." if of.has("hardware") else ""
    if groups > ROWS:
        text += f" Only the {ROWS} of {groups:,} groups that cost most; the grid has all."
    if parts > PARTS:
        text += f" Only the {PARTS} parts of each that cost most."
    return text


def _group(
    of: Axes, name: str | None, parts: Sequence[Row], top: Decimal, places: Places, unit: Unit
) -> Component:
    lines = [_line(of, row, places[row["then"]], top, unit) for row in parts[:PARTS]]
    title = of.by.name(name)
    return html.Div([html.Div(html.Bdi(title), className="bars-name", title=title), *lines])


def _line(of: Axes, row: Row, place: int, top: Decimal, unit: Unit) -> Component:
    rate = per_epoch(row)
    share = float(rate / top * 100) if rate else 0
    work = f"{number(row['epochs'], 2)} {unit.many}"
    cost = UNKNOWN_COST if row["cost"] is None else f"${cents(row['cost'])}"
    text = f"{count(row['runs'], 'run')}: {cost} ÷ {work}"
    shown = f"${cents(rate)}" if rate is not None else _why_no_rate(row)
    style = {"width": f"max(2px, {share:.2f}%)"}
    name = of.then.name(row["then"]) if of.then else ""
    return html.Div(
        [
            html.Span(html.Bdi(name), className="bars-part", title=name),
            html.Div(html.Div(className=f"share {_look(of, row, place)}", style=style)),
            html.Span(shown, className="bars-amount"),
        ],
        className="bars-line",
        title=text,
    )


def _why_no_rate(row: Row) -> str:
    if several_units(row):
        return "several units"
    return UNKNOWN_COST if row["cost"] is None else "no progress yet"


def _look(of: Axes, row: Row, place: int) -> str:
    """Returns a bar's CSS class: its hardware's if hardware is compared, else a numbered one."""
    for one, value in ((of.then, row["then"]), (of.by, row["by"])):
        if isinstance(one, Dimension) and one.key == "hardware" and value in HARDWARE:
            return hardware(value).css
    return f"part-{place % PARTS}"
