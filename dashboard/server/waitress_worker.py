"""Defines a gunicorn worker that serves by waitress, so that slow clients block no thread.

One thread waits on every connection, so that one which is idle, half sent or not read holds up
nobody. Gunicorn starts and ends these workers and starts another where one was killed.
"""

from __future__ import annotations

import logging
import os
import resource
import time
from collections.abc import Callable, Mapping
from typing import Any

from gunicorn.workers.base import Worker
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import create_server
from waitress.utilities import RequestEntityTooLarge
from waitress.wasyncore import poll2

from dashboard.server.protection.request_guard import MAX_BODY

PATIENCE_SECONDS = 10
"""How long a client may take to send a request, or may not read any of an answer."""
MAX_HEAD = 1 << 16
MAX_CONNECTIONS = 2000
CHECK_SECONDS = 1
"""How often slow clients are looked for."""
OTHER_FILES = 100
"""How many files a worker may open that are no connections."""


class TimedRequest(HTTPRequestParser):  # type: ignore[misc]  # waitress is not typed
    """A request that is being received, and the time when it began."""

    error: object

    def __init__(self, limits: object) -> None:
        super().__init__(limits)
        self.since = time.time()

    def parse_header(self, header_plus: bytes) -> None:
        """Parses a request's head; refuses one with a Content-Length and a chunked body."""
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding")

    def received(self, data: bytes) -> int:
        """Parses received bytes, returns how many; leaves it to the app to refuse too large a body.

        The app is told a length where the client told none: what waitress counts has the sizes of
        chunks in it, so that what was received so far may be short enough.
        """
        taken: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self.error = None
            self.headers["CONNECTION"] = "close"
            self.headers.setdefault("CONTENT_LENGTH", f"{MAX_BODY + 1}")
        return taken


class Connection(HTTPChannel):  # type: ignore[misc]
    """A client's connection, which knows whether it is stalled or idle."""

    parser_class = TimedRequest

    def is_stalled(self) -> bool:
        """Returns whether the client sends its request too slowly, or has stopped reading."""
        before = time.time() - PATIENCE_SECONDS
        if self.request is not None and self.request.since < before:
            return True
        if not self.total_outbufs_len or self.last_activity >= before:
            return False
        with self.outbuf_lock:  # a thread may be at the first bytes of a slow answer
            return bool(self.total_outbufs_len) and self.last_activity < before

    def is_idle(self) -> bool:
        """Returns whether no request of the connection is being answered."""
        return not (self.requests or self.total_outbufs_len)


class WaitressWorker(Worker):  # type: ignore[misc]  # gunicorn is not typed
    """A gunicorn worker process that serves the dashboard by waitress until gunicorn stops it."""

    servers: tuple[Any, ...] = ()
    """One for each address, in the order of gunicorn's `bind`."""

    def run(self) -> None:
        """Serves until it is stopped or gunicorn has ended; called by gunicorn."""
        connections: dict[int, object] = {}
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        # gunicorn's own app has one alone
        apps = (self.wsgi, *getattr(self.app, "further_apps", ()))
        self.servers = tuple(
            self.listen(each.sock, app, connections)
            for each, app in zip(self.sockets, apps, strict=True)
        )
        checked = 0.0
        while self.alive and os.getppid() == self.ppid:
            poll2(CHECK_SECONDS, connections)
            if time.monotonic() >= checked + CHECK_SECONDS:
                checked = time.monotonic()
                self.notify()
                self.end(Connection.is_stalled)
        self.finish(connections)

    def listen(self, listener: object, app: object, connections: dict[int, object]) -> Any:  # noqa: ANN401 - waitress is not typed
        """Creates the waitress server of an app on one address, with the worker's connections."""
        server = create_server(app, connections, sockets=[listener], **self.limits())
        server.channel_class = Connection
        return server

    def finish(self, connections: Mapping[int, object]) -> None:
        """Stops accepting connections, and waits a while for requests that are being answered."""
        for server in self.servers:
            server.accepting = False
        until = time.monotonic() + self.cfg.graceful_timeout
        while any(server.active_channels for server in self.servers) and time.monotonic() < until:
            poll2(CHECK_SECONDS, connections)
            self.end(Connection.is_idle)

    def end(self, which: Callable[[Connection], bool]) -> None:
        """Closes the worker's connections for which a condition holds."""
        for server in self.servers:
            for each in [*server.active_channels.values()]:
                if which(each):
                    each.handle_close()

    def limits(self) -> dict[str, Any]:
        """Raises the limit of open files; returns waitress's settings (threads, times, sizes)."""
        files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = max(files, min(most, MAX_CONNECTIONS + OTHER_FILES))
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
        return {
            "threads": self.cfg.threads,
            "channel_timeout": self.cfg.keepalive,
            "cleanup_interval": CHECK_SECONDS,
            "connection_limit": min(MAX_CONNECTIONS, files - OTHER_FILES),
            "max_request_body_size": MAX_BODY + 1,
            "max_request_header_size": MAX_HEAD,
            "asyncore_use_poll": True,
            "log_socket_errors": False,
            "clear_untrusted_proxy_headers": False,  # `trusted_proxies` decides on them
            "ident": None,
        }

    def handle_exit(self, *_: object) -> None:
        """Stops the worker, and wakes the thread that waits on connections; called on SIGTERM."""
        self.alive = False
        for server in self.servers:
            server.pull_trigger()

    handle_quit = handle_exit
    """On SIGINT, too, running requests finish."""
