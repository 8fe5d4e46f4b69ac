from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal

import pytest
from playwright.sync_api import Browser, Page, expect

from models.contract.schema import PORTFOLIO
from tests.browser.conftest import Site, serving, tab
from tests.support.dashboard import world
from tests.support.dashboard.days import Row


def whole(value: Decimal) -> str:
    return f"${abs(value.quantize(Decimal(1), ROUND_HALF_UP)):,}"


def test_sentence_tiles_and_rows_are_what_the_marts_say(page: Page, site: Site) -> None:
    page.goto(site.url)
    check_sentence(page, site)
    check_tiles(page, site)
    rows = page.locator(".standings").get_by_role("row")
    expect(rows).to_have_count(len(world.WORKLOADS) + 1)
    expect(rows.filter(has_text="vega-bert")).to_contain_text("Losing money")
    expect(rows.filter(has_text="lyra-vit")).to_contain_text("Finish more GPU runs")
    expect(rows.filter(has_text="orion-13b")).to_contain_text("not enough data yet")


def check_sentence(page: Page, site: Site) -> None:
    row = next(r for r in site.published["break_even"] if r["workload"] == PORTFOLIO)
    share = (row["progress"] * 100).quantize(Decimal(1), ROUND_HALF_UP)
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"Moving 5 workloads to Trainium has recovered {share}\u00a0% of "
        f"{whole(row['cumulative_investment'])} invested"
    )


def check_tiles(page: Page, site: Site) -> None:
    months = [r for r in site.published["monthly_summary"] if r["workload"] == PORTFOLIO]
    october = max(months, key=lambda row: row["month"])
    days = [r for r in site.published["savings_daily"] if r["counterfactual"] is not None]
    saved, gpu = (sum(day[name] for day in days) for name in ("gross_saving", "counterfactual"))
    change = (saved / gpu * 100).quantize(Decimal(1), ROUND_HALF_UP)
    untagged = sum(r["effective_cost"] for r in site.published["spend_daily"] if not r["workload"])
    tiles = page.get_by_role("article")
    saved_now = f"Saved in Oct 2026 ? +{whole(october['net_saving'])}"
    expect(tiles.nth(0)).to_contain_text(saved_now, use_inner_text=True)
    expect(tiles.nth(1)).to_contain_text(f"+{change}\u00a0%", use_inner_text=True)
    expect(tiles.nth(3)).to_contain_text(f"Untagged spend {whole(untagged)}", use_inner_text=True)


def test_a_row_leads_to_its_workload_and_back_again(page: Page, site: Site) -> None:
    page.goto(site.url)
    page.get_by_role("row").filter(has_text="vega-bert").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Moving vega-bert to Trainium is losing money")
    page.go_back()
    expect(heading).to_contain_text("Moving 5 workloads")


def test_a_number_can_be_opened_with_the_keyboard_down_to_its_sql(page: Page, site: Site) -> None:
    page.goto(site.url)
    opener = page.get_by_label("How is this computed: Saved this month")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Investment is not deducted here")).to_be_visible()
    page.get_by_role("link", name="monthly_summary").first.click()
    expect(page.get_by_text("FROM monthly_summary")).to_be_visible()
    opener.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Investment is not deducted here")).to_be_hidden()
    expect(opener).to_be_focused()


def test_a_range_lives_in_the_address(page: Page, site: Site) -> None:
    page.goto(site.url)
    first, last = (page.get_by_role("textbox", name=f"{end} day") for end in ("First", "Last"))
    first.fill("1 Jun 2026")
    first.press("Enter")
    expect(page).to_have_url(re.compile(r"\?from=2026-06-01$"))
    expect(page.get_by_role("img", name="Cumulative net savings from 1 Jun 2026")).to_be_visible()
    page.reload()
    expect(page.get_by_role("img", name="Cumulative net savings from 1 Jun 2026")).to_be_visible()
    last.fill("30 Jun 2026")
    last.press("Enter")
    expect(page.get_by_role("img", name="to 30 Jun 2026")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("img", name="to 28 Oct 2026")).to_be_visible()
    expect(last).to_have_value("")
    expect(first).to_have_value("1 Jun 2026")


def test_a_new_snapshot_appears_without_losing_the_place(
    fresh_page: Page, publish: Callable[..., Site]
) -> None:
    site, page = publish(), fresh_page
    page.clock.install()
    # A smooth scroll to what is clicked would still be on its way.
    page.emulate_media(reduced_motion="reduce")
    page.goto(site.url)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Moving 5 workloads")
    opened = page.get_by_label("How is this computed: Saved this month")
    opened.click()
    page.evaluate("window.sameDocument = true")
    page.evaluate("scrollTo({top: 150})")
    shutil.rmtree(site.folder / "snapshots")
    page.clock.run_for(16_000)
    expect(page.get_by_text("The snapshot behind this page is gone")).to_be_visible()
    expect(heading).to_contain_text("Moving 5 workloads")
    publish(world.WORKLOADS[:2], snapshot_id="000002")
    page.clock.run_for(16_000)
    expect(heading).to_contain_text("Moving 2 workloads")
    expect(page.get_by_text("The snapshot behind this page is gone")).to_be_hidden()
    expect(page.get_by_text("Investment is not deducted here")).to_be_visible()
    expect(opened).to_be_focused()
    assert page.evaluate("window.sameDocument")
    page.wait_for_function("() => Math.abs(scrollY - 150) <= 10")


