"""What a browser is told while the provider is asked where to sign in, and afterwards."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flask import Flask

from dashboard.server.identity import provider_sign_in
from dashboard.server.identity.gate import add_identity
from models.config.loading import validated_settings
from tests.support.loopback import serving

PATIENCE_SECONDS = 60


class SlowProvider(ThreadingHTTPServer):
    """A provider that tells where to sign in only once it is let, but for what `lacks`."""

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()
        self.lacks: tuple[str, ...] = ()
        super().__init__(("127.0.0.1", 0), Metadata)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Metadata(BaseHTTPRequestHandler):
    server: SlowProvider

    def do_GET(self) -> None:
        self.server.asked.set()
        self.server.let.wait(PATIENCE_SECONDS)
        url = self.server.url
        places = {
            "issuer": url,
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
            "jwks_uri": f"{url}/keys",
        }
        found = {name: place for name, place in places.items() if name not in self.server.lacks}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is to be read of it."""


@pytest.fixture
def provider() -> Iterator[SlowProvider]:
    with serving(SlowProvider()) as made:
        yield made
        made.let.set()


def signing_in(issuer: str, home: Path) -> Flask:
    server = Flask("signing in")
    server.secret_key = "key"
    auth = {"mode": "oidc", "issuer": issuer, "client_id": "x"}
    add_identity(server, validated_settings({"auth": auth}, home=home))
    return server


def test_who_comes_while_the_provider_is_asked_is_sent_on_without_a_hand(
    provider: SlowProvider, tmp_path: Path
) -> None:
    server = signing_in(provider.url, tmp_path)
    first: list[int] = []

    def sign_in() -> None:
        first.append(server.test_client().get("/sign-in").status_code)

    waiting = threading.Thread(target=sign_in)
    waiting.start()
    assert provider.asked.wait(PATIENCE_SECONDS)
    meanwhile = server.test_client().get("/sign-in?to=/runs")
    assert (meanwhile.status_code, meanwhile.headers["Refresh"]) == (503, "2")
    assert "The provider is being asked where to sign in" in meanwhile.text
    provider.let.set()
    waiting.join(PATIENCE_SECONDS)
    assert first == [302]
    answer = server.test_client().get("/sign-in?to=/runs")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{provider.url}/authorize?")


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        (("authorization_endpoint",), "its metadata has no authorization_endpoint"),
        (("token_endpoint", "jwks_uri"), "its metadata has no token_endpoint, jwks_uri"),
        (("issuer",), "it calls itself None, auth.issuer is http://127.0.0.1:"),
    ],
)
def test_metadata_that_lacks_something_is_told_and_asked_for_again(
    provider: SlowProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lacks: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setattr(provider_sign_in, "FAULT_PAUSE_SECONDS", 0)
    provider.let.set()
    provider.lacks = lacks
    browser = signing_in(provider.url, tmp_path).test_client()
    refused = browser.get("/sign-in")
    assert refused.status_code == 503
    assert f"The provider does not answer: {said}" in refused.text
    provider.lacks = ()
    assert browser.get("/sign-in").status_code == 302
