"""The real server in its own process, and what is sent to it over a real socket."""

from __future__ import annotations

import json
import secrets
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient

from tests.support.dashboard import world
from tests.support.dashboard.forked import Forked, command

CONFIG = """
as_of = {as_of}
warehouse.path = "warehouse.duckdb"
tags.workload = "model-name"
[[workloads]]
name = "atlas-7b"
target_loss = 1.48
"""
PLAIN = CONFIG.format(as_of=world.AS_OF)
PATIENCE_SECONDS = 60
PORTS = range(20_000, 32_768)


@dataclass(frozen=True)
class Served:
    """A running server: where it listens, its process, and what it has logged."""

    port: int
    process: Forked
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """One request with exactly these headers; `_` of a name is a hyphen."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.putrequest(method, path, skip_host="Host" in given)
            for name, value in given.items():
                connection.putheader(name, value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Answer(
                answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")
            )
        finally:
            connection.close()


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str


class Tab(requests.Session):
    """What a browser's tab sends: the page's origin, its cookies, and the token among them."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.url = url
        self.headers.update(headers or {})
        self.get(url, timeout=PATIENCE_SECONDS).raise_for_status()
        tokens = [value for name, value in self.cookies.items() if "csrf" in name]
        self.headers.update(
            {"Origin": url, "Sec-Fetch-Site": "same-origin", "X-CSRFToken": "".join(tokens)}
        )

    def call(self, of: str, body: Mapping[str, Any] | None = None) -> requests.Response:
        """Calls the callback whose output has `of` in its name, with nothing in its fields."""
        return self.post(
            f"{self.url}/_dash-update-component",
            json=self.body(of) | (body or {}),
            timeout=PATIENCE_SECONDS,
        )

    def known(self) -> list[dict[str, Any]]:
        """Every callback, as the page is told of it."""
        found: list[dict[str, Any]] = self.get(
            f"{self.url}/_dash-dependencies", timeout=PATIENCE_SECONDS
        ).json()
        return found

    def body(self, of: str, known: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """What the page sends to the callback whose output has `of` in its name."""
        wired = next(entry for entry in known or self.known() if of in entry["output"])
        parts = wired["output"].strip(".").split("...")
        outputs = [_part(*part.rsplit(".", 1)) for part in parts]
        return {
            "output": wired["output"],
            "outputs": outputs if len(parts) > 1 else outputs[0],
            "inputs": [_part(**each) | {"value": None} for each in wired["inputs"]],
            "state": [_part(**each) | {"value": None} for each in wired["state"]],
            "changedPropIds": [],
        }


def _part(id: str, property: str) -> dict[str, Any]:
    return {"id": json.loads(id) if id.startswith("{") else id, "property": property}


def tab_within(server: Flask) -> FlaskClient:
    """What a tab sends, to a server in this process."""
    client = server.test_client()
    client.get("/")
    name = server.config["SESSION_COOKIE_NAME"].replace("session", "csrf")
    token = client.get_cookie(name)
    assert token is not None
    client.environ_base |= {"HTTP_ORIGIN": "http://localhost", "HTTP_X_CSRFTOKEN": token.value}
    return client


@contextmanager
def served(
    folder: Path,
    text: str = PLAIN,
    *options: str,
    environ: Mapping[str, str] | None = None,
    port: int | None = None,
) -> Iterator[Served]:
    """`breakeven serve` over `folder`, in its own process, until the block ends."""
    config, log = folder / "breakeven.toml", folder / "server.log"
    config.write_text(text, encoding="utf-8")
    port = port or free_port()
    verb = ("serve", "--config", str(config), "--port", str(port), *options)
    process = Forked(log, command, *verb, environ=environ)
    try:
        wait_for(port, process, log)
        yield Served(port, process, log)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0, log.read_text(encoding="utf-8")


def free_port() -> int:
    """Below the ports that Linux gives out by itself, to a client or to a server that asks for any.

    Such a port can be given to another test before the server listens, which is then asked in its
    place; and who waits for the server can be given it and reach himself.
    """
    while True:
        port = PORTS.start + secrets.randbelow(len(PORTS))
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def answers(port: int) -> bool:
    """Whether a server answers; one that only tries whether its port is free resets connections.

    What it is asked is no request, so it is counted nowhere.
    """
    with socket.socket() as probe:
        probe.settimeout(PATIENCE_SECONDS)
        try:
            probe.connect(("127.0.0.1", port))
            probe.sendall(b"?\r\n\r\n")
            return bool(probe.recv(1))
        except OSError:
            return False


def wait_for(port: int, process: Forked | subprocess.Popen[bytes], log: Path) -> None:
    pause = threading.Event()
    for _ in range(PATIENCE_SECONDS * 20):
        assert process.poll() is None, f"the server ended: {log.read_text(encoding='utf-8')}"
        if answers(port):
            return
        pause.wait(0.05)
    pytest.fail(f"the server did not listen on port {port} in {PATIENCE_SECONDS} s")
