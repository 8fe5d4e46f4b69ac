"""What the printer gets: all of a page, and nothing of its controls."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site

A4 = 703
"""The width between the margins of an upright sheet, in pixels."""
CUT_OFF = f"""() => [...document.querySelectorAll('main :is(h1, td, th, svg, li, p)')]
    .filter(each => each.getClientRects().length && each.getBoundingClientRect().right > {A4} + 1)
    .map(each => each.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("path", ["/workload/atlas-7b", "/trust", "/finance"])
def test_no_column_is_cut_off_and_every_run_is_there(page: Page, site: Site, path: str) -> None:
    page.goto(site.url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    grid = page.locator(".grid")
    if path.startswith("/workload"):
        expect(grid.locator(".ag-cell").first).to_be_attached()
        expect(page.locator(".main-svg").first).to_be_visible()
    page.set_viewport_size({"width": A4, "height": 1000})
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(CUT_OFF) == []
    expect(page.get_by_role("navigation")).to_be_hidden()
    if path.startswith("/workload"):
        runs = [row for row in site.published["runs"] if row["workload"] == "atlas-7b"]
        expect(page.locator(".printed tbody tr")).to_have_count(len(runs))
        expect(grid).to_be_hidden()
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        expect(page.locator(".printed, svg.main-svg[viewBox]")).to_have_count(0)
        expect(grid).to_be_visible()
