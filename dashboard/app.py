"""Wires the dashboard together: pages, assets, compression, health."""

from __future__ import annotations

from pathlib import Path

import dash
from flask import Response, jsonify
from flask_compress import Compress

from dashboard import document, queries, shell
from dashboard.answers import remember
from dashboard.components.nothing import nothing_published
from dashboard.door import once_published, open_door
from dashboard.files import add_files
from dashboard.pages import (
    compare,
    decide,
    finance,
    not_found_404,
    overview,
    rates,
    runs,
    source,
    trust,
    workload,
)
from dashboard.sent import plainly
from models.config.settings import Settings
from models.contract.errors import MissingDataError, StorageError

ASSETS = Path(__file__).parent / "assets"
YEAR_SECONDS = 365 * 24 * 3600
GZIP_LEVEL = 4
"""Half the time of the usual 6, for a tenth more bytes; browsers ask for other packings anyway."""

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
"""Page module → how it is registered. No folder is scanned.

Pages that `carries` stands with are in the navigation, in this order; it names the filters that
their link takes along from the page before.
"""


def create_app(settings: Settings) -> dash.Dash:
    """The dashboard over the snapshots that `settings` points to; once per process."""
    app = dash.Dash(
        __package__,
        use_pages=True,
        pages_folder="",
        assets_folder=str(ASSETS),
        assets_ignore=r"plotly-basic.*",
        include_pages_meta=False,
        index_string=document.index(ASSETS),
        title="breakeven",
        update_title="",
        suppress_callback_exceptions=True,
        enable_mcp=False,
    )
    for place, (page, options) in enumerate(PAGES):
        dash.register_page(  # type: ignore[no-untyped-call]  # Dash does not annotate it
            page.__name__,
            layout=plainly(once_published(nothing_published)(page.layout)),
            order=place,
            **options,
        )
    app.layout = shell.shell
    app.server.config["SEND_FILE_MAX_AGE_DEFAULT"] = YEAR_SECONDS
    app.server.config["COMPRESS_LEVEL"] = GZIP_LEVEL
    remember(app.server)
    Compress(app.server)
    open_door(app.server, settings)
    app.server.add_url_rule("/healthz", "healthz", healthz)
    app.server.add_url_rule("/sql/<mart>", "sql", sql)
    add_files(app.server)
    return app


def healthz() -> tuple[Response, int]:
    """What is being served; 503 until something is."""
    try:
        found = queries.snapshot()
    except StorageError as error:
        return jsonify(status=str(error)), 503
    if found is None:
        return jsonify(status="nothing is published yet; run `breakeven build`"), 503
    through = found["settled_through"]
    shown = {name: found[name] for name in ("version", "snapshot_id")}
    shown["settled_through"] = through and through.isoformat()
    return jsonify(shown), 200


def sql(mart: str) -> Response:
    """The SQL behind a mart, as text."""
    try:
        found = queries.sql(mart)
    except (MissingDataError, StorageError):
        found = None
    if found is None:
        return Response("no such mart in the current snapshot\n", 404, mimetype="text/plain")
    return Response(found, mimetype="text/plain")
