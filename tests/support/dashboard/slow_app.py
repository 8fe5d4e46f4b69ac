"""A small app behind the dashboard's web server, to be started in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from flask import Flask, Response, request

from dashboard.server import waitress_worker
from dashboard.server.gunicorn_server import Server, options

PART = b"x" * (1 << 16)
PARTS = 1 << 10
"""64 MiB in all: more than the server and both ends of a socket hold."""
PATIENCE_SECONDS = 3
"""How long the server waits for slow clients: shorter than it does for users."""


def app(fifo: Path) -> Flask:
    server = Flask(__name__)

    @server.get("/livez")
    def livez() -> str:
        return str(os.getpid())

    @server.post("/")
    def length() -> str:
        return str(len(request.get_data()))

    @server.get("/waits")
    def waits() -> str:
        """Answers what is written to the FIFO, once it is; meanwhile it has said that it waits."""
        fifo.with_suffix(".waits").touch()
        return fifo.read_text(encoding="utf-8")

    @server.get("/large")
    def large() -> Response:
        def parts() -> Iterator[bytes]:
            for _ in range(PARTS):
                yield PART

        return Response(parts(), mimetype="application/octet-stream")

    return server


def serve(fifo: Path, port: int) -> None:
    """Serves until a signal ends it."""
    waitress_worker.PATIENCE_SECONDS = PATIENCE_SECONDS
    Server(app(fifo), options("127.0.0.1", port, 1)).run()
