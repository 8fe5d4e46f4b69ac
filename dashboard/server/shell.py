"""Builds the frame around every page: header, navigation, and the poll for a new snapshot."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import dash
from dash import (
    ClientsideFunction,
    Input,
    Output,
    State,
    clientside_callback,
    dcc,
    html,
    no_update,
)
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.server.stale_feeds import gone_notice, stale_notices
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from dashboard.widgets.attributes import aria, data
from dashboard.widgets.explain import term
from dashboard.widgets.serialisation import callback
from dashboard.wording.format import day
from models.access.acting import current_person
from models.contract.errors import StorageError
from models.raw.pulls.feed_states import present

POLL_SECONDS = 15


def shell() -> Component:
    """Builds the Dash layout of the frame around every page: header, notices, page, footer."""
    snapshot = _current()
    return html.Div(
        [
            html.A("Skip to content", href="#content", className="skip"),
            _header(snapshot),
            *_notice(data_context().notice),
            html.Aside(
                _stale(snapshot), id=ids.STALE, className="feeds", **aria(label="Stale sources")
            ),
            html.Main(dash.page_container, id="content", tabIndex=-1),
            _footer(),
            dcc.Store(id=ids.SNAPSHOT, data=snapshot["snapshot_id"] if snapshot else None),
            dcc.Interval(id=ids.POLL, interval=POLL_SECONDS * 1000),
        ],
        className="shell",
    )


clientside_callback(
    ClientsideFunction("breakeven", "remember"),
    Input(ids.ANY_CHOICE, "value"),
    Input(ids.ANY_RANGE, "start_date"),
    Input(ids.ANY_RANGE, "end_date"),
    Input(ids.ANY_MANY, "value"),
    prevent_initial_call=True,
)

clientside_callback(
    ClientsideFunction("breakeven", "tell"),
    Output(ids.ANY_NEW_SNAPSHOT, "data"),
    Input(ids.SNAPSHOT, "data"),
    prevent_initial_call=True,
)


@callback(
    Output(ids.SNAPSHOT, "data"),
    Output(ids.FRESHNESS, "children"),
    Output(ids.STALE, "children"),
    Input(ids.POLL, "n_intervals"),
    State(ids.SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def watch(_ticks: int | None, known: str | None) -> tuple[Any, Any, Any]:
    """Notifies the open page of another published snapshot, and refreshes its notices.

    Where no snapshot can be found any more, for example during a rebuild from nothing, the page
    stays as it is and a notice says so.
    """
    found = _current()
    current = found["snapshot_id"] if found else known
    update = (no_update, no_update) if current == known else (current, freshness(found))
    return (*update, [*([gone_notice()] if known and not found else []), *_stale(current)])


def freshness(snapshot: dict[str, Any] | None) -> list[Component | str]:
    """Builds the header's words: through which day costs are settled, and the last pull's time."""
    if snapshot is None:
        return ["Nothing published yet"]
    through = day(snapshot["settled_through"])
    meaning = (
        "The bill of every day up to this one is complete. "
        f"Snapshot {snapshot['snapshot_id']}, as of {day(snapshot['as_of'])}."
    )
    pulled = (published.pulled_at() or {}).get("last_success")
    when = f", pulled {day(pulled.date())}, {pulled:%H:%M} UTC" if pulled else ""
    return [
        term("Settled", meaning),
        html.Span(f" through {through}", **_standing(snapshot)),
        html.Span(when, className="pulled"),
    ]


def _standing(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Returns HTML attributes with a snapshot's dates and basis, for copied text and pictures."""
    if snapshot["settled_through"] is None:
        return {}
    return data(
        day=snapshot["as_of"].isoformat(),
        settled=day(snapshot["settled_through"]),
        basis=str(snapshot["basis"]).capitalize(),
        **{"as-of": day(snapshot["as_of"])},
    )


def _current() -> dict[str, Any] | None:
    """Reads the published snapshot; None where there is none or it cannot be read."""
    with suppress(StorageError):
        return published.snapshot()
    return None


def _header(snapshot: dict[str, Any] | None) -> Component:
    whole = data_context().scope.everything
    links = [
        html.A(page["name"], href=page["relative_path"], **data(carry=page["carries"]))
        for page in dash.page_registry.values()
        if page.get("carries") is not None and (whole or not page.get("company"))
    ]
    return html.Header(
        [
            dcc.Link([html.I(className="logo"), "breakeven"], href="/", className="brand"),
            html.Nav(links, **aria(label="Pages")),
            html.Span(freshness(snapshot), id=ids.FRESHNESS, className="freshness"),
            *_reader(),
            html.Button(
                html.I(className="icon theme", **aria(hidden="true")),
                className="theme-toggle",
                **data(action="theme"),
                **aria(label="Switch between light and dark"),
            ),
        ],
        className="top",
    )


def _reader() -> list[Component]:
    """Renders the reader's name and the button to sign out; nothing if nobody signs in."""
    auth = data_context().settings.auth
    if not auth.is_on:
        return []
    name = html.Span(current_person().name, className="reader")
    leave = html.Button("Sign out", className="action", **data(action="sign-out"))
    return [name, leave] if auth.mode == "oidc" else [name]


def _stale(shown: object) -> list[Component]:
    """Renders the warnings about stale feeds; none while no snapshot is published."""
    if not shown:
        return []
    known = data_context()
    feeds = known.feeds()
    return stale_notices(feeds, present(feeds, known.settings))


def _notice(text: str) -> list[Component]:
    """Renders the notice to all readers that the configuration sets; nothing without one."""
    content = html.P(text, className="announcement", role="note")
    return [html.Aside(content, **aria(label="Notice"))] if text else []


def _footer() -> Component:
    return html.Footer("Costs are US dollars; days are UTC.", className="bottom")
