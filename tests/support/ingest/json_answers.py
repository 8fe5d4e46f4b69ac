"""A server that answers requests with what a test gave it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from tests.support.loopback import serving

ENDLESS = "1000000000000"
"""The `Content-Length` of an answer that does not end."""
Answer = tuple[int, dict[str, str], bytes]


class Answers(http.server.ThreadingHTTPServer):
    """Answers the requests to come with what it was given, in order; keeps what they send."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.given: list[Answer] = []
        self.bodies: list[bytes] = []
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Answers)
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def do_GET(self) -> None:
        assert isinstance(self.server, Answers)
        status, headers, body = self.server.given.pop(0)
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if headers.get("Content-Length") == ENDLESS:
            self.server.over.wait()
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def answers() -> Iterator[Answers]:
    with serving(Answers()) as server:
        yield server
        server.over.set()
