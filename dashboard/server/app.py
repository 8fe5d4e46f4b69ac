"""Builds the Dash app: registers pages, assets, compression, probes and downloads."""

from __future__ import annotations

from collections.abc import Sequence

import dash
from flask import Response
from flask_compress import Compress
from flask_openapi3 import OpenAPI

from dashboard.api.api import add_api, api_server
from dashboard.server import document, shell
from dashboard.server.briefs import add_briefs
from dashboard.server.document import ASSETS
from dashboard.server.documentation import add_documentation
from dashboard.server.downloads import add_downloads
from dashboard.server.empty_scopes import warn_of_empty_scopes
from dashboard.server.identity.gate import add_identity
from dashboard.server.metrics.place import MetricsPlace
from dashboard.server.page_list import layouts
from dashboard.server.probes import add_probes
from dashboard.server.protection.callback_bodies import malformed_refusal
from dashboard.server.protection.refusals import add_refusals
from dashboard.server.protection.request_guard import (
    add_host_guard,
    add_request_guard,
    token_cookie,
)
from dashboard.server.protection.secret_key import secret_key
from dashboard.server.protection.security_headers import add_security_headers
from dashboard.server.response_cache import add_response_cache
from dashboard.snapshot import published
from dashboard.snapshot.context import EXTENSION, attach_data
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import answers_plain
from dashboard.wording.setup_steps import SetupStep
from models.config.settings import Settings
from models.contract.errors import MissingDataError, StorageError

YEAR_SECONDS = 365 * 24 * 3600
GZIP_LEVEL = 4
"""Takes half the time of the usual 6, for a tenth more bytes."""


def create_app(
    settings: Settings,
    metrics: MetricsPlace | None = None,
    checks_and_cost: Sequence[SetupStep] = (),
) -> dash.Dash:
    """Builds the Dash app that shows the published snapshots; once per process.

    With `metrics` it counts requests, and answers Prometheus where the place is a path.
    `checks_and_cost` is shown until a first snapshot is published.
    """
    key, server = secret_key(settings.data), api_server()
    app = _empty_app(server, key)
    for place, (page, layout, options) in enumerate(layouts()):
        dash.register_page(  # type: ignore[no-untyped-call]  # Dash does not annotate it
            page.__name__,
            layout=answers_plain(once_published(nothing_published)(layout)),
            order=place,
            **options,
        )
    app.layout = shell.shell
    app.server.config["SEND_FILE_MAX_AGE_DEFAULT"] = YEAR_SECONDS
    app.server.config["COMPRESS_LEVEL"] = GZIP_LEVEL
    if metrics:
        from dashboard.server.metrics.request_metrics import add_request_metrics

        add_request_metrics(app.server)
    add_refusals(app.server)
    add_host_guard(app.server, settings.serve.hosts, key)
    add_identity(app.server, settings)
    add_request_guard(app.server, key)
    app.server.before_request(malformed_refusal(app))
    add_security_headers(app)
    add_response_cache(app.server)
    Compress(app.server)
    attach_data(app.server, settings, checks_and_cost)
    warn_of_empty_scopes(settings, app.server.extensions[EXTENSION].reader)
    add_probes(app.server)
    app.server.add_url_rule("/sql/<mart>", "sql", sql)
    add_downloads(app.server)
    add_briefs(app.server)
    add_documentation(app.server)
    add_api(server, settings)
    if metrics and metrics.path:
        from dashboard.server.metrics.scrape import add_scrape

        context = app.server.extensions[EXTENSION]
        add_scrape(app.server, metrics.path, metrics.token, context)
    return app


def _empty_app(server: OpenAPI, key: str) -> dash.Dash:
    """Returns a Dash app without pages, whose CSRF token cookie has a name made from a secret."""
    return dash.Dash(
        server=server,  # type: ignore[arg-type]  # Dash says so of a Flask server alone
        use_pages=True,
        pages_folder="",
        assets_folder=str(ASSETS),
        assets_ignore=r"plotly-basic.*",
        include_pages_meta=False,
        index_string=document.index(ASSETS),
        title="breakeven",
        update_title="",
        csrf_token_name=token_cookie(key),
        suppress_callback_exceptions=True,
        enable_mcp=False,
    )


def sql(mart: str) -> Response:
    """Returns a response with a mart's SQL as text; 404 if the snapshot in use does not have it.

    503 where there is no snapshot, or it cannot be read.
    """
    try:
        found = published.sql(mart)
    except (MissingDataError, StorageError) as error:
        return Response(f"{error}\n", 503, mimetype="text/plain")
    if found is None:
        return Response("no such mart in the current snapshot\n", 404, mimetype="text/plain")
    return Response(found, mimetype="text/plain")
