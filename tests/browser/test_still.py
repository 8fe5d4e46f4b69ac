"""What somebody begins to read stays where it is while the rest of a page arrives."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site, tab, wait_until_drawn

PATHS = (
    "/",
    "/workload/orion-13b",
    "/compare",
    "/runs",
    "/clusters",
    "/rates",
    "/decide",
    "/finance",
)
MOVED = """() => new Promise(done => {
    new PerformanceObserver(list => done(
        list.getEntries().filter(each => !each.hadRecentInput).reduce((sum, each) =>
            sum + each.value, 0)
    )).observe({type: 'layout-shift', buffered: true});
    setTimeout(() => done(0), 100);
})"""
"""The share of the window that moved, times how far; 0 where nothing did.

What has moved is told at once: all is drawn by then, and the network has been idle for a while."""
UNNOTICED = 0.05


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_nothing_jumps_while_a_page_loads(
    chromium: Browser, site: Site, width: int, height: int
) -> None:
    moved = {}
    with tab(chromium, width, height) as page:
        for path in PATHS:
            page.goto(site.url + path)
            wait_until_drawn(page)
            moved[path] = page.evaluate(MOVED)
    assert {path: share for path, share in moved.items() if share > UNNOTICED} == {}
