"""What people take along: the answer as a sentence, and charts as pictures that stand alone."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, tab

SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"
SOURCE = (
    r"Source: breakeven · as of 31 Oct 2026 · bills settled through \d+ \w+ 2026 · "
    r"Effective cost · 127\.0\.0\.1:\d+"
)
CHARTS = ("/", "/workload/orion-13b", "/compare", "/rates")
SAID = {
    **dict.fromkeys(("/compare", "/rates", "/runs", "/trust"), "from 1 Jan 2026; "),
    "/decide": "Runs a month: 3; ",
    "/finance": "Sep 2026, draft; ",
}
"""The sentences of the other pages are of every settled day, or name their days."""
HEADLINES = (*CHARTS, "/decide", "/runs", "/trust", "/finance")


def saved(page: Page, kind: str, number: int = 0) -> tuple[str, bytes]:
    """The name and the content of a chart's picture, as the browser saves it."""
    button = page.locator(f"button[data-picture='{kind}']").nth(number)
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def texts(content: bytes) -> list[str]:
    root = ElementTree.fromstring(content)
    return [" ".join("".join(each.itertext()).split()) for each in root.findall(f"{SVG}text")]


@pytest.mark.parametrize("path", HEADLINES)
def test_the_first_sentence_of_each_page_is_copied_with_its_day_and_a_link(
    page: Page, site: Site, path: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}{path}?from=2026-01-01&runs=3")
    button = page.get_by_role("button", name="Copy as sentence")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    said = page.get_by_role("heading", level=1).inner_text()
    told_as = f" ({SAID.get(path, '')}as of 31 Oct 2026, bills settled through "
    first, told, rest = copied.partition(told_as)
    plain = re.sub(r"\s+", " ", re.sub("[\u2066-\u2069]", "", said)).strip()
    assert first == plain.removesuffix(".")
    assert told
    assert re.fullmatch(r"\d+ \w+ 2026\)\.? \S+", rest)
    assert ")." in rest or not plain.endswith(".")
    assert rest.endswith(page.url)


@pytest.mark.parametrize("path", CHARTS)
def test_a_picture_has_its_title_and_says_where_it_is_from(
    page: Page, company: Site, path: str
) -> None:
    page.goto(f"{company.url}{path}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    card = page.locator("section:has(figure button[data-picture])").first
    title = card.get_attribute("aria-label")
    assert title
    name, content = saved(page, "svg")
    found = texts(content)
    of = "orion-13b" if "workload" in path else ""
    assert found[0] == (f"{of}: {title}" if of else title)
    assert re.fullmatch(SOURCE, found[-1])
    where = path.split("/")[1] or "overview"
    assert re.fullmatch(rf"breakeven-{where}-(orion-13b-)?[\w-]+-2026-10-31\.svg", name)
    root = ElementTree.fromstring(content)
    kind = "rect" if path == "/compare" else "path"
    assert root.findall(f"{SVG}svg//{SVG}{kind}"), "the chart itself"

    name, content = saved(page, "png")
    assert name.endswith("-2026-10-31.png")
    assert content.startswith(PNG)
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (2240, 2 * int(root.attrib["height"]))


def test_bars_are_saved_as_long_and_with_the_words_that_the_page_shows(
    page: Page, site: Site
) -> None:
    page.goto(f"{site.url}/compare")
    expect(page.locator(".bars")).to_be_visible()
    content = saved(page, "svg")[1]
    (chart,) = ElementTree.fromstring(content).findall(f"{SVG}svg")
    shown = page.locator(".bars-name, .bars-part, .bars-amount").all_inner_texts()
    drawn = [each.text or "" for each in chart.findall(f"{SVG}text")]
    assert sorted(drawn) == sorted(re.sub("[\u2066-\u2069]", "", text) for text in shown)
    widths = page.locator(".bars .share").evaluate_all("all => all.map(bar => bar.offsetWidth)")
    bars = chart.findall(f"{SVG}rect")
    long = [float(each.attrib["width"]) for each in bars]
    assert [each / max(long) for each in long] == pytest.approx(
        [each / max(widths) for each in widths], abs=0.01
    )
    fills = [each.attrib["fill"] for each in bars[:2]]
    assert fills[0] != fills[1], "GPU and Trainium look different"
    assert texts(content)[-2].startswith("Width: cost per epoch. Hatched: GPU.")

    runs = page.get_by_role("region", name="Run by run")
    expect(runs.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert texts(saved(page, "svg", 1)[1])[0] == "Run by run"


def test_a_picture_is_for_paper_whatever_the_scheme(chromium: Browser, site: Site) -> None:
    light, dark = (colours(chromium, site, scheme) for scheme in ("light", "dark"))
    assert all(light.values())
    assert light == dark


def colours(chromium: Browser, site: Site, scheme: str) -> dict[str, set[bytes]]:
    """Those of a picture of each of two pages, saved on a phone."""
    made = {}
    with tab(chromium, 390, 844, scheme) as phone:
        for path in ("/", "/compare"):
            phone.goto(f"{site.url}{path}")
            expect(phone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
            content = saved(phone, "svg")[1]
            made[path] = set(re.findall(rb'fill(?:: ?|=")(rgb[^;"]+|#[^;"]+)', content))
    return made


def test_the_buttons_say_what_they_save(page: Page, site: Site) -> None:
    page.goto(site.url)
    png = page.locator("button[data-picture='png']").first
    expect(png).to_have_accessible_name(re.compile(r"^Download as PNG: .{10,}"))
