"""A session is a cookie that only the server can sign, lasts eight hours and can be ended."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
import requests
from flask import Flask
from flask.sessions import SecureCookieSessionInterface

from dashboard.server.identity.return_address import own_address
from models.records import audit
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, Served, free_port, served

ACCESS = """
[[access]]
group = "readers"
role = "viewer"
"""
PAGE = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signed_in")


@pytest.fixture(scope="module")
def site(data: Path) -> Iterator[Served]:
    """A dashboard whose provider does not answer."""
    issuer = f'auth = {{mode = "oidc", issuer = "http://127.0.0.1:{free_port()}", client_id = "x"}}'
    hosts = 'serve.hosts = ["costs.example.com"]'
    with served(data, f"{issuer}\n{hosts}\n{PLAIN}{ACCESS}") as running:
        yield running


def cookie(data: Path, **changed: object) -> dict[str, str]:
    """The cookie of somebody who has just signed in, with what it holds changed."""
    key = json.loads((data / "web.json").read_text())["secret_key"]
    server = Flask("signer")
    server.secret_key = changed.pop("key", key)
    signer = SecureCookieSessionInterface().get_signing_serializer(server)
    assert signer is not None
    until = time.time() + 3600
    held = {"id": "s1", "name": "viv", "groups": ["readers"], "until": until} | changed
    name = f"breakeven_session_{sha256(key.encode()).hexdigest()[:8]}"
    return {name: signer.dumps(held)}


def asked(site: Served, cookies: dict[str, str], path: str = "/_dash-layout") -> requests.Response:
    url = f"{site.url}{path}"
    return requests.get(url, cookies=cookies, timeout=PATIENCE_SECONDS, allow_redirects=False)


def test_a_session_is_somebody_until_its_time_is_over(site: Served, data: Path) -> None:
    assert asked(site, cookie(data)).status_code == 200
    assert asked(site, cookie(data, until=time.time() - 1)).status_code == 401
    assert asked(site, cookie(data, key="another key")).status_code == 401
    assert asked(site, cookie(data, groups=[])).status_code == 403
    assert asked(site, {}).status_code == 401


def test_people_are_sent_to_sign_in_and_back(site: Served) -> None:
    answer = site.ask("GET", "/runs?from=2025-01-01&where=a%26b", **PAGE)
    assert answer.status == 302
    to = "/sign-in?to=%2Fruns%3Ffrom%3D2025-01-01%26where%3Da%2526b"
    assert answer.headers["Location"] == to
    answer = site.ask("GET", "/workload/a%3Fb%2541", **PAGE)
    assert answer.headers["Location"] == "/sign-in?to=%2Fworkload%2Fa%253Fb%252541"
    assert site.ask("POST", "/_dash-update-component", **PAGE).status == 401


def test_a_provider_that_does_not_answer_is_said_to_be_so(site: Served) -> None:
    answer = site.ask("GET", "/sign-in", **PAGE)
    assert answer.status == 503
    assert "The provider does not answer" in answer.text


@pytest.mark.parametrize("query", ["", "?code=1&state=2", "?error=no&error_description=Call%20us"])
def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(
    site: Served, query: str
) -> None:
    answer = site.ask("GET", f"/sign-in/back{query}", **PAGE)
    assert answer.status == 401
    assert "began in another browser" in answer.text
    assert "Call us" not in answer.text


def test_no_copy_of_a_cookie_outlives_signing_out(site: Served, data: Path) -> None:
    held = cookie(data, id="s2", csrf_token="t")
    with requests.Session() as tab:
        tab.cookies.update(held)
        tab.get(site.url, timeout=PATIENCE_SECONDS)
        token = next(value for name, value in tab.cookies.items() if "csrf" in name)
        form = {"data": {"csrf_token": token}, "timeout": PATIENCE_SECONDS}
        foreign = tab.post(f"{site.url}/sign-out", headers={"Origin": "https://x.io"}, **form)
        assert (foreign.status_code, asked(site, held).status_code) == (403, 200)
        answer = tab.post(f"{site.url}/sign-out", headers={"Origin": site.url}, **form)
    assert answer.status_code == 200
    assert "You are signed out." in answer.text
    assert asked(site, held).status_code == 401
    assert asked(site, cookie(data, id="s3")).status_code == 200, "another session goes on"
    ended = [line for line in audit.lines(data) if line["what"] == "sign-out"]
    assert [(line["who"], line["role"]) for line in ended] == [("viv", "viewer")]


def test_a_session_cookie_is_for_tls_only_but_on_loopback(site: Served) -> None:
    answer = site.ask("GET", "/signed-in", Host="localhost", **PAGE)
    assert answer.status == 302
    page = site.ask("GET", "/sign-in", Host="localhost", **PAGE)
    assert "SameSite=Lax" in page.headers["Set-Cookie"]
    assert "Secure" not in page.headers["Set-Cookie"]
    assert "__Host-" not in page.headers["Set-Cookie"]


def test_no_neighbour_of_the_domain_can_set_the_session(site: Served, data: Path) -> None:
    """A browser takes a cookie of this name from this host alone, over TLS."""
    sent = next(iter(cookie(data).items()))
    for name, status in ((sent[0], 401), (f"__Host-{sent[0]}", 200)):
        held = {"Host": "costs.example.com", "Cookie": f"{name}={sent[1]}"}
        assert site.ask("GET", "/_dash-layout", **held).status == status
    page = site.ask("GET", "/sign-in", Host="costs.example.com", **PAGE)
    session = page.headers["Set-Cookie"]
    assert session.startswith("__Host-breakeven_session_")
    assert {"Secure", "HttpOnly", "Path=/"} <= {part.strip() for part in session.split(";")}
    assert "Domain" not in session


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/runs?from=2025-01-01", "/runs?from=2025-01-01"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\t/evil.example/", "/"),
        ("", "/"),
        ("/" + "x" * 1500, "/"),
    ],
)
def test_after_signing_in_nobody_is_sent_to_another_site(address: str, page: str) -> None:
    assert own_address(address) == page


def test_a_host_that_is_no_address_is_400(site: Served) -> None:
    assert site.ask("GET", "/", Host="[").status == 400
