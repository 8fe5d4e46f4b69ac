"""Serves `openapi.json`, and `docs`, a page that shows it with Swagger UI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import flask_openapi3_swagger
from flask import Response, send_from_directory
from flask_openapi3 import APIBlueprint, OpenAPI

from dashboard.api.answers import json_answer

OWN = Path(__file__).parent / "static"
SWAGGER = Path(flask_openapi3_swagger.__file__).parent / "templates" / "swagger"
FILES = {
    "docs.css": OWN,
    "docs.js": OWN,
    "swagger-ui.css": SWAGGER / "css",
    "swagger-ui-bundle.js": SWAGGER / "js",
}


def add_documentation(api: APIBlueprint, server: OpenAPI) -> None:
    """Registers the routes of the OpenAPI document and of the page that shows it."""
    api.add_url_rule("/openapi.json", "openapi", lambda: json_answer(server.api_doc))
    api.add_url_rule("/docs", "docs", lambda: send_from_directory(OWN, "docs.html"))
    for name, folder in FILES.items():
        api.add_url_rule(f"/docs/{name}", name.replace(".", "_"), _file(folder, name))


def _file(folder: Path, name: str) -> Callable[[], Response]:
    def file() -> Response:
        return send_from_directory(folder, name, max_age=0)

    return file
