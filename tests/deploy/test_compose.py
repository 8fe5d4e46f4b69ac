"""The profiles of compose: one on loopback, one with sign-in and TLS behind a real nginx."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from models.config.environment_overrides import variables
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, served, wait_for
from tests.support.provider.running import SECRET, provider

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "costs.example.com"
ACCESS = """
serve.hosts = ["{host}"]
auth = {{ issuer = "{issuer}", client_id = "breakeven" }}
access = [{{ group = "readers", role = "viewer" }}]
"""
AROUND = """
daemon off;
user root;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def test_no_profile_shows_a_bill_to_who_has_not_signed_in() -> None:
    services = compose()["services"]
    by_profile = {each["profiles"][0]: name for name, each in services.items() if "build" in each}
    assert by_profile == {"plain": "breakeven", "sign-in": "breakeven-sign-in"}
    plain, signed_in = services["breakeven"], services["breakeven-sign-in"]
    assert all(each.startswith("127.0.0.1:") for each in plain["ports"])
    assert "ports" not in signed_in, "only the proxy reaches it"
    assert signed_in["environment"]["BREAKEVEN_AUTH__MODE"] == "oidc"
    known = {name for name, _ in variables()}
    for each in (plain, signed_in):
        named = {name for name in each["environment"] if name.startswith("BREAKEVEN_")}
        assert named <= known
        assert (each["read_only"], each["cap_drop"]) == (True, ["ALL"])


def test_what_is_mounted_is_there() -> None:
    mounts = [m for m in compose()["services"]["tls"]["volumes"] if "certificates" not in m]
    assert all((DEPLOY / mount.partition(":")[0]).is_file() for mount in mounts)


@dataclass(frozen=True)
class Front:
    """The address of the proxy, and the certificate that it shows."""

    url: str
    certificate: str


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """The profile's nginx, with TLS, before a dashboard where people sign in."""
    folder, port, behind = tmp_path_factory.mktemp("front"), free_port(), free_port()
    made = Front(f"https://{HOST}:{port}", f"{folder}/fullchain.pem")
    certify(folder)
    config, log = folder / "nginx.conf", folder / "error.log"
    config.write_text(AROUND.format(folder=folder, server=server(folder, port, behind)))
    environ = compose()["services"]["breakeven-sign-in"]["environment"] | {
        "BREAKEVEN_AUTH__CLIENT_SECRET": SECRET,
        "BREAKEVEN_AUTH__TRUSTED_PROXIES": "127.0.0.1",
    }
    ours = {name for name, value in environ.items() if name.startswith("BREAKEVEN_") and value}
    given = {name: environ[name] for name in sorted(ours)}
    with provider(folder, f"{made.url}/sign-in/back") as issuer:
        text = ACCESS.format(host=HOST, issuer=issuer) + PLAIN
        with served(folder, text, environ=given, port=behind):
            proxy = subprocess.Popen(["nginx", "-e", log, "-c", config], stderr=subprocess.DEVNULL)
            try:
                wait_for(port, proxy, log)
                yield made
            finally:
                proxy.terminate()
                proxy.wait(PATIENCE_SECONDS)


def certify(folder: Path) -> None:
    """Makes a key and a certificate of the host."""
    line = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem"]
    named = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run([*line, *made, *named], check=True, capture_output=True)


def server(folder: Path, port: int, behind: int) -> str:
    """The profile's configuration of nginx, with addresses of this machine."""
    text = (DEPLOY / "tls" / "nginx.conf").read_text(encoding="utf-8")
    for written, here in (
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("breakeven-sign-in:8050", f"127.0.0.1:{behind}"),
        ("/etc/breakeven-tls/", f"{folder}/"),
    ):
        assert written in text
        text = text.replace(written, here)
    return text


@pytest.fixture
def person(front: Front, monkeypatch: pytest.MonkeyPatch) -> Iterator[requests.Session]:
    """Somebody whose machine finds the host here, and trusts its certificate."""
    found = socket.getaddrinfo

    def here(host: str, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the original
        return found("127.0.0.1" if host == HOST else host, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", here)
    with requests.Session() as session:
        session.trust_env = False  # else a bundle in the environment wins
        session.verify = front.certificate
        yield session


def submit(person: requests.Session, form: str, **fields: str) -> requests.Response:
    """Sends the form that a page of the provider has."""
    action = re.search(r'<form[^>]* action="([^"]+)"', form)
    assert action is not None, form
    return person.post(action[1], data=fields, timeout=PATIENCE_SECONDS)


@pytest.mark.systems
def test_people_sign_in_over_tls_and_come_to_the_page_that_they_wanted(
    front: Front, person: requests.Session
) -> None:
    wanted = f"{front.url}/runs?group=workload"
    form = person.get(wanted, headers={"Accept": "text/html"}, timeout=PATIENCE_SECONDS)
    assert form.url.startswith("http://127.0.0.1:"), "the provider's"
    consent = submit(person, form.text, prompt="login", login="viv", password="any")
    page = submit(person, consent.text, prompt="consent")
    assert (page.status_code, page.url) == (200, wanted)
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    (session,) = (each for each in person.cookies if "breakeven_session" in each.name)
    assert session.secure
    assert session.has_nonstandard_attr("HttpOnly")
    assert session.get_nonstandard_attr("SameSite") == "Lax"
    layout = person.get(f"{front.url}/_dash-layout", timeout=PATIENCE_SECONDS)
    assert "viv@example.com" in layout.text


@pytest.mark.systems
def test_nobody_else_gets_in_whatever_they_send(front: Front, person: requests.Session) -> None:
    forged = {"X-Forwarded-User": "boss", "X-Forwarded-Groups": "readers"}
    for headers, status in (({}, 401), (forged, 401), ({"Host": "evil.example"}, 400)):
        answer = person.get(f"{front.url}/_dash-layout", headers=headers, timeout=PATIENCE_SECONDS)
        assert answer.status_code == status
