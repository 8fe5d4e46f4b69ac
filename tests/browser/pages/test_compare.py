from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Site, serving
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

HOSTILE = "<img src=x onerror=\"window.attacked=1\"> 'quoted' 🚂 שלום עולם " + "w" * 200
TEAMS = ("nlp", HOSTILE, None)


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The world, its runs spread over three teams, one of which is nobody's."""

    def edit(tables: dict[str, list[Row]]) -> None:
        for number, run in enumerate(tables["runs"]):
            run["tag_team"] = TEAMS[number % len(TEAMS)]

    folder = tmp_path_factory.mktemp("teams")
    published = world.publish(folder, edit=edit)
    with serving(folder) as url:
        yield Site(url, folder, published)


def rate(runs: list[Row]) -> str:
    cost, epochs = (sum(run[name] for run in runs) for name in ("cost", "epochs"))
    return f"{(cost / epochs).quantize(Decimal('0.01'), ROUND_HALF_UP):,}"


def counted(site: Site, **wanted: object) -> list[Row]:
    """Validation runs are no production."""
    return [
        run
        for run in site.published["runs"]
        if run["purpose"] == "production"
        and all(run[name] == value for name, value in wanted.items())
    ]


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def choose(page: Page, control: str, option: str) -> None:
    page.get_by_title(control, exact=True).get_by_role("button").first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_bars_and_grid_and_file_say_what_the_marts_say(page: Page, teams: Site) -> None:
    page.goto(f"{teams.url}/compare")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "An epoch cost less on Trainium than on GPU for 4 of 4 workloads that trained on both; "
        "1 more workload is not counted, because the runs did different work."
    )
    expect(
        page.get_by_text("Not comparable. \u2068draco-moe\u2069: not all runs share recipe")
    ).to_be_visible()
    gpu = counted(teams, workload="orion-13b", hardware="gpu")
    bars, grid = section(page, "Cost per epoch"), section(page, "The same, in figures")
    expect(bars.get_by_text(f"${rate(gpu)}", exact=True)).to_be_visible()
    expect(grid.get_by_role("row", name=f"orion-13b GPU {len(gpu)}")).to_contain_text(rate(gpu))
    choose(page, "By", "team")
    choose(page, "then by", "nothing else")
    nlp = counted(teams, tag_team="nlp")
    expect(grid.get_by_role("row", name=f"nlp {len(nlp)}")).to_contain_text(rate(nlp))
    expect(bars.get_by_text(f"${rate(nlp)}", exact=True)).to_be_visible()
    expect(page.get_by_text("Not like with like")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("An epoch cost from $")
    expect(page).to_have_url(re.compile(r"\?by=tag_team&then=none$"))
    text = page.request.get(f"{teams.url}/csv/compare?{urlsplit(page.url).query}").text()
    rows = {row["team"]: row for row in csv.DictReader(io.StringIO(text))}
    assert set(rows) == {"nlp", HOSTILE, "not set"}
    assert rows["nlp"]["$ per epoch"] == rate(nlp).replace(",", "")
    page.go_back()
    page.go_back()
    expect(grid.get_by_role("row", name=f"orion-13b GPU {len(gpu)}")).to_be_visible()


def test_a_link_shows_a_colleague_exactly_this(page: Page, teams: Site) -> None:
    asked = "by=tag_team&then=hardware&where=workload%3Datlas-7b&basis=list&layout=pivot"
    page.goto(f"{teams.url}/compare?{asked}")
    runs = counted(teams, workload="atlas-7b", tag_team="nlp", hardware="trainium")
    listed, epochs = (sum(run[name] for run in runs) for name in ("list_cost", "epochs"))
    shown = (listed / epochs).quantize(Decimal("0.01"), ROUND_HALF_UP)
    expect(page.get_by_role("columnheader", name="Trainium, $ per epoch")).to_be_visible()
    expect(page.locator(".ag-center-cols-container")).to_contain_text(f"{shown:,}")
    expect(section(page, "Cost per epoch").get_by_text(f"${shown:,}")).to_be_visible()
    expect(page.get_by_role("radio", name="List prices")).to_be_checked()
    expect(page.get_by_text("Not like with like")).to_be_hidden()
    page.get_by_role("link", name="CSV").hover()
    expect(page.get_by_role("link", name="CSV")).to_have_attribute("href", f"/csv/compare?{asked}")


def test_a_group_leads_to_its_runs(page: Page, teams: Site) -> None:
    runs = counted(teams, workload="vega-bert", hardware="gpu")
    page.goto(f"{teams.url}/compare?where=workload%3Dvega-bert&from=2025-11-01")
    row = page.get_by_role("row", name=f"vega-bert GPU {len(runs)}")
    row.get_by_role("link", name=str(len(runs))).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{len(runs)} runs of 1 workload")


def test_tags_are_text_and_a_phone_scrolls_only_downwards(phone: Page, teams: Site) -> None:
    phone.goto(f"{teams.url}/compare?by=tag_team&then=hardware")
    expect(phone.locator(".bars-name").filter(has_text="onerror")).to_have_text(HOSTILE)
    expect(phone.get_by_role("gridcell", name=HOSTILE).first).to_be_visible()
    expect(phone.locator(".js-plotly-plot .ytick").filter(has_text="<img src=x")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert phone.evaluate("window.attacked") is None
    assert phone.locator("img[src=x]").count() == 0
    phone.goto(f"{teams.url}/compare?from=2031-01-01")
    expect(phone.get_by_text("No run to compare")).to_be_visible()
