"""The demo fills every section of every page, and shows every state that a page can be in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import serving, tab, wait_until_drawn
from tests.support import company

WORKLOADS = (
    "atlas-13b", "cinder-3b", "ember-20b", "flint-9b", "harbor-70b", "lumen-7b", "orbit-8b",
    "quill-6b", "scribe-bert",
)  # fmt: skip
ADDRESSES = (
    "/", "/clusters", "/compare", "/runs", "/rates", "/decide", "/decide?workload=atlas-13b",
    "/finance", "/finance?month=2026-10", "/trust", *(f"/workload/{name}" for name in WORKLOADS),
)  # fmt: skip
VARIES = re.compile(r"\(.*|(?<=Who held ).*|(?<=Who held it: ).*|(?<=Why is ).*")
"""What a card's heading says of the workload, pool or month at hand."""
CARDS = """() => [...document.querySelectorAll('main section.card')].map(card => {
    const rest = card.cloneNode(true);
    rest.querySelectorAll('.card-head').forEach(head => head.remove());
    const drawn = card.querySelector('.js-plotly-plot .main-svg, svg, input, .ag-row');
    return [card.querySelector('h2')?.innerText || '', card.querySelector('.empty') === null
        && (drawn !== null || rest.innerText.trim() !== '')];
})"""
STATES = (
    ("broken even", "/", "Paid for itself"),
    ("recovering, with a forecast", "/", "break-even is expected on"),
    ("losing", "/", "Losing money"),
    ("insufficient", "/", "Too few GPU runs"),
    ("not comparable", "/", "Not comparable"),
    ("not started", "/", "Not started"),
    ("investing", "/", "Investing"),
    ("no investment", "/", "No investment set"),
    ("not verified", "/", "Unverified"),
    ("restated", "/", "Restated by −$427"),
    ("told by tokens", "/", "per billion tokens"),
    ("not settled", "/", "Unsettled saving"),
    ("a feed that stopped", "/", "spot_prices delivered nothing since 12 Oct 2026"),
    ("simulated", "/", "Demo: simulated usage, real prices"),
    ("not at the old volume", "/workload/atlas-13b", "At the volume before the move: −"),
    ("too few runs for a baseline", "/workload/orbit-8b", "fewer than 2 qualifying GPU runs"),
    ("no loss", "/workload/quill-6b", "No loss reported"),
    ("price unavailable", "/workload/flint-9b", "Price unavailable"),
    ("no list price", "/", "at list prices unknown"),
    ("a price cut", "/rates", "p5.48xlarge list −44\u00a0%"),
    ("Capacity Blocks used", "/rates", "Capacity Blocks"),
    ("Capacity Blocks on offer", "/rates", "trn2.48xlarge"),
    ("benchmarked", "/decide", "On trn1 a billion tokens costs"),
    ("not moved", "/decide", "ember-20b"),
    ("a benchmark of the next chip", "/decide?workload=atlas-13b", "trn2"),
    ("a commitment by its rate", "/decide", "Compute, 3 yr, No Upfront"),
    ("idle", "/clusters", "Idle: no job held it"),
    ("idle, drained", "/clusters", "Idle: drained"),
    ("unknown jobs", "/clusters", "Unknown jobs"),
    ("several pools", "/clusters", "ember-eks · p5.48xlarge"),
    ("still running", "/runs", "running"),
    ("closed", "/finance", "Closed, version 1"),
    ("adjusted", "/finance", "AWS restated 2026-07 of 999900000001"),
    ("open", "/finance?month=2026-10", "not met"),
    ("restated after it was settled", "/trust", "12 Oct 2026, 06:30\tyes"),
    ("held against an invoice", "/trust", "invoice"),
    ("untagged", "/trust", "of accelerator spend names no workload"),
    ("an audit log", "/trust", "m.lind"),
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = company.built(tmp_path_factory).data
    with serving(folder, company.TEXT) as url:
        yield url


@dataclass(frozen=True)
class Shown:
    """What a page says, its cards with whether they hold anything, and its tables of money.

    `cut_off`: how the tables begin that are wider than their place; `tables`: how many there are.
    """

    text: str
    cards: list[tuple[str, bool]]
    tables: int
    cut_off: list[str]


@pytest.fixture(scope="module")
def walked(chromium: Browser, demo: str) -> dict[str, Shown]:
    """Each address and what its page shows."""
    with tab(chromium, 1440, 900) as page:
        return {address: shown(page, f"{demo}{address}") for address in ADDRESSES}


def shown(page: Page, url: str) -> Shown:
    page.goto(url)
    wait_until_drawn(page)
    cards = [(str(title), bool(full)) for title, full in page.evaluate(CARDS)]
    tables = page.locator("main :is(.wide, .scrolls)")
    cut_off = tables.evaluate_all(
        "all => all.filter(each => each.scrollWidth > each.clientWidth)"
        ".map(each => each.innerText.slice(0, 40))"
    )
    return Shown(page.inner_text("body"), cards, tables.count(), cut_off)


@pytest.mark.parametrize("address", ["/finance", "/trust"])
def test_every_column_of_money_is_seen_on_a_desktop(walked: dict[str, Shown], address: str) -> None:
    assert walked[address].tables > 4
    assert walked[address].cut_off == []


def test_no_section_of_any_page_is_empty(walked: dict[str, Shown]) -> None:
    """A section of Decide and of a workload may be empty for one workload, not for all."""
    full: defaultdict[tuple[str, str], set[bool]] = defaultdict(set)
    for address, page in walked.items():
        name = address.partition("?")[0].split("/")[1]
        single = name not in ("decide", "workload", "finance")
        for title, holds in page.cards:
            section = VARIES.sub("", title).strip()
            full[address if single else name, section].add(holds)
    assert len(full) > 40
    assert {section for section, holds in full.items() if True not in holds} == set()


@pytest.mark.parametrize(("state", "address", "words"), STATES)
def test_every_state_is_seen(
    walked: dict[str, Shown], state: str, address: str, words: str
) -> None:
    assert words in walked[address].text, state
