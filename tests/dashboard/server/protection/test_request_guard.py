"""Pages of other sites reach nothing, by whatever name they call this one."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from models.engine import build
from models.records.closes import Closes
from tests.support.closing.company import Company, company
from tests.support.dashboard import world
from tests.support.dashboard.server import Served, Tab, served
from tests.support.world import one_core

CALLBACK = "/_dash-update-component"
JULY = """
as_of = 2025-10-31
fiscal.first_month = 2
serve.hosts = ["costs.example.com"]
sources = [
    { kind = "focus", location = "bill.csv" },
    { kind = "progress_file", location = "progress.csv" },
]
investments = [
    { workload = "atlas-7b", date = 2025-05-20, kind = "engineering", days = 1, day_rate = 1000 },
]
"""


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """Its first month, June, is ready to be closed."""
    made = company(tmp_path_factory.mktemp("firm"))
    made.bill()
    with one_core(served=True):
        build.build(made.settings)
    return made


@pytest.fixture(scope="module")
def server(firm: Company) -> Iterator[Served]:
    with served(firm.world.folder, JULY) as running:
        yield running


def closing(tab: Tab) -> dict[str, Any]:
    """What the page sends when Close is pressed for June."""
    body = tab.body("finance-message")
    body["inputs"][0]["value"] = 1
    given = ("2025-06", "", "")
    for state, value in zip(body["state"], given, strict=True):
        state["value"] = value
    return body


FOREIGN = {
    "DNS rebinding": {"Host": "evil.example"},
    "a foreign page": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "a foreign page of an old browser": {"Origin": "https://evil.example", "Sec-Fetch-Site": None},
    "another port of this machine": {
        "Origin": "http://127.0.0.1:1",
        "Sec-Fetch-Site": "same-site",
    },
    "a sandboxed frame": {"Origin": "null", "Sec-Fetch-Site": None},
    "no page at all": {"Origin": None, "Sec-Fetch-Site": None},
    "no token": {"X-CSRFToken": None},
    "a made-up token": {"X-CSRFToken": "IjAxMjM0NTY3ODki.aR.x"},
    "no session": {"Cookie": "a=b"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=list(FOREIGN))
def test_no_foreign_page_closes_a_month(
    server: Served, firm: Company, headers: dict[str, str | None]
) -> None:
    tab = Tab(server.url)
    asked = {"json": closing(tab), "headers": headers, "timeout": 60}
    answer = tab.post(server.url + CALLBACK, **asked)
    assert answer.status_code in (400, 403)
    assert Closes(firm.settings.data).every() == []


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("localhost.", 400),
        ("local host", 400),
        ("", 400),
        ("localhost", 200),
        ("127.0.0.1:9000", 200),
        ("costs.example.com", 200),
        ("costs.example.com:443", 200),
        ("x.costs.example.com", 400),
        ("[::1]", 200),
        ("[::1]:9000", 200),
        ("[::1]:90000", 400),
        ("[::1].evil.example", 400),
        ("[::1]@evil.example", 400),
        ("[::2]", 400),
        ("evil.example:[::1]", 400),
    ],
)
def test_only_configured_hosts_are_answered(server: Served, host: str, status: int) -> None:
    for path in ("/", "/healthz", "/assets/app.css", "/statement/2025-06.json", "/nowhere"):
        answer = server.ask("GET", path, Host=host)
        assert answer.status in ({status, 404} if path == "/nowhere" else {status}), path
        assert status == 200 or "Set-Cookie" not in answer.headers


def test_a_host_that_is_not_answered_is_told_where_to_name_it(server: Served) -> None:
    for path in ("/", "/livez"):
        answer = server.ask("GET", path, Host="big.example:8050")
        assert answer.text == (
            "this host is not answered: 'big.example:8050' (name it in serve.hosts)\n"
        )


def test_a_cached_answer_is_not_given_to_a_foreign_host(server: Served) -> None:
    tab = Tab(server.url)
    asked = {"json": tab.body("overview-curve.children"), "timeout": 60}
    for _ in range(2):
        assert tab.post(server.url + CALLBACK, **asked).status_code == 200
    answer = tab.post(server.url + CALLBACK, **asked, headers={"Host": "evil.example"})
    assert answer.status_code == 400


def test_a_page_of_this_site_closes_the_month(server: Served, firm: Company) -> None:
    tab = Tab(server.url)
    tab.post(server.url + CALLBACK, json=closing(tab), timeout=60).raise_for_status()
    assert [close.month for close in Closes(firm.settings.data).every()] == ["2025-06"]


def test_a_token_outlives_a_restart_and_is_no_other_dashboards(
    server: Served, tmp_path: Path
) -> None:
    world.publish(tmp_path)
    with served(tmp_path) as first:
        tab = Tab(first.url)
    with served(tmp_path) as again:
        tab.url = again.url
        tab.headers["Origin"] = again.url
        assert tab.call("overview-curve.children").status_code == 200
    assert not set(Tab(server.url).cookies.keys()) & set(tab.cookies.keys())
    assert (tmp_path / "web.json").stat().st_mode & 0o777 == 0o600


DATA = ("/", "/finance", "/_dash-layout", "/csv/runs", "/statement/2025-06.json", "/healthz")


def test_an_answer_with_data_is_framed_by_nobody_and_kept_by_nobody(server: Served) -> None:
    for path in DATA:
        headers = server.ask("GET", path).headers
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert "Strict-Transport-Security" not in headers
    kept = server.ask("GET", "/assets/plotly-basic.min.js").headers
    assert kept["Cache-Control"] == "public, max-age=31536000"
    assert kept["X-Content-Type-Options"] == "nosniff"


def test_behind_tls_browsers_are_told_to_stay_there(server: Served) -> None:
    headers = server.ask("GET", "/", X_Forwarded_Proto="https").headers
    assert headers["Strict-Transport-Security"].startswith("max-age=31536000")


def test_each_inline_script_is_allowed_by_its_hash(server: Served) -> None:
    page = server.ask("GET", "/")
    inline = re.findall(r"<script(?: id=\"_dash-renderer\"[^>]*)?>(.*?)</script>", page.text, re.S)
    assert len(inline) >= 2
    for script in inline:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.headers["Content-Security-Policy"]
