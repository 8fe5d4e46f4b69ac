"""People with a browser, and what they do at the provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page


@contextmanager
def somebody(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser that nobody has used."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    yield context
    context.close()


def sign_in(page: Page, name: str) -> None:
    """Says who one is at the provider, and lets the dashboard know it."""
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill("any")
    page.locator("[type=submit]").click()
    page.locator("[type=submit]").click()
