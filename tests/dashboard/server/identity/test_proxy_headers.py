"""Behind a proxy that names people in plain headers: who gets in, as whom, and what they may do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import dash
import pytest

from models.access.person import Grant
from models.records import audit
from models.records.tokens import Tokens
from tests.support.dashboard.server import PLAIN, Served, Tab, served

ACCESS = """
tags.extra = ["team"]
[auth]
mode = "proxy"
trusted_proxies = ["127.0.0.1"]
[[access]]
group = "readers"
role = "viewer"
[[access]]
user = "fay"
role = "finance"
[[access]]
user = "zoë"
role = "viewer"
[[access]]
group = "bücher"
role = "viewer"
"""
CONFIG = PLAIN.replace('tags.workload = "model-name"', 'tags.workload = "model-name"' + ACCESS)
PAGE = {"Accept": "text/html"}
FAY = {"X_Forwarded_User": "fay"}
VIV = {"X_Forwarded_User": "viv", "X_Forwarded_Groups": "all, readers"}
OPEN = ("/livez", "/healthz", "/readyz")
FILES = "/assets/", "/_dash-component-suites/"
WITHIN = {
    "mart": "savings_daily",
    "month": "2025-06",
    "kind": "json",
    "number": "investment",
    "path:path": "trust",
    "path:filename": "app.css",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("proxied")


@pytest.fixture(scope="module")
def site(data: Path) -> Iterator[Served]:
    with served(data, CONFIG) as running:
        yield running


def rules(app: dash.Dash) -> Iterator[tuple[str, str]]:
    """Every method and address that there is, each variable filled in with something there is."""
    for rule in app.server.url_map.iter_rules():
        address = rule.rule
        for name, value in WITHIN.items():
            address = address.replace(f"<{name}>", value)
        for method in sorted(rule.methods or ()):
            yield method, address


def test_no_route_answers_without_an_identity(site: Served, app: dash.Dash) -> None:
    answers = {
        (method, address): site.ask(method, address).status
        for method, address in rules(app)
        if address not in OPEN and not address.startswith(FILES)
    }
    assert len(answers) > 40
    assert {each for each in answers.items() if each[1] != 401} == set()
    assert {site.ask("GET", path).status for path in ("/livez", "/healthz", "/assets/app.css")} == {
        200
    }
    assert site.ask("GET", "/readyz").status == 503, "nothing is published, and anybody may know"


def test_who_is_refused_is_told_in_a_page_or_in_a_line(site: Served) -> None:
    page, line = site.ask("GET", "/", **PAGE), site.ask("GET", "/_dash-layout")
    assert (page.status, line.status) == (401, 401)
    assert "The request does not say who sends it." in page.text
    assert line.text == "the request does not say who sends it\n"
    assert line.headers["Www-Authenticate"] == "Bearer"
    stranger = site.ask("GET", "/", X_Forwarded_User="sam", X_Forwarded_Groups="all", **PAGE)
    assert stranger.status == 403
    assert "No entry of [[access]] names this user" in stranger.text


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Forwarded_User": "mallory, fay"},
        {"X_Forwarded_User": "f" * 129},
        {"X_Forwarded_User": " "},
        {"Authorization": "Bearer breakeven_made-up"},
        {"Authorization": "Bearer breakeven_made-up", "X_Forwarded_User": "fay"},
    ],
)
def test_what_names_nobody_is_refused(site: Served, headers: dict[str, str]) -> None:
    assert site.ask("GET", "/_dash-layout", **headers).status == 401


@pytest.mark.parametrize(
    ("name", "source", "status"),
    [
        ("X-Forwarded-User", "127.0.0.1", 200),
        ("X_Forwarded_User", "127.0.0.1", 401),
        ("X-Forwarded-User", "127.0.0.2", 401),
    ],
)
def test_only_the_proxy_may_name_somebody_and_only_in_its_header(
    site: Served, name: str, source: str, status: int
) -> None:
    connection = HTTPConnection("127.0.0.1", site.port, source_address=(source, 0))
    with closing(connection):
        connection.request("GET", "/_dash-layout", headers={name: "fay"})
        assert connection.getresponse().status == status


@pytest.mark.parametrize(
    ("name", "groups", "status"),
    [
        ("zoë", "", 200),
        ("sam", "all, bücher", 200),
        ("zoé", "", 403),
    ],
)
def test_names_are_read_as_utf_8(site: Served, name: str, groups: str, status: int) -> None:
    headers = {"X-Forwarded-User": name.encode(), "X-Forwarded-Groups": groups.encode()}
    with closing(HTTPConnection("127.0.0.1", site.port)) as connection:
        connection.request("GET", "/_dash-layout", headers=headers)
        assert connection.getresponse().status == status


def test_a_foreign_host_is_refused_before_anybody_is_looked_for(site: Served) -> None:
    assert site.ask("GET", "/", Host="evil.example", **FAY).status == 400


def test_closing_is_refused_where_it_happens_not_only_hidden(site: Served, data: Path) -> None:
    viewer, finance = (
        Tab(site.url, {name.replace("_", "-"): value for name, value in who.items()})
        for who in (VIV, FAY)
    )
    body = viewer.body("finance-message")
    fields = [{**each, "value": "2025-06"} for each in body["state"]]
    pressed = {"state": fields, "inputs": [{**each, "value": 1} for each in body["inputs"]]}
    assert "Not closed" in viewer.call("finance-message", pressed).text
    assert (
        "this needs the role finance: viv is viewer" in viewer.call("finance-message", pressed).text
    )
    assert "this needs" not in finance.call("finance-message", pressed).text
    closes = [line for line in audit.lines(data) if line["what"] == "close"]
    named = [(line["who"], line["by"]) for line in closes[::2]]
    assert named == [("viv", "viv"), ("viv", "viv"), ("fay", "fay")]


def test_statements_are_finances_and_pages_are_everybodys(site: Served, data: Path) -> None:
    assert site.ask("GET", "/finance", **VIV, **PAGE).status == 200
    before = len(audit.lines(data))
    refused = site.ask("GET", "/statement/2025-06.json", **VIV)
    assert (refused.status, refused.text) == (
        403,
        "this needs the role finance: viv is viewer (an entry of [[access]] grants it)\n",
    )
    assert site.ask("GET", "/statement/2025-06.json", **FAY).status in (404, 503)
    told = [(line["who"], line["role"], line["what"]) for line in audit.lines(data)[before:]]
    assert (
        told
        == [("viv", "viewer", "export statement")] * 2
        + [("fay", "finance", "export statement")] * 2
    )


def test_the_audit_says_where_a_request_came_from(site: Served, data: Path) -> None:
    site.ask("GET", "/statement/2025-06.json", X_Forwarded_For="6.6.6.6, 10.1.2.3", **FAY)
    assert audit.lines(data)[-1]["from"] == "10.1.2.3"


def test_a_token_reads_beside_the_proxy_until_it_is_revoked(site: Served, data: Path) -> None:
    tokens = Tokens(data)
    secret = tokens.create("grafana", Grant("viewer"), 90)
    bearer = {"Authorization": f"Bearer {secret}"}
    assert site.ask("GET", "/_dash-layout", **bearer).status == 200
    assert site.ask("GET", "/statement/2025-06.json", **bearer).status == 403
    (kept,) = tokens.every()
    assert kept.used_at != ""
    assert secret not in (data / "tokens.json").read_text()
    tokens.revoke("grafana")
    assert site.ask("GET", "/_dash-layout", **bearer).status == 401


def test_a_flood_of_refusals_is_a_line_of_the_audit(site: Served, data: Path) -> None:
    site.ask("GET", "/_dash-layout", X_Forwarded_User="flood, flood")
    before = len(audit.lines(data))
    for _ in range(300):
        site.ask("GET", "/_dash-layout", X_Forwarded_User="flood, flood")
    assert len(audit.lines(data)) - before <= 1, "one for each process of the server"


def test_a_file_of_tokens_that_cannot_be_read_is_said_in_a_line(site: Served, data: Path) -> None:
    tokens = data / "tokens.json"
    tokens.write_text("no JSON")
    try:
        answer = site.ask("GET", "/_dash-layout", Authorization="Bearer breakeven_x")
    finally:
        tokens.unlink()
    assert answer.status == 503
    assert answer.text == f"cannot read {tokens}: no JSON object (restore a backup of it)\n"
    assert "Traceback" not in site.logged()
