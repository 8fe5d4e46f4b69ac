"""A real Chromium against a real server, each on its own loopback port."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from models.raw.pulls.pull_journal import JOURNAL_FILE, UNFINISHED
from tests.support.dashboard import world
from tests.support.dashboard.bought import at, edit, pull
from tests.support.dashboard.days import Row
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, served
from tests.support.dashboard.world import Workload

expect.set_options(timeout=PATIENCE_SECONDS * 1000)


@dataclass(frozen=True)
class Site:
    """A running dashboard: its address, and the folder it reads."""

    url: str
    folder: Path
    published: dict[str, list[Row]]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The world as it is, shared by the tests that only read."""
    folder = tmp_path_factory.mktemp("site")
    published = world.publish(folder)
    with serving(folder) as url:
        yield Site(url, folder, published)


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Callable[[], Site]]:
    """Serves this test's own folder, for tests that publish."""
    with ExitStack() as stack:
        yield lambda: Site(stack.enter_context(serving(tmp_path)), tmp_path, {})


@pytest.fixture(scope="session")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of whatever a test has published last."""
    folder = tmp_path_factory.mktemp("changing")
    with serving(folder) as url:
        yield Site(url, folder, {})


@pytest.fixture
def publish(changing: Site) -> Callable[..., Site]:
    """Serves what the test publishes, as `world.publish` has it."""

    def publish(*workloads: Iterable[Workload], **asked: Any) -> Site:  # noqa: ANN401
        return replace(changing, published=world.publish(changing.folder, *workloads, **asked))

    return publish


@pytest.fixture(scope="session")
def desktop(chromium: Browser) -> Iterator[Device]:
    with context(chromium, 1440, 900) as (opened, complaints):
        yield Device(opened.new_page(), complaints, 1440, 900)


@pytest.fixture(scope="session")
def dark_phone(chromium: Browser) -> Iterator[Device]:
    with context(chromium, 390, 844, "dark") as (opened, complaints):
        yield Device(opened.new_page(), complaints, 390, 844)


@pytest.fixture
def page(desktop: Device, own_site: Callable[[], Site]) -> Iterator[Page]:
    """A tab of a desktop; the test fails if the page complained about anything.

    It is one tab for all tests, because the scripts of a page that Chromium has compiled are half
    of what showing the page takes. It has left before the test's own server ends, which would reset
    what still loads.
    """
    with desktop.lent() as lent:
        yield lent


@pytest.fixture
def phone(dark_phone: Device) -> Iterator[Page]:
    """A tab of a phone in the dark, as `page` is one of a desktop."""
    with dark_phone.lent() as lent:
        yield lent


@pytest.fixture
def fresh_page(chromium: Browser, own_site: Callable[[], Site]) -> Iterator[Page]:
    """A desktop's tab of its own, for a test that sets its clock."""
    with tab(chromium, 1440, 900) as opened:
        yield opened


@dataclass(frozen=True)
class Device:
    """A tab that many tests use, of this size, and what its pages complained about."""

    page: Page
    complaints: list[str]
    width: int
    height: int

    @contextmanager
    def lent(self) -> Iterator[Page]:
        """Its tab for one test, which must not make a page complain."""
        self.complaints.clear()
        yield self.page
        said = [*self.complaints]
        self._leave()
        assert said == [], "\n".join(said)

    def _leave(self) -> None:
        """Forgets what a test has done."""
        self.page.unroute_all()
        if self.page.url.startswith("http"):
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": self.width, "height": self.height})
        self.page.emulate_media(media="null")
        self.page.context.clear_cookies()
        self.page.context.clear_permissions()


@contextmanager
def tab(browser: Browser, width: int, height: int, scheme: str = "light") -> Iterator[Page]:
    """A fresh profile's tab that listens for complaints."""
    with context(browser, width, height, scheme) as (opened, complaints):
        yield opened.new_page()
    assert complaints == [], "\n".join(complaints)


@contextmanager
def context(
    browser: Browser, width: int, height: int, scheme: str = "light"
) -> Iterator[tuple[BrowserContext, list[str]]]:
    """A fresh profile, and what its pages complain about."""
    dark = "dark" if scheme == "dark" else "light"
    opened = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=dark, locale="en-GB"
    )
    complaints: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        # a page without a chart has loaded plotly for the next one; Chromium says so after a while
        idle = "was preloaded using link preload but not used" in message.text
        # an address that is no page is 404, and a page of ours
        at = message.page.url if message.page else ""
        nowhere = "404 (NOT FOUND)" in message.text and message.location["url"] == at
        if message.type in ("error", "warning") and not idle and not nowhere:
            complaints.append(message.text)

    opened.on("console", heard)
    opened.on("weberror", lambda failed: complaints.append(failed.error.message))
    yield opened, complaints
    opened.close()


DRAWN = (
    ("Graph", ".dash-graph", ".main-svg"),
    ("AgGrid", ".ag-root", ".ag-center-cols-container [row-id] .ag-cell"),
)
"""A component of a page's layout, what it is in the page, and what shows that it is drawn."""


def wait_until_drawn(page: Page) -> None:
    """Waits for every chart, and for a cell of every grid: none of its totals, none still empty.

    The layout says how many there will be: a grid whose script has not come is nowhere in the page.
    """
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        """drawn => {
            const layout = JSON.stringify(dash_component_api.getLayout([]));
            return drawn.every(([component, whole, part]) => {
                const due = layout.split(`"type":"${component}"`).length - 1;
                const all = [...document.querySelectorAll(whole)];
                return all.length >= due && all.every(each => each.querySelector(part));
            });
        }""",
        arg=DRAWN,
    )


def pick(page: Page, name: str) -> None:
    """One of a few that stand side by side, as a hand does it: the word is pressed, not its dot."""
    page.locator(".choice").get_by_text(name, exact=True).click()


@contextmanager
def serving(folder: Path, text: str = PLAIN) -> Iterator[str]:
    """The address of `breakeven serve` over `folder`, until the block ends."""
    with served(folder, text) as running:
        yield running.url


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("company")
    published = world.publish(folder, edit=edit)
    lines = (
        pull(at(30, 10, 6), error=UNFINISHED),
        pull(at(30, 10, 6).replace(second=42), new=1, unchanged=13, rows=40312, dollars="0.03"),
        pull(at(31, 10, 6), error="s3:GetObject was refused: <b>AccessDenied</b>"),
        pull(at(31, 10, 7), error=UNFINISHED),
    )
    (folder / JOURNAL_FILE).write_text("".join(lines))
    with serving(folder) as url:
        yield Site(url, folder, published)
