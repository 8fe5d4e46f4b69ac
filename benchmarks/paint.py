"""How soon a reader sees the answer: first contentful paint of a page of a running dashboard.

Each load is a fresh Chromium profile, so nothing is cached. Start the dashboard first, then

    python benchmarks/paint.py http://127.0.0.1:8050
"""

from __future__ import annotations

import argparse
import shutil
from statistics import median

from playwright.sync_api import Browser, sync_playwright
from reduction import machine

GOAL = 1000
LOADS = 7
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def main() -> None:
    """Prints the fastest, the median and the slowest load."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8050")
    asked = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        loads = [painted(browser, asked.url) for _ in range(LOADS)]
        browser.close()
    print(f"{asked.url}\n{machine()}")
    print(f"{min(loads):.0f} / {median(loads):.0f} / {max(loads):.0f} ms  goal: {GOAL}")


def painted(browser: Browser, url: str) -> float:
    """Milliseconds from the request to the first text or picture."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    milliseconds = float(page.evaluate(PAINTED))
    context.close()
    return milliseconds


if __name__ == "__main__":
    main()
