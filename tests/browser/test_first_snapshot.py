"""Before the first snapshot every page says so, and shows itself as soon as there is one."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, context
from tests.support.dashboard import bought, world

WAITING = ("/", "/runs", "/decide?workload=atlas-7b&port=1000", "/trust")


def test_pages_wait_for_the_first_snapshot(chromium: Browser, own_site: Callable[[], Site]) -> None:
    site = own_site()
    with context(chromium, 1440, 900) as (opened, complaints):
        overview, runs, decide, trust = pages = [opened.new_page() for _ in WAITING]
        check_finance(trust, site)
        assert overview.request.get(f"{site.url}/readyz").status == 503
        assert overview.request.get(f"{site.url}/csv/runs").status == 503
        opened.clock.install()
        for page, path in zip(pages, WAITING, strict=True):
            page.goto(f"{site.url}{path}")
            expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is published yet.")
        expect(overview.get_by_text("breakeven build")).to_be_visible()
        expect(overview.get_by_role("heading", name="Savings and return so far")).to_be_hidden()
        expect(runs.get_by_role("heading", name="All runs")).to_be_hidden()
        world.publish(site.folder, edit=bought.edit)
        opened.clock.run_for(16_000)
        check_published(overview, runs, decide, trust)
    assert complaints == [], "\n".join(complaints)


def check_finance(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/finance")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is published yet.")
    expect(page.get_by_role("button", name=re.compile("^Close"))).to_have_count(0)


def check_published(overview: Page, runs: Page, decide: Page, trust: Page) -> None:
    """Each page has found the snapshot by itself."""
    for page, words in (
        (overview, "Moving 5 workloads"),
        (runs, "of 6 workloads cost"),
        (decide, "atlas-7b"),
        (trust, "The bill is complete through 28 Oct 2026"),
    ):
        expect(page.get_by_role("heading", level=1)).to_contain_text(words)
    expect(overview.get_by_role("img", name="Cumulative net savings from")).to_be_visible()
    expect(runs.get_by_role("gridcell", name="atlas-7b-t37")).to_be_visible()
    expect(decide.get_by_label("Cost of the move, $", exact=True)).to_have_value("1000")
    expect(trust.get_by_role("group", name="Restatements").last).to_be_visible()
