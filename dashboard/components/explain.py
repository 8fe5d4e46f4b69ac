"""Opens a number: what it is, over which days, on which basis, by which formula, from what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from dash import html
from dash.development.base_component import Component

from dashboard.components.attributes import aria, data

LEFT_OUT = "Days that are not settled yet, credits and tax."
SOURCE = "Inputs and source rows"
BASIS = "Effective cost: amortised commitments, net of every discount; credits and tax excluded."


@dataclass(frozen=True)
class Explained:
    """The explanation of one number; `marts` name the tables it is read from."""

    title: str
    what: str
    formula: str
    window: str
    marts: tuple[str, ...]
    basis: str = BASIS
    leaves_out: str = LEFT_OUT

    @property
    def key(self) -> str:
        """How an address names it."""
        return re.sub(r"[^a-z]+", "-", self.title.lower()).strip("-")


@cache
def explain(of: Explained, align: str = "") -> Component:
    """A small button that opens the explanation; `align` "end" opens it to the left."""
    return html.Details(
        [
            html.Summary("?", **aria(label=f"How is this made: {of.title}")),
            html.Div([html.Strong(of.title), html.P(of.what), _facts(of)], className="panel"),
        ],
        className=f"explain {align}",
        **data(key=f"explain {of.title}"),
    )


def term(word: str, meaning: str) -> Component:
    """A word with its meaning on hover and on keyboard focus."""
    return html.Span(
        word,
        className="term",
        tabIndex=0,
        **data(tip=meaning),
        **aria(label=f"{word}: {meaning}"),
    )


def _facts(of: Explained) -> Component:
    """`assets/view.js` fills what the header says, and takes the filters of the page along."""
    facts = (
        ("Formula", of.formula),
        ("Days", of.window),
        ("Basis", of.basis),
        ("Leaves out", of.leaves_out),
    )
    rows = [html.Div([html.Dt(name), html.Dd(text)]) for name, text in facts]
    rows.append(html.Div([html.Dt("As of"), html.Dd(**data(told="freshness"))]))
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
