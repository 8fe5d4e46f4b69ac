"""Answers refused requests with one line of text, and logs each in one line."""

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
"""Most characters of an address in the log."""


def add_refusals(server: Flask) -> None:
    """Answers HTTP errors (400, 404, …) with a line of text, in the API with a problem document.

    A file beside the warehouse that cannot be read or written is a 503.
    """
    server.register_error_handler(HTTPException, refuse)
    server.register_error_handler(DependencyException, lambda _: refuse(NotFound()))
    server.register_error_handler(StorageError, lambda e: refuse(ServiceUnavailable(str(e))))
    server.after_request(unknown_page)


def refuse(error: HTTPException) -> Response | HTTPException:
    """Converts an HTTP error to the response to send and logs it; returns redirects unchanged."""
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
    """Sets status 404 on the HTML document of an address that is no page; returns the response."""
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
