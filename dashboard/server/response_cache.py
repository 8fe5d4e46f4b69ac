"""Caches responses of callbacks that draw from the snapshot alone, which never changes.

Only what a page draws from the snapshot alone is cached, compressed as it was sent; never what
writes or reads files, or depends on the time of day. The key covers the snapshot and the
reader's scope.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import sha256
from typing import NamedTuple

from flask import Flask, Response, g, request

from dashboard.snapshot.context import data_context
from models.contract.errors import StorageError

CALLBACK_PATH = "/_dash-update-component"
OUTPUT_PREFIXES = (
    "overview-", "workload-", "compare-", "runs-", "clusters-", "rates-", "decide-",
)  # fmt: skip
"""Start of the component ids of pages that depend on the snapshot alone."""
PATHS = ("/workload/", "/compare", "/runs", "/clusters", "/rates", "/decide")
MAX_RESPONSES = 300
MAX_BYTES = 200_000
"""Size above which a response is not cached."""


class Key(NamedTuple):
    """The cache key of a request: the snapshot, and a digest of its scope, body and encodings."""

    snapshot: str
    digest: str


class CachedResponse(NamedTuple):
    """The body and headers of a cached HTTP response."""

    data: bytes
    headers: list[tuple[str, str]]


class ResponseCache:
    """A cache of the newest callback responses of one process, all of the current snapshot.

    Safe between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot = ""
        self._responses: OrderedDict[Key, CachedResponse] = OrderedDict()

    def get(self) -> Response | None:
        """Returns the cached response to the current HTTP request, or None."""
        g.cache_key = key = _key()
        with self._lock:
            found = self._responses.get(key) if key else None
        return Response(found.data, headers=found.headers) if found else None

    def put(self, response: Response) -> Response:
        """Caches a cacheable response of status 200 and at most 200 kB; returns it unchanged."""
        key = g.get("cache_key")
        if key and response.status_code == 200 and not response.direct_passthrough:
            data = response.get_data()
            if len(data) <= MAX_BYTES and key == _key():
                headers = [each for each in response.headers if each[0] != "Content-Length"]
                with self._lock:
                    if key.snapshot != self._snapshot:
                        self._responses.clear()
                        self._snapshot = key.snapshot
                    self._responses[key] = CachedResponse(data, headers)
                    while len(self._responses) > MAX_RESPONSES:
                        self._responses.popitem(last=False)
        return response


def add_response_cache(server: Flask) -> None:
    """Adds a response cache to a Flask server; must precede the compression."""
    answers = ResponseCache()
    server.before_request(answers.get)
    server.after_request(answers.put)


def _key() -> Key | None:
    """Returns the cache key of a request; None for one whose answer is not cached."""
    if request.path != CALLBACK_PATH or not _lasting(request.get_json(silent=True)):
        return None
    try:
        snapshot = data_context().reader.mark
    except StorageError:
        return None
    if snapshot is None:
        return None
    asked = f"{data_context().scope} {request.headers.get('Accept-Encoding', '')} "
    return Key(snapshot, sha256(asked.encode() + request.get_data()).hexdigest())


def _lasting(body: object) -> bool:
    if not isinstance(body, dict):
        return False
    output = str(body.get("output", "")).lstrip(".")
    if not output.startswith("_pages_content"):
        return output.startswith(OUTPUT_PREFIXES)
    path = str((body.get("inputs") or [{}])[0].get("value", ""))
    return path == "/" or path.startswith(PATHS)
