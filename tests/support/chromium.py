"""One Chromium for all tests of a process: Playwright's loop cannot be started twice in one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Commands; the first that is there. Without windows, a page costs a fifth less."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # most processes need no browser

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, CHROMIUM)), None)
        own = Path(playwright.chromium.executable_path)
        if found is None and not own.exists():
            pytest.fail("no Chromium on this machine: `make test` installs it", pytrace=False)
        browser = playwright.chromium.launch(executable_path=found or own, args=FLAGS)
        yield browser
        browser.close()
