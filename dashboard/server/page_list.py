"""Lists the pages of the dashboard in the order of the navigation."""

from __future__ import annotations

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

PAGES = (
    (overview, {"path": "/", "name": "Overview", "title": "breakeven", "carries": "from to"}),
    (
        workload,
        {
            "path_template": "/workload/<name>",
            "name": "Workload",
            "title": "Workload · breakeven",
        },
    ),
    (
        compare,
        {
            "path": "/compare",
            "name": "Compare",
            "title": "Compare · breakeven",
            "carries": "from to where",
        },
    ),
    (
        runs,
        {
            "path": "/runs",
            "name": "Runs",
            "title": "Runs · breakeven",
            "carries": "from to where",
        },
    ),
    (
        rates,
        {"path": "/rates", "name": "Rates", "title": "Rates · breakeven", "carries": "from to"},
    ),
    (
        decide,
        {"path": "/decide", "name": "Decide", "title": "Decide · breakeven", "carries": "from to"},
    ),
    (
        trust,
        {"path": "/trust", "name": "Trust", "title": "Trust · breakeven", "carries": "from to"},
    ),
    (
        finance,
        {
            "path": "/finance",
            "name": "Finance",
            "title": "Finance · breakeven",
            "carries": "from to",
        },
    ),
    (
        source,
        {
            "path_template": "/source/<number>",
            "name": "Source",
            "title": "Source rows · breakeven",
        },
    ),
    (not_found_404, {"name": "Not found", "title": "Not found · breakeven"}),
)
"""Page module → how Dash registers it; no folder is scanned.

Pages with `carries` are in the navigation; it names the filters that their link takes along from
the page before.
"""


def is_page(path: str) -> bool:
    """Whether a page has this address, whatever the name in it."""
    asked = path.rstrip("/") or "/"
    for _, options in PAGES:
        start, variable, _ = options.get("path_template", "").partition("<")
        if asked == options.get("path") or (variable and asked.startswith(start)):
            return True
    return False
