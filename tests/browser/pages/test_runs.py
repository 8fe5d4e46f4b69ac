from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import Site
from tests.support.dashboard.days import Row

CENT = Decimal("0.01")
HOSTILE = "<b onmouseover='window.attacked=1'>\"quoted\" 🚂 שלום " + "x" * 220


def shown(value: Decimal) -> str:
    return f"{value.quantize(CENT, ROUND_HALF_UP):,}"


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_every_run_can_be_found_sorted_opened_and_taken_along(page: Page, site: Site) -> None:
    runs = site.published["runs"]
    page.goto(site.url)
    page.get_by_role("link", name="Runs", exact=True).click()
    heading = page.get_by_role("heading", level=1)
    cost = sum(run["cost"] for run in runs).quantize(Decimal(1), ROUND_HALF_UP)
    expect(heading).to_contain_text(f"{len(runs)} runs of 6 workloads cost ${cost:,}")
    expect(page.get_by_role("link", name="Runs", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    page.get_by_role("columnheader", name="Cost, $", exact=True).click()
    page.get_by_role("columnheader", name="Cost, $", exact=True).click()
    dearest = max(runs, key=lambda run: run["cost"])
    first = page.locator(".ag-center-cols-container [row-index='0']")
    expect(first).to_contain_text(shown(dearest["cost"]))
    expect(page).to_have_url(re.compile(r"sort=cost%3Adesc"))
    page.get_by_role("searchbox", name="Name of a run").fill("ORION-13b-t2")
    found = [run for run in runs if "orion-13b-t2" in run["run"]]
    expect(heading).to_contain_text(f"{len(found)} runs of 1 workload cost")
    expect(page.get_by_role("gridcell", name="orion-13b-t2", exact=True)).to_be_visible()
    text = page.request.get(f"{site.url}/csv/runs{_query(page)}").text()
    rows = list(csv.DictReader(io.StringIO(text)))
    by_cost = sorted(found, key=lambda run: run["cost"], reverse=True)
    assert [row["Cost, $"] for row in rows] == [str(run["cost"]) for run in by_cost]
    page.reload()
    expect(heading).to_contain_text(f"{len(found)} runs of 1 workload cost")
    page.go_back()
    expect(heading).to_contain_text(f"{len(runs)} runs")
    expect(first).to_contain_text(shown(dearest["cost"]))


def test_a_run_that_is_still_read_is_not_shown_as_one_of_unknown_figures(
    page: Page, site: Site
) -> None:
    held: list[Route] = []
    page.route(re.compile("_dash-update-component"), lambda route: _held_rows(route, held))
    with page.expect_request(_asks_for_rows):
        page.goto(f"{site.url}/runs")
    row = page.locator(".ag-center-cols-container [row-index='0']")
    expect(row).to_have_text("")
    (asked,) = held
    asked.continue_()
    expect(row).to_contain_text("Trainium")


def _held_rows(route: Route, held: list[Route]) -> None:
    held.append(route) if _asks_for_rows(route.request) else route.continue_()


def _asks_for_rows(request: Request) -> bool:
    return "getRowsResponse" in (request.post_data or "")


def test_runs_can_be_grouped_and_a_group_opened(page: Page, publish: Callable[..., Site]) -> None:
    def edit(tables: dict[str, list[Row]]) -> None:
        for number, run in enumerate(tables["runs"]):
            run |= {"tag_team": HOSTILE} if number % 3 else {"tag_team": None}

    site = publish(edit=edit)
    runs = site.published["runs"]
    page.goto(f"{site.url}/runs?named=-t")
    page.get_by_role("group", name="Group", exact=True).get_by_role("button").click()
    page.get_by_role("option", name="team").click()
    table = page.get_by_role("group", name="Runs by team")
    named = [run for run in runs if "-t" in run["run"]]
    ours = [run for run in named if run["tag_team"] == HOSTILE]
    line = table.get_by_role("row").filter(has_text=HOSTILE)
    expect(line).to_contain_text(shown(sum(run["cost"] for run in ours)))
    rest = sum(run["cost"] for run in named if run["tag_team"] is None)
    expect(table.get_by_role("row").filter(has_text="not set")).to_contain_text(shown(rest))
    text = page.request.get(f"{site.url}/csv/run_groups{_query(page)}").text()
    assert [row["runs"] for row in csv.DictReader(io.StringIO(text))] == [
        str(len(of)) for of in sorted(
            (ours, [run for run in named if run["tag_team"] is None]),
            key=lambda of: -sum(run["cost"] for run in of),
        )
    ]  # fmt: skip
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    line.get_by_role("link").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text(f"{len(ours)} runs of")
    assert asked(page) == {"named": ["-t"], "where": [f"tag_team={HOSTILE}"]}
    assert page.evaluate("window.attacked") is None
    page.go_back()
    expect(line).to_be_visible()


def _query(page: Page) -> str:
    query = urlsplit(page.url).query
    return f"?{query}" if query else ""


def test_a_cost_that_is_not_whole_yet_has_a_star(page: Page, publish: Callable[..., Site]) -> None:
    def edit(tables: dict[str, list[Row]]) -> None:
        tables["runs"][-1] |= {"unsettled": Decimal(5)}

    site = publish(edit=edit)
    *_, whole, part = site.published["runs"]
    first = page.locator(".ag-center-cols-container [row-index='0']")
    for run, star in ((part, " *"), (whole, "")):
        page.goto(f"{site.url}/runs?named={run['run']}")
        cost = first.locator("[col-id='cost']")
        expect(cost).to_have_text(f"{shown(run['cost'])}{star}")


def test_filters_go_along_to_other_pages_and_back(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/runs?where=workload%3Dvega-bert&where=hardware%3Dgpu&from=2025-11-09")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("2 runs of 1 workload cost")
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("textbox", name="First day")).to_have_value("9 Nov 2025")
    assert asked(page) == {"from": ["2025-11-09"]}
    page.go_back()
    expect(heading).to_contain_text("2 runs of 1 workload cost")
    page.goto(f"{site.url}/runs?where=team%3Dgone&where=hardware%3D")
    expect(page.get_by_text("No run meets these filters", exact=True)).to_be_visible()


def test_a_run_opens_with_the_keyboard_and_says_where_its_dollars_went(
    page: Page, site: Site
) -> None:
    run = next(run for run in site.published["runs"] if run["run"] == "atlas-7b-g1")
    page.goto(f"{site.url}/runs?named=atlas-7b-g1")
    cell = page.get_by_role("gridcell", name="atlas-7b-g1")
    cell.click(position={"x": 140, "y": 12})
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Run atlas-7b-g1")
    expect(panel.get_by_role("row", name="Cost, settled days, $")).to_contain_text(
        shown(run["cost"])
    )
    expect(panel.get_by_role("row", name="Storage")).to_contain_text(shown(run["storage_cost"]))
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    assert asked(page)["run"] == ["atlas-7b/atlas-7b-g1"]
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(cell).to_be_focused()
    page.go_back()
    expect(panel).to_be_visible()
    page.goto(f"{site.url}/runs?run=atlas-7b/unheard-of")
    expect(page.get_by_role("heading", name="No run is called unheard-of")).to_be_visible()


def test_columns_can_be_chosen(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/runs?columns=run&columns=tag_team&columns=list_cost&columns=unheard-of")
    headers = page.locator(".ag-header-cell-text")
    expect(headers).to_have_text(["Run", "team", "At list, $"])
    text = page.request.get(f"{site.url}/csv/runs{_query(page)}").text()
    assert text.splitlines()[0] == 'Run,team,"At list, $"'
    assert len(text.splitlines()) == len(site.published["runs"]) + 1


def test_names_are_text_and_a_phone_scrolls_only_downwards(
    phone: Page, publish: Callable[..., Site]
) -> None:
    def edit(tables: dict[str, list[Row]]) -> None:
        tables["runs"][-1] |= {"run": HOSTILE, "tag_team": HOSTILE, "workload": HOSTILE}

    site = publish(edit=edit)
    phone.goto(f"{site.url}/runs?named={HOSTILE[:20]}")
    phone.get_by_role("link", name=HOSTILE).click()
    panel = phone.get_by_role("complementary")
    expect(panel.get_by_role("heading", level=2)).to_have_text(HOSTILE)
    assert panel.evaluate("e => e.scrollWidth <= innerWidth")
    phone.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert phone.evaluate("window.attacked") is None
