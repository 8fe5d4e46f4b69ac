"""Registers the API with the server, with its error responses."""

from __future__ import annotations

from importlib.metadata import version

from flask import Response
from flask_openapi3 import APIBlueprint, Info, OpenAPI
from werkzeug.exceptions import NotFound

from dashboard.api.address import PREFIX
from dashboard.api.documentation import add_documentation
from dashboard.api.marts import add_marts
from dashboard.api.problems import Problem, problem, problem_of_parameters
from dashboard.api.statements import add_statements
from dashboard.api.workloads import add_workloads
from models.config.settings import Settings
from models.contract.errors import AccessError, MissingDataError, StorageError

DESCRIPTION = """\
The published numbers of breakeven, read-only: whether a move of training from GPU to Trainium has \
paid for itself, by actual bills.

Dollars are exact decimals, written as text in JSON. Null means unknown, never 0. Days and times \
are UTC. An answer has an ETag: send it back as `If-None-Match`, and 304 says that nothing changed.
"""


TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "of `breakeven token create`; a browser that is signed in needs none",
}


def api_server() -> OpenAPI:
    """Creates the Flask server, which collects the API's types into an OpenAPI document."""
    return OpenAPI(
        "dashboard",
        info=Info(title="breakeven", version=version("breakeven"), description=DESCRIPTION),
        security_schemes={"token": TOKEN},
        doc_ui=False,
        validation_error_status=400,
        validation_error_model=Problem,
        validation_error_callback=problem_of_parameters,
    )


def add_api(server: OpenAPI, settings: Settings) -> None:
    """Registers all routes under `/api/v1` at a server; extra tags become columns of the marts."""
    api = APIBlueprint("api", __name__, url_prefix=PREFIX, abp_security=[{}, {"token": []}])
    add_marts(api, settings.tags.extra)
    add_workloads(api)
    add_statements(api)
    add_documentation(api, server)
    api.register_error_handler(AccessError, _forbidden)
    api.register_error_handler(StorageError, _unreadable)
    api.register_error_handler(MissingDataError, _unreadable)
    api.add_url_rule("/", "nothing", _nothing, defaults={"path": ""})
    api.add_url_rule("/<path:path>", "nothing", _nothing)
    server.register_api(api)


def _nothing(path: str) -> Response:
    raise NotFound(f"there is nothing at this address (see {PREFIX}/docs)")


def _forbidden(error: AccessError) -> Response:
    return problem(403, str(error))


def _unreadable(error: StorageError | MissingDataError) -> Response:
    return problem(503, str(error))
