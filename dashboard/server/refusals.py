"""Answers what is refused with one line of text, and logs it with one line."""

from __future__ import annotations

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

KEPT = ("Allow", "Retry-After")
"""Headers that belong to the status itself."""


def add_refusals(server: Flask) -> None:
    """Answers errors of HTTP (400, 403, 404, 413, …) in one line of plain text."""
    server.register_error_handler(HTTPException, refuse)


def refuse(error: HTTPException) -> Response | HTTPException:
    """Returns the answer to a refused request; a redirect stays what it is."""
    if error.code is None or error.code < 400:
        return error
    answer = Response(f"{error.description}\n", error.code, mimetype="text/plain")
    answer.headers.update({name: value for name, value in error.get_headers() if name in KEPT})
    return answer
