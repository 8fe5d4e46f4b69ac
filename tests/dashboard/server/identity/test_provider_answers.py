"""What a provider's answers about who signed in lead to, over HTTP."""

from __future__ import annotations

import json
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


class Provider(ThreadingHTTPServer):
    """A provider that signs with `key` and publishes it; `sends` no ID token where it is False."""

    def __init__(self) -> None:
        self.nonce, self.sends = "", True
        self.key = ECKey.generate_key("P-256", {"kid": "the only id"})
        super().__init__(("127.0.0.1", 0), Answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def metadata(self) -> dict[str, object]:
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        found = {name: f"{self.url}/{at}" for name, at in (places | {"jwks_uri": "keys"}).items()}
        return {"issuer": self.url, "id_token_signing_alg_values_supported": ["ES256"], **found}

    def token(self) -> dict[str, object]:
        claims = {"iss": self.url, "aud": "breakeven", "sub": "1", "nonce": self.nonce}
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
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self.server.token())

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
def browser(provider: Provider, tmp_path: Path) -> FlaskClient:
    server = Flask("signing in")
    server.secret_key = "key"
    auth = {"mode": "oidc", "issuer": provider.url, "client_id": "breakeven"}
    access = [{"user": "fay@example.com", "role": "viewer"}]
    config = {"auth": auth, "access": access}
    add_identity(server, validated_settings(config, home=tmp_path))
    return server.test_client()


def signed_in(browser: FlaskClient, provider: Provider) -> tuple[int, str]:
    """Goes to the provider and back; returns status and text of what the dashboard answers."""
    to = parse_qs(urlsplit(browser.get("/sign-in").headers["Location"]).query)
    provider.nonce = to["nonce"][0]
    back = browser.get(f"/sign-in/back?code=c&state={to['state'][0]}")
    return back.status_code, back.text


def test_a_key_that_was_changed_under_its_id_is_fetched_by_the_next_try(
    provider: Provider, browser: FlaskClient
) -> None:
    assert signed_in(browser, provider)[0] == 302
    provider.key = ECKey.generate_key("P-256", {"kid": "the only id"})
    status, text = signed_in(browser, provider)
    assert (status, "Bad signature" in text) == (401, True)
    assert signed_in(browser, provider)[0] == 302


def test_a_provider_that_sends_no_id_token_is_told_as_such(
    provider: Provider, browser: FlaskClient
) -> None:
    provider.sends = False
    status, text = signed_in(browser, provider)
    assert (status, "The provider sent no ID token." in text) == (401, True)
