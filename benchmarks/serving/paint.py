"""How soon a reader sees the answer and the chart, how many bytes that takes, and a later page.

Each load is a fresh Chromium profile, so nothing is cached; a bare Dash page with one chart is
loaded in the same run. Start the dashboard first, then

    python -m benchmarks.serving.paint http://127.0.0.1:8050
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, Request, sync_playwright

from benchmarks.reduction import machine
from benchmarks.serving import readers

GOAL_PAINT, GOAL_CHART = 1000, 1800
GOAL_VISIT, GOAL_GRID, GOAL_LATER = 1_400, 1_700, 50
"""Milliseconds, and kB as they are sent."""
LOADS = 5
LATER = ("Compare", "Runs", "Rates", "Decide", "Trust", "Finance")
WATCH = """
new MutationObserver((_, watch) => {
  const drawn = document.querySelector(".js-plotly-plot .main-svg .trace, .js-plotly-plot .bars");
  if (drawn) { window.chartDrawn = performance.now(); watch.disconnect(); }
}).observe(document, { childList: true, subtree: true });
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
BARE = """
import logging, sys
from dash import Dash, dcc, html
from werkzeug.serving import make_server
logging.getLogger("werkzeug").setLevel("ERROR")
app = Dash("bare")
app.layout = html.Div([html.H1("Bare"), dcc.Graph(figure={"data": [{"y": [1, 3, 2]}]})])
make_server("127.0.0.1", int(sys.argv[1]), app.server, threaded=True).serve_forever()
"""


class Load(NamedTuple):
    """Milliseconds until the first paint and the chart, and kB that came."""

    paint: float
    chart: float
    kilobytes: float


class Meter:
    """Counts the bytes that a tab receives, compressed as they are."""

    def __init__(self, session: CDPSession) -> None:
        self.count = 0.0
        session.send("Network.enable")
        session.on("Network.loadingFinished", self.add)

    def add(self, event: dict[str, float]) -> None:
        """Called by the browser."""
        self.count += event["encodedDataLength"]

    def taken(self) -> float:
        """kB since the last time."""
        count, self.count = self.count, 0.0
        return count / 1000


def main() -> None:
    """Prints the median load of each page, and the data of each later page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8050")
    url = parser.parse_args().url
    with sync_playwright() as playwright, bare() as beside:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        print(f"{url}\n{machine()}\n{'':24}{'paint ms':>10}{'chart ms':>10}{'kB':>8}")
        told("bare Dash, one chart", [load(browser, beside) for _ in range(LOADS)])
        told("overview", [load(browser, url) for _ in range(LOADS)])
        told("compare, with a grid", [load(browser, f"{url}/compare") for _ in range(LOADS)])
        print(f"goals: {GOAL_PAINT}, {GOAL_CHART}, {GOAL_VISIT} ({GOAL_GRID} with a grid)")
        for name, kilobytes in later(browser, url):
            print(f"then {name:19}{kilobytes:>28.1f}  goal: {GOAL_LATER}")
        browser.close()


def told(name: str, loads: list[Load]) -> None:
    paint, chart, size = (median(each) for each in zip(*loads, strict=True))
    print(f"{name:24}{paint:>10.0f}{chart:>10.0f}{size:>8.0f}")


def load(browser: Browser, url: str) -> Load:
    """A first visit."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    meter = Meter(context.new_cdp_session(page))
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_function("() => window.chartDrawn || !document.querySelector('.dash-graph')")
    page.wait_for_load_state("networkidle")
    found = Load(page.evaluate(PAINTED), page.evaluate("window.chartDrawn ?? 0"), meter.taken())
    context.close()
    return found


def later(browser: Browser, url: str) -> Iterator[tuple[str, float]]:
    """kB of data of each page that is opened by its link, scripts that it needs first left out."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    for name in LATER:
        yield name, data_of(page, name)
    context.close()


def data_of(page: Page, name: str) -> float:
    sizes: list[int] = []

    def finished(asked: Request) -> None:
        if asked.method == "POST":
            sizes.append(asked.sizes()["responseBodySize"])

    page.on("requestfinished", finished)
    with page.expect_event("requestfinished", opens):
        page.get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_timeout(500)
    page.remove_listener("requestfinished", finished)
    return sum(sizes) / 1000


def opens(asked: Request) -> bool:
    """Whether it brings a page; one that is slow has begun nothing that could be waited for."""
    return asked.method == "POST" and "_pages_content" in (asked.post_data or "")


@contextmanager
def bare() -> Iterator[str]:
    """The least that Dash can be, served on loopback."""
    port = readers.free_port()
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", BARE, str(port)]) as process:
        readers.wait_for(port)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


if __name__ == "__main__":
    main()
