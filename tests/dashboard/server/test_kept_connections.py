"""A proxy in front sends its next request over the connection of the last one."""

from __future__ import annotations

import select
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest

from tests.support.dashboard import world
from tests.support.dashboard.server import Served, served

PAUSE_SECONDS = 4.0
"""Longer than gunicorn keeps a connection by itself."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("site")
    world.publish(folder)
    with served(folder) as running:
        yield running


def asked(connection: HTTPConnection) -> int:
    connection.request("GET", "/livez")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_a_connection_is_still_open_after_a_pause(server: Served) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    assert asked(connection) == 200
    wire = connection.sock
    assert select.select([wire], [], [], PAUSE_SECONDS) == ([], [], [])
    assert asked(connection) == 200
    assert connection.sock is wire
    connection.close()


def test_no_request_over_a_reused_connection_breaks(server: Served) -> None:
    def hundreds(_: int) -> set[int]:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.connect()
        wire = connection.sock
        found = {asked(connection) for _ in range(250)}
        assert connection.sock is wire
        connection.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(hundreds, range(4))) == [{200}] * 4
