"""Servers of tests on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from typing import TypeVar

Server = TypeVar("Server", bound=BaseServer)
POLL_SECONDS = 0.01
"""How often a server looks whether it is to stop. By itself it does so twice a second."""


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Answers requests in a thread of its own until the block ends."""
    with server:
        answering = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": POLL_SECONDS}, daemon=True
        )
        answering.start()
        try:
            yield server
        finally:
            server.shutdown()
            answering.join()
