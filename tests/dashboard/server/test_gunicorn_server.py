from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest
from flask import Flask
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config

from dashboard.server.gunicorn_server import Server, check_addresses, check_free, options
from models.config.loading import validated_settings
from models.contract.errors import ConfigError


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"the port is taken: 127.0.0.1:{port}"):
            check_free("127.0.0.1", port)
    check_free("127.0.0.1", port)


def test_metrics_on_the_port_of_the_dashboard_are_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
    serve = {"metrics": port, "metrics_token": "0123456789abcdef"}
    settings = validated_settings({"serve": serve}, home=tmp_path)
    check_addresses(settings, "127.0.0.2", port)
    with pytest.raises(ConfigError, match=f"the port is taken: 127.0.0.1:{port}"):
        check_addresses(settings, "127.0.0.1", port)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="not a port: 70000"):
        check_free("127.0.0.1", 70000)


@pytest.mark.parametrize("host", ["costs..exämple.com", "ä" * 64])
def test_a_name_that_no_host_has_is_refused(host: str) -> None:
    with pytest.raises(ConfigError, match=f"not a host name: {host} \\(choose another with --port"):
        check_free(host, 9464)


class Silent:
    """A worker that has said nothing since the machine was started."""

    aborted = False

    @property
    def tmp(self) -> Silent:
        return self

    def last_update(self) -> float:
        return float("-inf")


def killed(server: Server, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What gunicorn's master does to a silent worker of `server`."""
    master, kills = Arbiter(server), list[tuple[int, int]]()
    monkeypatch.setattr(master, "WORKERS", {4711: Silent()})
    monkeypatch.setattr(master, "kill_worker", lambda *kill: kills.append(kill))
    master.murder_workers()
    return kills


def test_a_worker_of_a_machine_that_stood_still_is_let_live(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = options("127.0.0.1", 8050, 2)
    assert killed(Server(Flask(__name__), told), monkeypatch) == []
    usual = told | {"timeout": Config().timeout}
    assert killed(Server(Flask(__name__), usual), monkeypatch) == [(4711, signal.SIGABRT)]
