"""What a provider's answers about who signed in lead to, over HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import ECKey

from dashboard.server.identity.gate import add_identity
from models.config.loading import validated_settings
from tests.support.loopback import serving

PATIENCE_SECONDS = 60


class Provider(ThreadingHTTPServer):
    """A provider that signs with `key` and publishes it; `sends` no ID token where it is False.

    It tells who signed in once it is `let`. A code is the nonce of its browser.
    """

    def __init__(self) -> None:
        self.sends, self.let, self.asked = True, threading.Event(), threading.Semaphore(0)
        self.let.set()
        self.key = ECKey.generate_key("P-256", {"kid": "the only id"})
        super().__init__(("127.0.0.1", 0), Answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def metadata(self) -> dict[str, object]:
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        found = {name: f"{self.url}/{at}" for name, at in (places | {"jwks_uri": "keys"}).items()}
        return {"issuer": self.url, "id_token_signing_alg_values_supported": ["ES256"], **found}

    def token(self, nonce: str) -> dict[str, object]:
        claims = {"iss": self.url, "aud": "breakeven", "sub": "1", "nonce": nonce}
        times = {"iat": int(time.time()), "exp": int(time.time()) + 60}
        header = {"alg": "ES256", "kid": "the only id"}
        signed = jwt.encode(header, {**claims, **times, "email": "fay@example.com"}, self.key)
        return {"access_token": "x", "token_type": "Bearer"} | (
            {"id_token": signed} if self.sends else {}
        )


class Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        keys = {"keys": [self.server.key.as_dict(private=False)]}
        self._answer(keys if self.path == "/keys" else self.server.metadata())

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.release()
        self.server.let.wait(PATIENCE_SECONDS)
        self._answer(self.server.token(parse_qs(sent)["code"][0]))

    def _answer(self, document: dict[str, object]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is to be read of it."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving(Provider()) as made:
        yield made


@pytest.fixture
def server(provider: Provider, tmp_path: Path) -> Flask:
    server = Flask("signing in")
    server.secret_key = "key"
    auth = {"mode": "oidc", "issuer": provider.url, "client_id": "breakeven"}
    access = [{"user": "fay@example.com", "role": "viewer"}]
    config = {"auth": auth, "access": access}
    add_identity(server, validated_settings(config, home=tmp_path))
    return server


@pytest.fixture
def browser(server: Flask) -> FlaskClient:
    return server.test_client()


def way_back(browser: FlaskClient) -> str:
    """Goes to the provider; returns the address to which it sends the browser back."""
    to = parse_qs(urlsplit(browser.get("/sign-in").headers["Location"]).query)
    return f"/sign-in/back?code={to['nonce'][0]}&state={to['state'][0]}"


def signed_in(browser: FlaskClient) -> tuple[int, str]:
    """Goes to the provider and back; returns status and text of what the dashboard answers."""
    back = browser.get(way_back(browser))
    return back.status_code, back.text


def test_a_key_that_was_changed_under_its_id_is_fetched_by_the_next_try(
    provider: Provider, browser: FlaskClient
) -> None:
    assert signed_in(browser)[0] == 302
    provider.key = ECKey.generate_key("P-256", {"kid": "the only id"})
    status, text = signed_in(browser)
    assert (status, "Bad signature" in text) == (401, True)
    assert signed_in(browser)[0] == 302


def test_a_provider_that_sends_no_id_token_is_told_as_such(
    provider: Provider, browser: FlaskClient
) -> None:
    provider.sends = False
    status, text = signed_in(browser)
    assert (status, "The provider sent no ID token." in text) == (401, True)


def test_a_slow_provider_keeps_half_of_the_threads_and_other_browsers_ask_again(
    provider: Provider, server: Flask
) -> None:
    provider.let.clear()
    browsers = [server.test_client() for _ in range(3)]
    ways = [way_back(each) for each in browsers]
    got: list[int] = []

    def come_back(number: int) -> None:
        got.append(browsers[number].get(ways[number]).status_code)

    waiting = [threading.Thread(target=come_back, args=(number,)) for number in (0, 1)]
    for each in waiting:
        each.start()
    assert all(provider.asked.acquire(timeout=PATIENCE_SECONDS) for _ in waiting)
    meanwhile = browsers[2].get(ways[2])
    assert (meanwhile.status_code, meanwhile.headers["Refresh"]) == (503, "2")
    assert "The provider is slow to answer" in meanwhile.text
    provider.let.set()
    for each in waiting:
        each.join(PATIENCE_SECONDS)
    assert got == [302, 302]
    assert browsers[2].get(ways[2]).status_code == 302
