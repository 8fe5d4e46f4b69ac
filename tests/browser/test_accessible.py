"""No page violates anything that axe-core checks, light, nor its colours, of every other, dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, tab

PATHS = (
    "/",
    "/?curve=months",
    "/workload/orion-13b",
    "/workload/draco-moe",
    "/compare?by=tag_team&then=hardware",
    "/runs",
    "/runs?run=atlas-7b/atlas-7b-g1",
    "/clusters",
    "/rates",
    "/trust",
    "/decide",
    "/finance",
    "/nowhere",
)
GRIDS = ("/workload", "/compare", "/runs")
DRAWN = """() => [...document.querySelectorAll('.grid')].every(grid =>
    grid.querySelector('.ag-cell') &&
    [...grid.querySelectorAll('.ag-header-row')].every(row => row.children.length))"""


COLOURS = {"runOnly": ["color-contrast"]}
"""Of what axe-core checks, what differs between the schemes."""


def violations(page: Page, **options: list[str]) -> list[str]:
    asked = {"resultTypes": ["violations"], **options}
    found = Axe().run(page, options=asked).response["violations"]
    return [
        f"{page.url}: {each['id']} {node['html'][:200]}" for each in found for node in each["nodes"]
    ]


@pytest.mark.parametrize(
    ("scheme", "paths", "options"), [("light", PATHS, {}), ("dark", PATHS[::2], COLOURS)]
)
def test_no_page_shuts_anybody_out(
    chromium: Browser, site: Site, scheme: str, paths: tuple[str, ...], options: dict[str, Any]
) -> None:
    found = []
    with tab(chromium, 1440, 900, scheme) as page:
        for path in paths:
            page.goto(site.url + path)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            if path.startswith(GRIDS):
                expect(page.locator(".ag-cell").first).to_be_attached()
            page.wait_for_function(DRAWN)
            found += violations(page, **options)
    assert not found, "\n".join(found)


def test_a_comparison_can_be_made_with_the_keyboard_alone(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/compare")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    by = page.get_by_role("group", name="By", exact=True).get_by_role("button")
    for _ in range(20):
        if by.evaluate("button => button === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(by).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="Platform")).to_be_visible()
    page.wait_for_function("() => document.activeElement.closest('[role=dialog]')")
    for _ in range(20):
        at = page.evaluate("document.activeElement.value")
        if at == "platform":
            break
        page.keyboard.press("ArrowDown")
        page.wait_for_function("at => document.activeElement.value !== at", arg=at)
    page.keyboard.press("Enter")
    expect(page.get_by_text("What does an epoch cost, by platform and hardware?")).to_be_visible()
