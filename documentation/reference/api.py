"""The page of the API: every address with its parameters and answers, from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dashboard.api.api import add_api, api_server
from documentation.reference.markdown import code, page, table
from models.config.settings import Settings

MARTS, DAYS = "/api/v1/marts", {"since", "until"}
INTRODUCTION = """\
[The API](../operations/api.md) says how to use it: filters, pages, forms, `ETag`. A running
dashboard shows the same at `/api/v1/docs`, and for programs at `/api/v1/openapi.json` (OpenAPI
3.1)."""


def api() -> str:
    """Returns the page of all addresses of `/api/v1`."""
    server = api_server()
    add_api(server, Settings())
    paths: dict[str, Any] = server.api_doc["paths"]
    rows = {path: about["get"] for path, about in paths.items() if path.startswith(f"{MARTS}/")}
    others = [part for path in paths if path not in rows for part in _address(path, paths[path])]
    return page("API", [INTRODUCTION], *others, *_marts(rows))


def _address(path: str, methods: dict[str, Any]) -> Iterator[list[str]]:
    for method, about in methods.items():
        yield [f"## {method.upper()} {path}"]
        yield [about.get("description") or about.get("summary") or ""]
        if given := about.get("parameters", ()):
            yield table(("parameter", "in", "meaning"), map(_parameter, given))
        yield table(("status", "answer"), _answers(about))


def _marts(rows: dict[str, dict[str, Any]]) -> Iterator[list[str]]:
    """Yields Markdown on `/marts/NAME`: shared parameters and answers, then each mart's filters."""
    given = {path: {each["name"]: each for each in rows[path]["parameters"]} for path in rows}
    common = set.intersection(*map(set, given.values())) | DAYS
    first = next(iter(rows))
    yield [f"## GET {MARTS}/NAME"]
    yield ["The rows of a published mart, by page. Columns of `tags.extra` are filters, too."]
    shared = [each for name, each in given[first].items() if name in common]
    yield table(("parameter", "in", "meaning"), map(_parameter, shared))
    yield table(("status", "answer"), _answers(rows[first]))
    filters = (
        (code(path), ", ".join(code(name) for name in names if name not in common))
        for path, names in given.items()
    )
    yield table(("address", "filters: rows with one of these values; empty means null"), filters)


def _parameter(given: dict[str, Any]) -> tuple[str, str, str]:
    schema = given.get("schema", {})
    meaning = given.get("description") or schema.get("description") or schema.get("type", "")
    return code(given["name"]), given["in"], meaning


def _answers(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for status, answer in sorted(about["responses"].items()):
        yield status, answer.get("description", "")
