"""Renders one run in a side panel: what it was, what it cost, and its progress by day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.links import workload_path
from dashboard.pages.runs.run_jobs import identified, jobs_section, waited
from dashboard.widgets.attributes import aria, data
from dashboard.widgets.explain import explain
from dashboard.widgets.indicators import hardware_name, parity_mark
from dashboard.wording.dimensions import Dimension
from dashboard.wording.explanations import runs as explained
from dashboard.wording.format import cents, day, number
from dashboard.wording.reasons import reason
from dashboard.wording.statuses import comparability_label
from dashboard.wording.units import Unit, words
from dashboard.wording.unknown import MISSING
from models.contract.units import PER, PRICES

Row = dict[str, Any]
COMPONENTS = ("accelerator", "storage", "network", "other")
DAYS = 120
"""How many days are listed, the newest ones."""


def run_panel(
    run: Row,
    days: Sequence[Row],
    charges: Sequence[Row],
    dims: Mapping[str, Dimension],
    jobs: Sequence[Row] = (),
) -> Component:
    """Builds the side panel of one run: attributes, cost, charges, jobs and progress by day."""
    name = str(run["run"])
    return html.Aside(
        [
            html.Div([html.H2(html.Bdi(name), tabIndex=-1), _close()], className="panel-head"),
            html.Dl([_fact(title, what) for title, what in _facts(run, dims)], className="facts"),
            *_flags(run),
            html.Div([html.H3("What it cost"), explain(explained.RUN_COST)], className="th"),
            _costs(run),
            html.Div([html.H3("What was charged"), explain(explained.RUN_CHARGES)], className="th"),
            _charges(charges),
            *jobs_section(jobs),
            html.H3("Day by day"),
            _days(days, words(run["unit"])),
        ],
        className="drawer",
        **aria(label=f"Run {name}"),
    )


def missing_run(name: str) -> Component:
    """Builds the panel that says that no run has the name in the URL."""
    text = "It may be spelled differently in the tags, or the tags were corrected since."
    title = html.H2(f"No run is called {name}", tabIndex=-1)
    head = html.Div([title, _close()], className="panel-head")
    return html.Aside([head, html.P(text)], className="drawer", **aria(label="No such run"))


def _close() -> Component:
    return html.Button("×", className="close", **aria(label="Close"), **data(action="close-run"))


def _facts(run: Row, dims: Mapping[str, Dimension]) -> list[tuple[str, Component | str]]:
    ended = day(run["ended_at"].date()) if run["ended_at"] else "running"
    workload = str(run["workload"])
    link = html.A(workload, href=workload_path(workload), **data(carry="from to"))
    return [
        ("Workload", link),
        ("Hardware", hardware_name(run["hardware"], f" {run['platform'] or ''}")),
        ("Ran", f"{day(run['started_at'].date()) if run['started_at'] else MISSING} – {ended}"),
        ("Purpose", str(run["purpose"])),
        ("Recipe", str(run["recipe"] or MISSING)),
        *((one.label, one.name(run.get(key))) for key, one in dims.items() if key[:4] == "tag_"),
        ("Final loss", MISSING if run["final_loss"] is None else f"{run['final_loss']:.3f}"),
        ("Quality", parity_mark(run["parity"])),
        ("Work", comparability_label(run["comparability"])),
        ("Identified by", identified(run)),
        ("Waited in the queue", waited(run)),
    ]


def _fact(title: str, what: Component | str) -> Component:
    return html.Div([html.Dt(title), html.Dd(html.Bdi(what))])


def _flags(run: Row) -> list[Component]:
    if not run["flags"]:
        return []
    return [html.Ul([html.Li(reason(flag)) for flag in run["flags"]], className="flags")]


def _costs(run: Row) -> Component:
    parts = [(name.capitalize(), run[f"{name}_cost"]) for name in COMPONENTS]
    rows = [_line(title, cents(value)) for title, value in parts if value]
    unit = words(run["unit"])
    work = [
        (unit.many.capitalize(), number(run["epochs"], 2)),
        (f"Cost {unit.per}, $", cents(run["cost_per_epoch"])),
        *_further_prices(run),
        ("Of the cost: idle, $", cents(run["idle_cost"])),
        (
            f"Of the cost: {number(run['repeated_epochs'], 2)} {unit.many} repeated, $",
            cents(run["repeated_cost"]),
        ),
        ("At list prices, $", cents(run["list_cost"])),
        ("Not settled yet, in addition, $", cents(run["unsettled"])),
        ("Accelerator-hours", number(run["accelerator_hours"], 1)),
    ]
    total = _line("Cost, settled days, $", cents(run["cost"]), "total")
    return html.Table(html.Tbody([*rows, total, *(_line(*each) for each in work)]))


def _further_prices(run: Row) -> list[tuple[str, str]]:
    """Lists label and cost of a run per further unit of work and per accelerator-hour."""
    shown = [
        (f"Cost {PER[unit]}, $", run[name])
        for name, unit in PRICES.items()
        if run["unit"] != unit and run[name] is not None
    ]
    hours = run["accelerator_hours"]
    for title, cost in (("", run["cost"]), (" at list prices", run["list_cost"])):
        shown += [(f"Cost per accelerator-hour{title}, $", cost / hours)] if cost and hours else []
    return [(title, cents(value)) for title, value in shown]


def _line(title: str, value: str, kind: str = "") -> Component:
    cells = [html.Th(title, scope="row"), html.Td(value, className="number")]
    return html.Tr(cells, className=kind)


def _charges(charges: Sequence[Row]) -> Component:
    head = ("For", "Bought", "Accel.-hours", "List, $", "Effective, $", "Billed, $")
    body = [
        html.Tr(
            [
                html.Th(_what(row), scope="row"),
                html.Td(str(row["purchase_option"] or "").replace("_", " ")),
                _number(None if not row["hours"] else number(row["hours"], 1)),
                *(_number(cents(row[name])) for name in ("list", "effective", "billed")),
            ]
        )
        for row in charges
    ]
    sums = [_sum(charges, name) for name in ("list", "effective", "billed")]
    foot = html.Tr([html.Th("Total", scope="row"), html.Td(), html.Td(), *map(_number, sums)])
    return _table(head, body, 2, foot)


def _what(row: Row) -> str:
    kind = str(row["component"]).capitalize()
    share = " (its share)" if row["attribution"] == "shared" else ""
    machine = f" {row['instance_type']}" if row["instance_type"] else ""
    return f"{kind}{machine}{share}, {row['region'] or 'no region'}"


def _sum(charges: Sequence[Row], name: str) -> str:
    known = [row[name] for row in charges]
    return MISSING if None in known else cents(sum(known, Decimal(0)))


def _days(days: Sequence[Row], unit: Unit) -> Component:
    work = unit.many.capitalize()
    head = ("Day", "Cost, $", "Accel.-hours", work, "Repeated", "Loss")
    body = [
        html.Tr(
            [
                html.Th(day(row["date"]), scope="row"),
                _number(cents(row["cost"]) + ("" if row["settled"] is not False else " *")),
                _number(number(row["hours"], 1)),
                _number(number(row["epochs"], 3)),
                _number(number(row["repeated_epochs"], 3)),
                _number(MISSING if row["loss"] is None else f"{row['loss']:.3f}"),
            ]
        )
        for row in reversed(days[-DAYS:])
    ]
    note = "* not settled: not counted yet." if any(r["settled"] is False for r in days) else ""
    if len(days) > DAYS:
        note += f" The newest {DAYS} of {len(days):,} days."
    return html.Div([_table(head, body, 1), html.P(note, className="note")])


def _table(
    head: Sequence[str], body: Sequence[Component], words: int, foot: Component | None = None
) -> Component:
    """Builds an HTML table whose first `words` columns are text and the others numbers."""
    titles = [
        html.Th(title, scope="col", className="number" if place >= words else "")
        for place, title in enumerate(head)
    ]
    parts = [html.Thead(html.Tr(titles)), html.Tbody(body), *([html.Tfoot(foot)] if foot else [])]
    label = aria(label=f"By {head[0].lower()}")
    return html.Div(html.Table(parts), className="wide", tabIndex=0, role="region", **label)


def _number(text: str | None) -> Component:
    return html.Td(text or MISSING, className="number")
