"""A small app behind the dashboard's web server, and what clients send to it."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from tests.support.dashboard.forked import Forked
from tests.support.dashboard.server import PATIENCE_SECONDS, free_port, wait_for
from tests.support.dashboard.slow_app import serve


class Site:
    """A small app behind the dashboard's web server: its port, and its process."""

    def __init__(self, folder: Path) -> None:
        self.port, self.fifo, self.log = free_port(), folder / "fifo", folder / "log"
        os.mkfifo(self.fifo)
        self.process = Forked(self.log, serve, self.fifo, self.port)
        wait_for(self.port, self.process, self.log)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE_SECONDS) == 0, self.log.read_text(encoding="utf-8")

    def connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def status(self) -> int:
        """The status of one request over a connection of its own."""
        with closing(self.connection()) as connection:
            return asked(connection)

    def wire(self, sent: bytes = b"") -> socket.socket:
        """A connection over which this was sent, and nothing else."""
        wire = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)
        wire.sendall(sent)
        return wire

    def workers(self) -> set[int]:
        """The processes that answer."""
        of = self.process.pid
        return {int(each) for each in Path(f"/proc/{of}/task/{of}/children").read_text().split()}


def asked(connection: HTTPConnection, path: str = "/livez") -> int:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status
