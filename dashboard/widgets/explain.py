"""Builds the "?" button that explains a number: formula, days, basis, SQL and source rows."""

from __future__ import annotations

from functools import cache

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria, data
from dashboard.wording.explanations.explanation import Explanation

SOURCE = "Inputs and source rows"


@cache
def explain(of: Explanation, align: str = "") -> Component:
    """Builds the "?" button that opens the explanation of a number."""
    return html.Details(
        [
            html.Summary("?", **aria(label=f"How is this computed: {of.title}")),
            html.Div([html.Strong(of.title), html.P(of.what), _facts(of)], className="panel"),
        ],
        className=f"explain {align}",
        **data(key=f"explain {of.title}"),
    )


def term(word: str, meaning: str) -> Component:
    """Builds a word whose meaning is shown on hover and on keyboard focus."""
    return html.Span(
        word,
        className="term",
        tabIndex=0,
        **data(tip=meaning),
        **aria(label=f"{word}: {meaning}"),
    )


def _facts(of: Explanation) -> Component:
    """Lists the facts of a number's explanation: formula, days, basis, SQL, source rows.

    In the browser, `assets/view.js` fills in the freshness and adds the page's filters to the link
    to the source rows.
    """
    facts = (
        ("Formula", of.formula),
        ("Days", of.window),
        ("Basis", of.basis),
        ("Leaves out", of.leaves_out),
    )
    rows = [html.Div([html.Dt(name), html.Dd(text)]) for name, text in facts]
    rows.append(html.Div([html.Dt("As of"), html.Dd(**data(shows="freshness"))]))
    rows.append(html.Div([html.Dt("SQL"), html.Dd([_link(mart) for mart in of.marts])]))
    href = f"/source/{of.key}"
    rows.append(
        html.Div(
            [
                html.Dt("Source"),
                html.Dd(html.A(SOURCE, href=href, **data(take="place", go="source"))),
            ]
        )
    )
    return html.Dl(rows)


def _link(mart: str) -> Component:
    return html.A(mart, href=f"#sql-{mart}", className="sql-link")
