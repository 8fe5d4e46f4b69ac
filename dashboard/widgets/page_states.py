"""Builds the pages shown if there is no snapshot, it is unreadable, or a page is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.widgets.commands import with_commands
from dashboard.wording.setup_steps import STATES, SetupStep
from dashboard.wording.unknown import NOTHING_YET


def nothing_published(why: str = "", steps: Sequence[SetupStep] = ()) -> Component:
    """Builds the page shown while no snapshot can be read: how to get there, or what is wrong.

    `steps` is how far the way has come. The page reloads its content as soon as there is a
    snapshot.
    """
    if why:
        return unreadable(why)
    return html.Div(
        [
            html.H1(NOTHING_YET),
            html.P("The dashboard shows what the last build published. To get there:"),
            html.Pre(html.Code("breakeven init")),
            html.P("It asks where the bill is, pulls one month, and says what is missing."),
            *([html.Ol([_step(step) for step in steps], className="way")] if steps else []),
            html.P(
                [
                    "No AWS access at hand? ",
                    html.Code("breakeven demo"),
                    " shows everything on a made-up company.",
                ]
            ),
            html.P("This page fills itself as soon as a snapshot is published.", className="note"),
        ],
        className="nothing",
    )


def _step(step: SetupStep) -> Component:
    """Renders a step with its state in a word, so that it does not hang on a colour."""
    state = html.Span(STATES[step.state], className=f"step {step.state}")
    return html.Li([html.Strong(step.title), " ", state, html.P(with_commands(step.detail))])


def unreadable(why: str) -> Component:
    """Builds the page that says why the snapshot cannot be read, and what to do."""
    found = [
        html.H1("What was published cannot be read."),
        html.P(why, role="alert"),
        html.P("Reload this page after the next build.", className="note"),
    ]
    return html.Div(html.Div(found, className="nothing"), className="page")


def not_found(title: str, text: str) -> Component:
    """Builds the page for an address that does not exist, with a link to the Overview."""
    found = [html.H1(title), html.P(text), dcc.Link("Back to the overview", href="/")]
    return html.Div(html.Div(found, className="nothing"), className="page")
