"""People sign in at a real provider, in a real browser: who may do what, and for how long."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, expect

from models.engine import build
from models.records import audit
from tests.browser.pages.test_finance import CONFIG
from tests.support.closing.company import company
from tests.support.dashboard.server import PATIENCE_SECONDS, free_port, served
from tests.support.provider.people import sign_in, somebody
from tests.support.provider.running import SECRET, provider

pytestmark = pytest.mark.systems
ACCESS = """
auth = {{ mode = "oidc", issuer = "{issuer}", client_id = "breakeven" }}
access = [
    {{ group = "controlling", role = "finance" }},
    {{ group = "readers", role = "viewer" }},
    {{ user = "ada@example.com", role = "admin" }},
    {{ user = "sue@example.com", role = "viewer", workloads = ["atlas-*"] }},
]
"""
JUNE = "/finance?month=2025-06"
MAIL = "{}@example.com"


@dataclass(frozen=True)
class Site:
    url: str
    data: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    firm = company(tmp_path_factory.mktemp("firm"))
    firm.bill()
    build.build(firm.settings)
    folder, port = firm.world.folder, free_port()
    with provider(folder, f"http://127.0.0.1:{port}/sign-in/back") as issuer:
        text = ACCESS.format(issuer=issuer) + CONFIG
        environ = {"BREAKEVEN_AUTH__CLIENT_SECRET": SECRET}
        with served(folder, text, environ=environ, port=port) as running:
            yield Site(running.url, firm.settings.data)


def session_cookie(context: BrowserContext) -> dict[str, str]:
    found = {each["name"]: each for each in context.cookies() if "_session_" in each["name"]}
    (cookie,) = found.values()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"
    return {cookie["name"]: cookie["value"]}


def status(site: Site, cookies: dict[str, str]) -> int:
    url = f"{site.url}/_dash-layout"
    return requests.get(url, cookies=cookies, timeout=PATIENCE_SECONDS).status_code


def test_a_viewer_reads_and_finance_closes_in_their_name(site: Site, chromium: Browser) -> None:
    with somebody(chromium) as viewer:
        page = viewer.new_page()
        page.goto(site.url + JUNE)
        sign_in(page, "viv")
        expect(page).to_have_url(site.url + JUNE)
        expect(page.get_by_role("heading", level=1)).to_contain_text("In Jun 2025")
        expect(page.locator(".reader", has_text="viv@example.com")).to_be_visible()
        expect(page.get_by_role("button", name="Close Jun 2025")).to_be_hidden()
        expect(page.get_by_role("link", name="Workbook")).to_have_count(0)
        assert page.request.get(f"{site.url}/statement/2025-06.json").status == 403
    with somebody(chromium) as finance:
        page = finance.new_page()
        page.goto(site.url + JUNE)
        sign_in(page, "fay")
        page.get_by_role("button", name="Close Jun 2025").click()
        expect(page.locator("#finance-message")).to_contain_text("Jun 2025 is version 1")
        row = page.get_by_role("row").filter(has_text="Jun 2025").filter(has_text="fay@")
        expect(row.first).to_be_visible()
        assert page.request.get(f"{site.url}/statement/2025-06.json").status == 200
    told = {(line["who"], line["role"], line["what"]) for line in audit.lines(site.data)}
    assert {
        (MAIL.format("viv"), "viewer", "sign-in"),
        (MAIL.format("fay"), "finance", "sign-in"),
        (MAIL.format("fay"), "finance", "close"),
    } <= told


def test_who_reads_some_workloads_has_no_finance_page(site: Site, chromium: Browser) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(site.url)
        sign_in(page, "sue")
        navigation = page.get_by_role("navigation", name="Pages")
        expect(navigation.get_by_role("link", name="Compare")).to_be_visible()
        expect(navigation.get_by_role("link", name="Finance")).to_have_count(0)
        expect(page.get_by_role("link", name="atlas-7b").first).to_be_visible()
        assert page.request.get(f"{site.url}/statement/2025-06.json").status == 404
        assert page.request.get(f"{site.url}/finance").status == 404


@pytest.mark.parametrize(("name", "count"), [("ada", 1), ("fay", 0)])
def test_admins_read_the_audit_log_on_trust(
    site: Site, chromium: Browser, name: str, count: int
) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(f"{site.url}/trust")
        sign_in(page, name)
        expect(page.get_by_role("region", name="Ingest log", exact=True).first).to_be_visible()
        log = page.get_by_role("region", name="Audit log").first
        expect(log).to_have_count(count)
        if count:
            row = log.get_by_role("row").filter(has_text=MAIL.format(name)).first
            expect(row).to_contain_text("sign-in")


def test_nobody_signs_in_while_that_cannot_be_recorded(site: Site, chromium: Browser) -> None:
    audit.record(site.data, "config", "done", {})
    trail, aside = site.data / audit.FILE, site.data / "aside"
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(site.url)
        trail.rename(aside)
        trail.mkdir()
        try:
            sign_in(page, "viv")
            expect(page.get_by_text("cannot write")).to_be_visible()
            assert status(site, session_cookie(context)) == 401
        finally:
            trail.rmdir()
            aside.rename(trail)


def test_signing_out_ends_every_copy_of_the_session(site: Site, chromium: Browser) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(site.url)
        before = session_cookie(context)
        sign_in(page, "viv")
        expect(page.locator(".reader", has_text="viv@example.com")).to_be_visible()
        copied = session_cookie(context)
        assert copied != before, "another session than the one before signing in"
        assert (status(site, copied), status(site, before)) == (200, 401)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Signed out")).to_be_visible()
        assert status(site, copied) == 401
        page.goto(site.url)
        expect(page.locator("[name=login], .reader").first).to_be_visible()
        page.goto(f"{site.url}/sign-in?again")
        sign_in(page, "fay")
        expect(page.locator(".reader", has_text="fay@example.com")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("sam", "You are sam@example.com, but you have no access here."),
        ("eve", "The provider has not verified this mail address"),
    ],
)
def test_who_is_nobody_here_gets_nothing(
    site: Site, chromium: Browser, name: str, sentence: str
) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(site.url)
        sign_in(page, name)
        expect(page.get_by_text(sentence)).to_be_visible()
        assert status(site, session_cookie(context)) == 401


def test_nothing_is_lost_when_a_session_ends_in_the_middle_of_a_form(
    site: Site, chromium: Browser
) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.goto(f"{site.url}/finance?month=2025-07")
        sign_in(page, "fay")
        remainder = page.get_by_label("Cause of a remainder")
        remainder.fill("rounded by AWS")
        end_session(site, context)
        page.get_by_role("button", name="Close Jul 2025").click()
        notice = page.locator(".session-ended")
        expect(notice).to_contain_text("Your session has ended.")
        with context.expect_page() as opened:
            notice.get_by_role("link", name="Sign in again").click()
        other = opened.value
        if "/interaction/" in other.url:
            sign_in(other, "fay")
        expect(other.get_by_role("heading", name="Signed in")).to_be_visible()
        other.close()
        expect(remainder).to_have_value("rounded by AWS")
        page.get_by_role("button", name="Close Jul 2025").click()
        expect(page.locator("#finance-message")).not_to_be_empty()
        expect(notice).to_have_count(0)


def end_session(site: Site, context: BrowserContext) -> None:
    """Lets the session be over: its cookie is that of nobody."""
    key = json.loads((site.data / "web.json").read_text())["secret_key"]
    name = f"breakeven_session_{sha256(key.encode()).hexdigest()[:8]}"
    context.clear_cookies(name=re.compile(name))
