"""What knowing who asks adds to a callback: the poll of an open page, from whoever sends it.

Each way of `auth.mode` is a server of its own with one worker, over a folder without a snapshot, so
that the callback itself does little. Requests go over one connection, one after the other; the ways
take turns. Goal: at most 3 ms more at p95 than where nobody says who they are.

    python -m benchmarks.serving.identity --requests 2000
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import quantiles

from flask import Flask, session
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from models.access.person import Grant
from models.records.tokens import Tokens

ROUND = 100
Headers = dict[str, str]
ACCESS = 'tags.extra = ["team"]\naccess = [{group = "readers", role = "viewer"}]\n'
POLL = {
    "output": "..shell-snapshot.data...shell-freshness.children...shell-stale.children..",
    "outputs": [
        {"id": "shell-snapshot", "property": "data"},
        {"id": "shell-freshness", "property": "children"},
        {"id": "shell-stale", "property": "children"},
    ],
    "inputs": [{"id": "shell-poll", "property": "n_intervals", "value": 1}],
    "state": [{"id": "shell-snapshot", "property": "data", "value": None}],
    "changedPropIds": ["shell-poll.n_intervals"],
}


@contextmanager
def keys(key: ECKey) -> Iterator[str]:
    """The address of a key set with one key."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(KeySet([key]).as_dict(private=False)).encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def serving(folder: Path, config: str) -> Iterator[HTTPConnection]:
    """A connection to a server over a folder."""
    (folder / "breakeven.toml").write_text(f'warehouse.path = "w.duckdb"\n{ACCESS}{config}')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = ["serve", "--config", f"{folder}/breakeven.toml", "--port", str(port), "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "breakeven", *line], stdout=subprocess.DEVNULL
    )
    try:
        while process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield HTTPConnection("127.0.0.1", port)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def cookies(folder: Path, **held: object) -> Headers:
    """The headers of a page whose session holds this, with its CSRF token."""
    key = json.loads((folder / "web.json").read_text())["secret_key"]
    server = Flask("signer")
    server.secret_key = key
    with server.test_request_context():
        token = generate_csrf()
        signer = SecureCookieSessionInterface().get_signing_serializer(server)
        assert signer is not None
        value = signer.dumps({**session, **held})
    name = f"breakeven_session_{sha256(key.encode()).hexdigest()[:8]}"
    sent = {"Cookie": f"{name}={value}", "X-CSRFToken": token, "Content-Type": "application/json"}
    return sent | {"Sec-Fetch-Site": "same-origin"}


def send(connection: HTTPConnection, headers: Headers) -> float:
    """Milliseconds of one poll."""
    begun = time.perf_counter()
    connection.request("POST", "/_dash-update-component", json.dumps(POLL), headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status in (200, 204), (answer.status, text)
    return 1000 * (time.perf_counter() - begun)


@dataclass(frozen=True)
class Way:
    """A way in which a request names its user: by config, headers, session or token."""

    config: str = ""
    headers: Headers = field(default_factory=dict)
    session: dict[str, object] = field(default_factory=dict)
    has_token: bool = False


def ways(issuer: str, key: ECKey) -> dict[str, Way]:
    """Every way to say who asks, by its name, the way of nobody first."""
    until = time.time() + 3600
    claims = {"iss": issuer, "aud": "x", "exp": until, "email": "viv", "groups": ["readers"]}
    signed = jwt.encode({"alg": "ES256", "kid": "one"}, claims, key)
    proxy, known = 'auth.mode = "proxy"\n', f'auth.issuer = "{issuer}"\n'
    header = f'auth.jwt_keys = "{issuer}"\nauth.jwt_header = "X-Id"\nauth.jwt_audience = "x"\n'
    named = {"X-Forwarded-User": "viv", "X-Forwarded-Groups": "readers"}
    held = {"id": "s", "name": "viv", "groups": ["readers"], "until": until}
    return {
        "nobody": Way(),
        "a plain header": Way(f'{proxy}auth.trusted_proxies = ["127.0.0.1"]\n', named),
        "a signed header": Way(proxy + known + header, {"X-Id": signed}),
        "a session": Way(f'auth.mode = "oidc"\n{known}auth.client_id = "x"\n', session=held),
        "a token": Way(has_token=True),
    }


@contextmanager
def ready(way: Way) -> Iterator[tuple[HTTPConnection, Headers]]:
    """A connection to a server that knows who asks in this way, and the headers to send."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name), way.config) as connection:
        sent = cookies(Path(name), **way.session) | way.headers
        if way.has_token:
            secret = Tokens(Path(name)).create("benchmark", Grant("viewer"), 1)
            sent["Authorization"] = f"Bearer {secret}"
        yield connection, sent


def measured(count: int) -> dict[str, list[float]]:
    """Milliseconds of each poll, by the way; a first round warms up."""
    key = ECKey.generate_key("P-256", {"kid": "one"})
    with ExitStack() as stack:
        issuer = stack.enter_context(keys(key))
        servers = {n: stack.enter_context(ready(way)) for n, way in ways(issuer, key).items()}
        taken: dict[str, list[float]] = {name: [] for name in servers}
        for turn in range(count // ROUND + 1):
            for name, (connection, sent) in servers.items():
                times = [send(connection, sent) for _ in range(ROUND)]
                taken[name] += times if turn else []
    return taken


def main() -> None:
    """Prints p50 and p95 of each way, and what they are more than nobody's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    taken = measured(parser.parse_args().requests)
    base = quantiles(taken["nobody"], n=20)[18]
    print(f"{len(taken['nobody'])} polls each, {os.cpu_count()} cores")
    for name, times in taken.items():
        cuts = quantiles(times, n=20)
        more = f"{cuts[18] - base:+.2f} ms at p95"
        print(f"{name:16} p50 {cuts[9]:.2f} ms, p95 {cuts[18]:.2f} ms, {more}")


if __name__ == "__main__":
    main()
