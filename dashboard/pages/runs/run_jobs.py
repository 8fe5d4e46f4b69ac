"""Renders what ties a run to its machines, how long it waited for them, and its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.links import clusters_address
from dashboard.address.view import View
from dashboard.widgets.attributes import aria, data
from dashboard.widgets.explain import explain, term
from dashboard.wording.explanations import runs as explained
from dashboard.wording.format import day, number
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]
SHOWN = 50
"""How many jobs are listed, the newest ones."""
WAYS = {
    "allocation": (
        "Allocation",
        "A scheduler, a file or the bill's own pods said who held which machine.",
    ),
    "rule": ("Rule", "An entry of [[tag_rules]] in the configuration names the run."),
    "tag": ("Tag", "Its machines bear the run's tag on the bill."),
}


def identified(run: Row) -> Component | str:
    """Renders what ties most of a run's accelerator-hours to it: a tag, a rule or an allocation."""
    way = run["identified_by"]
    return term(*WAYS[way]) if way in WAYS else "no hours on the bill"


def waited(run: Row) -> str:
    """Says how many hours a run's jobs waited for machines, or that this is unknown."""
    hours = run["wait_hours"]
    return UNKNOWN_AMOUNT if hours is None else f"{number(hours, 1)} hours"


def jobs_section(jobs: Sequence[Row]) -> list[Component]:
    """Returns heading and table of a run's scheduler jobs, the newest first; empty without jobs."""
    if not jobs:
        return []
    head = html.Div([html.H3("Jobs"), explain(explained.RUN_JOBS)], className="th")
    titles = ("Job", "Cluster", "Submitted", "Began", "Ended", "Waited, h")
    cells = [
        html.Th(title, scope="col", className="number" if place > 1 else "")
        for place, title in enumerate(titles)
    ]
    body = html.Tbody([_job(row) for row in jobs[:SHOWN]])
    table = html.Table([html.Thead(html.Tr(cells)), body])
    more = f"The newest {SHOWN} of {len(jobs):,} jobs." if len(jobs) > SHOWN else None
    region = html.Div(table, className="wide", tabIndex=0, role="region", **aria(label="Jobs"))
    return [head, region, html.P(more, className="note") if more else html.P(hidden=True)]


def _job(row: Row) -> Component:
    cluster = html.A(
        row["cluster"], href=clusters_address(View(), row["pool"]), **data(go="clusters")
    )
    times = [html.Td(_instant(row[name], none), className="number") for name, none in TIMES]
    wait = UNKNOWN_AMOUNT if row["wait_hours"] is None else number(row["wait_hours"], 1)
    return html.Tr(
        [
            html.Th(html.Bdi(row["job"] or MISSING), scope="row"),
            html.Td(cluster if row["pool"] else row["cluster"]),
            *times,
            html.Td(wait, className="number"),
        ]
    )


TIMES = (("queued_at", UNKNOWN_AMOUNT), ("began", UNKNOWN_AMOUNT), ("ended", "not seen"))
"""Times of a job, and what is said where there is none."""


def _instant(at: datetime | None, none: str) -> str:
    return none if at is None else f"{day(at.date())}, {at:%H:%M}"
