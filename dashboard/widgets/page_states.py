"""Builds pages for when nothing is published, readable or found."""

from __future__ import annotations

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.wording.unknown import NOTHING_YET


def nothing_published(why: str = "") -> Component:
    """Says what to run before the first build; or, with `why`, what cannot be read.

    The page fills itself once there is a snapshot.
    """
    if why:
        return unreadable(why)
    return html.Div(
        [
            html.H1(NOTHING_YET),
            html.P("The dashboard shows what the last build published. To get there:"),
            html.Pre(html.Code("breakeven init\nbreakeven ingest\nbreakeven build")),
            html.P(
                [
                    "No AWS access at hand? ",
                    html.Code("breakeven demo"),
                    " shows everything on the included sample.",
                ]
            ),
            html.P("This page fills itself as soon as a snapshot is published.", className="note"),
        ],
        className="nothing",
    )


def unreadable(why: str) -> Component:
    """Says which published file is damaged, and what to do."""
    found = [
        html.H1("What was published cannot be read."),
        html.P(why, role="alert"),
        html.P("Reload this page after the next build.", className="note"),
    ]
    return html.Div(html.Div(found, className="nothing"), className="page")


def not_found(title: str, text: str) -> Component:
    """Says that an address leads nowhere, and links back."""
    found = [html.H1(title), html.P(text), dcc.Link("Back to the overview", href="/")]
    return html.Div(html.Div(found, className="nothing"), className="page")
