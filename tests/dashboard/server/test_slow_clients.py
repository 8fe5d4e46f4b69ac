"""Slow clients hold up nobody, whether they are idle, send slowly or take slowly."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from dashboard.server.gunicorn_server import THREADS
from tests.support.dashboard.server import PATIENCE_SECONDS
from tests.support.dashboard.site import Site, asked

IDLE, HALF = 60, 32
"""More than the server has threads."""
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
PAUSE_SECONDS = 2.5
"""Longer than gunicorn keeps a connection by itself."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def slow(site: Site) -> Iterator[tuple[list[socket.socket], list[socket.socket]]]:
    """Connections that are idle, and some over which half a request was sent or none is taken."""
    with ExitStack() as opened:
        idle = [opened.enter_context(site.wire()) for _ in range(IDLE)]
        halves = (HEAD + b"X-Half: o", HEAD + b"\r\nhalf of it")
        half = [opened.enter_context(site.wire(halves[each % 2])) for each in range(HALF)]
        yield idle, half


def test_others_are_answered_meanwhile(site: Site, slow: object) -> None:
    for _ in range(40):
        assert site.status() == 200


def test_a_body_of_two_lengths_is_refused_with_what_follows(site: Site) -> None:
    """Where a proxy reads the other length, the rest would be somebody else's request."""
    twice = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with site.wire(b"POST / HTTP/1.1\r\nHost: localhost\r\n" + twice + LARGE) as wire:
        answer = b"".join(iter(lambda: wire.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_no_request_over_a_reused_connection_breaks(site: Site, slow: object) -> None:
    def hundreds(_: int) -> set[int]:
        connection = site.connection()
        connection.connect()
        wire = connection.sock
        found = {asked(connection) for _ in range(250)}
        assert connection.sock is wire
        connection.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(hundreds, range(4))) == [{200}] * 4


def test_a_connection_is_still_open_after_a_pause(site: Site, slow: object) -> None:
    connection = site.connection()
    assert asked(connection) == 200
    wire = connection.sock
    assert select.select([wire], [], [], PAUSE_SECONDS) == ([], [], [])
    assert asked(connection) == 200
    assert connection.sock is wire
    connection.close()


def test_what_takes_no_answer_is_ended_and_others_are_answered(site: Site, slow: object) -> None:
    with ExitStack() as opened:
        for _ in range(THREADS):
            wire = opened.enter_context(site.wire(LARGE))
            assert wire.recv(8, socket.MSG_PEEK) == b"HTTP/1.1"
        assert site.status() == 200


def test_what_is_half_sent_is_ended_and_what_is_idle_is_not(
    site: Site, slow: tuple[list[socket.socket], list[socket.socket]]
) -> None:
    idle, half = slow
    assert [each.recv(1) for each in half] == [b""] * HALF
    assert select.select(idle, [], [], 0) == ([], [], [])
    idle[0].sendall(HEAD + b"\r\n" + b"x" * 100)
    assert idle[0].recv(15) == b"HTTP/1.1 200 OK"


def test_a_killed_worker_is_replaced(site: Site) -> None:
    before, seen = site.workers(), set[int]()
    for each in before:
        os.kill(each, signal.SIGKILL)
    pause = threading.Event()
    for _ in range(PATIENCE_SECONDS * 20):
        seen = site.workers()
        if len(seen) == len(before) and not seen & before:
            break
        pause.wait(0.05)
    assert len(seen) == len(before) == 1
    assert site.status() == 200


def test_a_running_request_is_answered_before_the_server_stops(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with site.wire() as idle, site.wire(b"GET /waits HTTP/1.0\r\nHost: localhost\r\n\r\n") as wire:
        pause = threading.Event()
        while not site.fifo.with_suffix(".waits").exists():
            pause.wait(0.01)
        site.process.terminate()
        assert idle.recv(1) == b""
        site.fifo.write_text("answered", encoding="utf-8")
        assert wire.makefile("rb").read().endswith(b"\r\n\r\nanswered")
    assert site.process.wait(PATIENCE_SECONDS) == 0
