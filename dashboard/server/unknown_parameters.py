"""Says on a page which values of its address name nothing, and what is shown in their place.

An address may be typed by hand, or be older than the data. What a page cannot read it leaves out
(`dashboard.address.view`), which nobody would notice without a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import wraps
from typing import Any, NamedTuple

from dash import html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.clusters.queries import has_held
from dashboard.pages.clusters.sections import pool_names
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.checklist.answers import CHOICES, Answers
from dashboard.pages.runs.controls import column_names, groupings
from dashboard.snapshot.rows import read_rows
from dashboard.snapshot.runs.run_dimensions import known_dimensions
from dashboard.snapshot.runs.run_filters import filter_values
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import notice
from dashboard.wording.dimensions import NONE

LONGEST = 60
"""How many characters of a value are shown."""


class Parameter(NamedTuple):
    """A URL parameter: a noun for what it selects, and what is shown if its value is unknown."""

    noun: str
    shown: str


ASSUMED: dict[str, Any] = {
    **dict.fromkeys((*ids.DECIDE_ASKED, *ids.DECIDE_RANKING, "effort"), Assumptions),
    **dict.fromkeys(("hours", "used"), PurchaseAssumptions),
    **dict.fromkeys(ids.DECIDE_CHECKED, Answers),
}
"""What the reader assumes on Decide, and which class parses it."""
PARAMETERS = {
    **{name: Parameter(f"figure ({name})", "That of the data is used.") for name in ASSUMED},
    **{name: Parameter("answer", "The question is taken as not answered.") for name in CHOICES},
    "effort": Parameter("effort", "None is assumed."),
    "from": Parameter("day", "Days are shown from the first one on."),
    "to": Parameter("day", "Days are shown up to the newest one."),
    "curve": Parameter("curve", "Net savings are shown."),
    "period": Parameter("period", "Months are shown."),
    "axis": Parameter("axis", "Dollars are shown."),
    "basis": Parameter("basis", "Cost is shown on the basis of the configuration."),
    "layout": Parameter("layout", "The list is shown."),
    "tied": Parameter("basis", "Billed cost is shown."),
    "month": Parameter("month", "The newest month that is over is shown."),
    "version": Parameter("version", "The newest one is shown."),
    "against": Parameter("version to compare with", "Nothing is compared."),
    "by": Parameter("dimension", "Workloads are compared."),
    "then": Parameter("dimension", "Runs are compared by the first one alone."),
    "where": Parameter("filter", "Runs are shown without it."),
    "group": Parameter("dimension", "Runs are not grouped."),
    "columns": Parameter("column", "The others are shown."),
    "pool": Parameter("pool", "The list has all pools; no hour of this one is known."),
    "workload": Parameter("workload on shared machines", "No run of it is shown."),
}
FIELDS = {"from": "start", "to": "end"}
"""Parameters that a `View` holds under another name."""
KNOWN: dict[str, Callable[[str], bool]] = {
    "by": lambda key: key in known_dimensions(),
    "then": lambda key: key == NONE or key in known_dimensions(),
    "where": lambda text: bool(filter_values([text], known_dimensions())),
    "group": lambda key: key in groupings(),
    "columns": lambda name: name in {column["value"] for column in column_names()},
    "pool": lambda name: name in pool_names(),
    "workload": has_held,
}
"""Parameters whose values the snapshot has to know; the others have a form of their own."""


def with_unknown_parameters(
    layout: Callable[..., Component], names: Sequence[str]
) -> Callable[..., Component]:
    """Wraps a page's layout so that it lists, above the page, each URL value that names nothing.

    `names` are the parameters that the page reads. The line goes with the value (`view.js`).
    """

    @wraps(layout)
    def checked_layout(*args: Any, **query: Any) -> Component:  # noqa: ANN401 - as Dash calls a layout
        page = layout(*args, **query)
        asked = _asked(query, names)
        return html.Div([asked, page]) if asked else page

    return checked_layout


@once_published()
def _asked(query: Mapping[str, Any], names: Sequence[str]) -> Component | None:
    """Renders a line per URL value that names nothing; None without any or without a snapshot."""
    given = [*_values(query, names)]
    if given:
        read_rows("SELECT 1")  # of an unreadable snapshot every name would be called unknown
    known = {name: KNOWN.get(name, _has_its_form(name)) for name in names}
    lines = [_line(name, value) for name, value in given if not known[name](value)]
    return html.Div(lines, className="page asked") if lines else None


def _line(name: str, value: str) -> Component:
    short = value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
    text = f"The address asks for “{short}”. {PARAMETERS[name].shown}"
    line = notice(f"No such {PARAMETERS[name].noun}", text)
    return html.Div(line, role="status", **data(asked=name, value=value))


def _values(query: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        given = query.get(name) or ()
        for value in dict.fromkeys([given] if isinstance(given, str) else given):
            if value:
                yield name, str(value)


def _has_its_form(name: str) -> Callable[[str], bool]:
    """Returns a function that says whether a page accepts a value of one URL parameter."""

    def is_valid(value: str) -> bool:
        if name in ASSUMED:
            return getattr(ASSUMED[name].parse({name: value}), name) not in (None, "")
        read = getattr(View.parse({name: value}), FIELDS.get(name, name))
        return read == value or isinstance(read, date)

    return is_valid
