"""Lists the pages of the dashboard in the order of the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ParamSpec
from urllib.parse import unquote

from dash.development.base_component import Component

from dashboard.pages.clusters import page as clusters
from dashboard.pages.compare import page as compare
from dashboard.pages.decide import page as decide
from dashboard.pages.finance import page as finance
from dashboard.pages.not_found import not_found_404
from dashboard.pages.overview import page as overview
from dashboard.pages.rates import page as rates
from dashboard.pages.runs import page as runs
from dashboard.pages.source import page as source
from dashboard.pages.trust import page as trust
from dashboard.pages.workload import page as workload
from dashboard.server.unknown_parameters import ASSUMED, with_unknown_parameters
from dashboard.snapshot.context import data_context


def workload_title(name: str = "") -> str:
    """Returns the title of the browser's tab for a workload's page; its name is percent-encoded."""
    return f"{unquote(name)} · breakeven"


PAGES: tuple[tuple[Any, dict[str, Any]], ...] = (
    (
        overview,
        {
            "path": "/",
            "name": "Overview",
            "title": "breakeven",
            "carries": "from to",
            "reads": "from to curve",
        },
    ),
    (
        workload,
        {
            "path_template": "/workload/<name>",
            "name": "Workload",
            "title": workload_title,
            "reads": "from to curve period axis",
        },
    ),
    (
        compare,
        {
            "path": "/compare",
            "name": "Compare",
            "title": "Compare · breakeven",
            "carries": "from to where",
            "reads": "from to where by then basis layout",
        },
    ),
    (
        runs,
        {
            "path": "/runs",
            "name": "Runs",
            "title": "Runs · breakeven",
            "carries": "from to where",
            "reads": "from to where group columns",
        },
    ),
    (
        clusters,
        {
            "path": "/clusters",
            "name": "Clusters",
            "title": "Clusters · breakeven",
            "carries": "from to",
            "reads": "from to pool workload",
        },
    ),
    (
        rates,
        {
            "path": "/rates",
            "name": "Rates",
            "title": "Rates · breakeven",
            "carries": "from to",
            "reads": "from to period",
        },
    ),
    (
        decide,
        {
            "path": "/decide",
            "name": "Decide",
            "title": "Decide · breakeven",
            "carries": "from to",
            "reads": " ".join(ASSUMED),
        },
    ),
    (
        trust,
        {
            "path": "/trust",
            "name": "Trust",
            "title": "Trust · breakeven",
            "carries": "from to",
            "reads": "from to tied",
            "company": True,
        },
    ),
    (
        finance,
        {
            "path": "/finance",
            "name": "Finance",
            "title": "Finance · breakeven",
            "carries": "from to",
            "reads": "month version against",
            "company": True,
        },
    ),
    (
        source,
        {
            "path_template": "/source/<number>",
            "name": "Source",
            "title": "Source rows · breakeven",
            "reads": "from to",
        },
    ),
    (not_found_404, {"name": "Not found", "title": "Not found · breakeven"}),
)
"""Page module → how Dash registers it; no folder is scanned.

Pages with `carries` are in the navigation; it names the filters that their link takes along from
the page before. `reads` names the parameters whose value must be of a form or in the data. Pages of
the `company` do not exist for readers with a limited scope.
"""
P = ParamSpec("P")


def layouts() -> Iterator[tuple[Any, Callable[..., Component], dict[str, Any]]]:
    """Yields each page's module, its layout with access and address checked, and Dash's options."""
    for page, options in PAGES:
        layout = with_unknown_parameters(page.layout, options.get("reads", "").split())
        yield page, of_company(layout) if options.get("company") else layout, options


def of_company(layout: Callable[P, Component]) -> Callable[P, Component]:
    """Wraps a layout so that readers with a limited scope get the page for unknown addresses."""

    @wraps(layout)
    def found(*args: P.args, **query: P.kwargs) -> Component:
        if not data_context().scope.everything:
            return not_found_404.layout()
        return layout(*args, **query)

    return found


def is_page(path: str) -> bool:
    """Returns whether a path is a page for this reader, and the workload or number in it exists."""
    asked = path.rstrip("/") or "/"
    for page, options in PAGES:
        start, variable, _ = options.get("path_template", "").partition("<")
        if asked == options.get("path"):
            return data_context().scope.everything or not options.get("company")
        if variable and asked.startswith(start):
            return bool(page.exists(asked.removeprefix(start)))
    return False
