"""Takes the pictures of docs/pictures from the demo, light and dark: `make screenshots`.

In comes the demo, served by a process of its own; out go PNG files of 1440 × 900 pixels. Nothing
here is a test: pictures are looked at by whoever makes them.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from documentation.site import DOCS

FOLDER = DOCS / "pictures"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
STATUS = "broke_even"
"""The status of the workload that is shown."""
PATIENCE = 180
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--font-render-hinting=none")
"""Letters stand where a screen has them; without a screen Chromium would move them to pixels."""


def take_all() -> None:
    """Replaces every picture of `docs/pictures` by one taken of the demo, light and dark."""
    with demo() as url, sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, CHROMIUM)), None)
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        for name, path in pages(url).items():
            for scheme in SCHEMES:
                take(browser, f"{url}{path}", scheme, FOLDER / f"{name}-{scheme}.png")
        browser.close()


@contextmanager
def demo() -> Iterator[str]:
    """Yields the address of a demo that has something to show; stops it afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = f"{probe.getsockname()[1]}"
    url, breakeven = f"http://127.0.0.1:{port}", str(Path(sys.executable).with_name("breakeven"))
    command = [breakeven, "demo", "--port", port]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        wait_until_ready(url, process)
        yield url
    finally:
        process.terminate()  # it ends its server by itself
        process.wait()


def wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    """Waits for the first snapshot; exits where the demo ends before, or takes too long."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/readyz"):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    sys.exit("the demo did not start")


def pages(url: str) -> dict[str, str]:
    """Maps each picture's name to the path of the demo's page to photograph."""
    query = f"{url}/api/v1/marts/break_even?status={STATUS}&fields=workload"
    with urllib.request.urlopen(query) as answer:
        rows = json.load(answer)["rows"]
    workload = next(row["workload"] for row in rows if row["workload"] != "(portfolio)")
    return {
        "overview": "/",
        "workload": f"/workload/{quote(workload)}",
        "compare": "/compare?by=tag_team&then=hardware",
        "rates": "/rates",
    }


def take(browser: Browser, url: str, scheme: Literal["light", "dark"], file: Path) -> None:
    """Takes one picture of a page, once its charts are drawn."""
    page = browser.new_page(
        viewport={"width": 1440, "height": 900}, color_scheme=scheme, locale="en-GB"
    )
    page.goto(url)
    _wait_until_drawn(page)
    page.screenshot(path=file)
    page.close()


def _wait_until_drawn(page: Page) -> None:
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.dash-graph')]"
        ".every(graph => graph.querySelector('.main-svg'))"
    )
    page.wait_for_timeout(500)  # charts move into place


if __name__ == "__main__":
    take_all()
