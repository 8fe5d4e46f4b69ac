"""Answers what is refused with one line of text, and logs it with one line."""

from __future__ import annotations

import logging

from dash.exceptions import DependencyException
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, NotFound, ServiceUnavailable

from dashboard.api.address import is_api
from dashboard.api.problems import problem_of
from dashboard.server.page_list import is_page
from dashboard.server.protection.repeated_lines import RepeatedLines
from models.contract.errors import StorageError

LOG = logging.getLogger(__name__)
LOG.addFilter(RepeatedLines())
ANY_ADDRESS = "/<path:path>"
"""Dash's endpoint for the document, whatever the address."""
NEEDED = ("Allow", "Retry-After", "WWW-Authenticate")
"""Headers that belong to the status itself."""
SHOWN = 80
"""How many characters of an address stand in the log."""


def add_refusals(server: Flask) -> None:
    """Answers errors of HTTP (400, 403, 404, 413, …) in a line of text, of the API as a problem.

    What a file beside the warehouse makes impossible is 503.
    """
    server.register_error_handler(HTTPException, refuse)
    server.register_error_handler(DependencyException, lambda _: refuse(NotFound()))
    server.register_error_handler(StorageError, lambda e: refuse(ServiceUnavailable(str(e))))
    server.after_request(unknown_page)


def refuse(error: HTTPException) -> Response | HTTPException:
    """Returns the answer to a refused request; a redirect stays what it is."""
    if error.code is None or error.code < 400:
        return error
    if is_api(request.path):
        answer = problem_of(error)
    else:
        answer = Response(f"{error.description}\n", error.code, mimetype="text/plain")
    answer.headers.update({name: value for name, value in error.get_headers() if name in NEEDED})
    _log(error.code)
    return answer


def unknown_page(response: Response) -> Response:
    """Makes the document of an address that is no page 404; it says so to people in a page."""
    if (
        request.endpoint == ANY_ADDRESS
        and response.status_code == 200
        and not is_page(request.path)
    ):
        response.status_code = 404
        _log(404)
    return response


def _log(status: int) -> None:
    LOG.info("%d %s %s", status, ascii(request.method)[1:-1][:SHOWN], ascii(request.path)[:SHOWN])
