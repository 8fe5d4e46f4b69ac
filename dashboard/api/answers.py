"""Sends a response with its ETag, or status 304 if the client has it already."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

from flask import Response, request

from dashboard.api.media import JSON
from dashboard.snapshot.context import data_context
from models.engine.publication import BEYOND_THE_ID, DIGEST
from models.engine.warehouse.relations import Relations

SNAPSHOT = "snapshot"
"""The table of one row that says what the snapshot is."""


def snapshot_etag(snapshot: Relations, table: str = "") -> str:
    """Returns a snapshot's ETag: its id, plus digests of a limited scope and of some tables' rows.

    A reader with a limited scope gets a digest of that scope, because people who share a browser
    share its cache. The id covers neither how and when the bill came nor of which day the snapshot
    is, so a table with such columns gets a digest of its rows.
    """
    scope = data_context().scope
    ((held,),) = (row.values() for row in snapshot.rows("SELECT snapshot_id FROM snapshot", {}))
    more: list[object] = [] if scope.everything else [scope]
    if table in (*BEYOND_THE_ID, SNAPSHOT):
        found = snapshot.rows(f"SELECT row({DIGEST}) FROM {table} AS t", {})
        more += (rows for row in found for rows in row.values())
    return "-".join([str(held), *(sha256(repr(each).encode()).hexdigest()[:16] for each in more)])


def answer(etag: str, make: Callable[[], Response]) -> Response:
    """Returns the response that a function makes, with an ETag; 304 if the client has it already.

    The ETag is weak: JSON and Parquet of the same rows have the same one.
    """
    known = request.if_none_match.contains_weak(etag)
    response = Response(status=304) if known else make()
    response.set_etag(etag, weak=True)
    response.vary.update(("Accept", "Authorization", "Cookie"))
    return response


def json_answer(document: object, etag: str | None = None) -> Response:
    """Returns a value as a JSON response, with the given ETag or a digest; 304 if not changed."""
    return json_text(json.dumps(document, ensure_ascii=False), etag)


def json_text(text: str, etag: str | None = None) -> Response:
    """Returns JSON text as a response, with the given ETag or its digest; 304 if not changed."""
    tag = etag or sha256(text.encode()).hexdigest()[:16]
    return answer(tag, lambda: Response(text, mimetype=JSON))