@pytest.fixture(scope="module")
def unpulled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard of sources of which one costs money and one is not there."""
    sources = '[[sources]]\nkind = "cost_explorer"\n'
    sources += '[[sources]]\nkind = "progress_file"\nlocation = "nowhere/epochs.csv"\n'
    config = f'cost.source = "cost_explorer"\n{sources}'
    with serving(tmp_path_factory.mktemp("unpulled"), config) as url:
        yield url


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_before_the_first_snapshot_it_says_what_is_missing_and_what_it_will_cost(
    chromium: Browser, unpulled: str, width: int, scheme: str
) -> None:
    """As `breakeven init` does on a terminal, so that nobody needs one to know."""
    with tab(chromium, width, 900, scheme) as page:
        page.goto(unpulled)
        steps = page.get_by_role("listitem")
        cost = steps.filter(has_text="What AWS will bill for being asked Estimated")
        expect(cost).to_contain_text("At most $")
        expect(cost).to_contain_text("a month on the schedule of the config; all of history once $")
        missing = steps.filter(has_text="progress_file Blocks")
        expect(missing).to_contain_text("nowhere/epochs.csv")
        expect(missing).to_contain_text("What to do: ")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("row", ["with a row of nulls", "without a row"])
def test_a_bill_without_any_workload_tag_says_what_to_do(
    fresh_page: Page, publish: Callable[..., Site], row: str
) -> None:
    def edit(tables: dict[str, list[Row]]) -> None:
        if row == "without a row":
            tables["break_even"].clear()

    site, page = publish((), edit=edit), fresh_page
    page.clock.install()
    page.goto(site.url)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("No workload is tagged yet, so there is nothing to compare.")
    page_text = page.get_by_role("main")
    expect(page_text).to_contain_text("No charge on the bill has the tag model-name.")
    expect(page_text).to_contain_text("$1,238 of GPU and Trainium spend")
    expect(page.get_by_role("row").last).to_have_text("GPU240.01,238.10")
    expect(page.get_by_text("breakeven ingest")).to_be_visible()
    expect(page.get_by_role("heading", name="Savings and return so far")).to_be_hidden()
    page.get_by_label("How is this computed: Untagged spend").click()
    page.get_by_role("link", name="spend_daily").click()
    expect(page.get_by_text("FROM spend_daily")).to_be_visible()
    publish(snapshot_id="000002")
    page.clock.run_for(16_000)
    expect(heading).to_contain_text("Moving 5 workloads")
    expect(page.get_by_role("heading", name="Savings and return so far")).to_be_visible()


def test_tag_text_is_shown_as_text(page: Page, publish: Callable[..., Site]) -> None:
    name = '<img src=x onerror="window.attacked=1">/50%</script>'
    site = publish(world.hostile(name))
    page.goto(site.url)
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Moving {name} to Trainium")
    expect(page.get_by_role("gridcell", name=f"{name}-t37")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Moving {name} to Trainium")
    assert page.evaluate("window.attacked") is None
    assert page.locator("img[src=x]").count() == 0


def test_a_phone_scrolls_only_downwards(chromium: Browser, site: Site) -> None:
    with tab(chromium, 390, 844) as phone:
        for path in ("/", "/workload/orion-13b"):
            phone.goto(site.url + path)
            expect(phone.get_by_role("heading", level=1)).to_be_visible()
            expect(phone.locator(".js-plotly-plot .xy").first).to_be_attached()
            assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_a_whole_page_state_keeps_clear_of_the_edges_of_a_phone(
    chromium: Browser, site: Site, publish: Callable[..., Site]
) -> None:
    bare = publish(())
    addresses = (f"{site.url}/nowhere", f"{site.url}/workload/unheard-of", bare.url)
    sides = """() => [".nothing", ...["h1", "p", "table", "li", "pre"].map(x => ".nothing " + x)]
            .flatMap(part => [...document.querySelectorAll(part)])
            .map(part => part.getBoundingClientRect())
            .reduce(([left, right], box) =>
                [Math.min(left, box.left), Math.max(right, box.right)], [390, 0]).join()"""
    with tab(chromium, 390, 844) as phone:
        for address in addresses:
            phone.goto(address)
            expect(phone.get_by_role("heading", level=1)).to_be_visible()
            phone.wait_for_function(f"() => ({sides})() === '16,374'")


def test_the_scheme_follows_the_system_until_the_reader_chooses(
    chromium: Browser, site: Site
) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with tab(chromium, 1440, 900, "dark") as dark:
        dark.goto(site.url)
        switch = dark.get_by_role("button", name="Switch between light and dark")
        expect(switch).to_be_visible()
        assert dark.evaluate(ground) == "rgb(15, 18, 21)"
        switch.click()
        assert dark.evaluate(ground) == "rgb(245, 245, 242)"
        dark.reload()
        expect(switch).to_be_visible()
        assert dark.evaluate(ground) == "rgb(245, 245, 242)"


def test_the_return_over_time_is_a_view_of_its_own_with_a_table_behind(
    page: Page, site: Site
) -> None:
    days = [r for r in site.published["portfolio_daily"] if r["roi"] is not None]
    last = max(days, key=lambda row: row["date"])["roi"]
    shown = (abs(last) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)
    page.goto(site.url)
    page.get_by_text("Return by month").click()
    expect(page).to_have_url(re.compile(r"\?curve=months$"))
    expect(page.get_by_role("img", name="Return on investment from")).to_be_visible()
    page.get_by_text("The returns as a table").click()
    table = page.get_by_role("group", name="Return at each month's end, by workload")
    row = table.get_by_role("row").filter(has_text="All workloads")
    expect(row).to_contain_text(f"{shown}\u00a0%")
    page.go_back()
    expect(page.get_by_role("img", name="Cumulative net savings from")).to_be_visible()
