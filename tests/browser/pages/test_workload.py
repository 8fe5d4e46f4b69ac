from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, pick, tab
from tests.support.dashboard.days import Row
from tests.support.dashboard.world import WORKLOADS

WHOLE = """name => {
  const heads = [...document.querySelectorAll('.grid [role=columnheader]')]
  const head = heads.find(found => found.textContent.trim() === name)
  return head.getBoundingClientRect().right
    <= document.querySelector('.grid').getBoundingClientRect().right
}"""
"""Whether the grid shows the column of that name to its end; columns find their widths once rows
are there."""


def test_loss_is_shown_against_dollars_or_machine_hours(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/workload/atlas-7b")
    against_dollars = page.get_by_role("img", name="Training loss of each run against dollars.")
    against_hours = page.get_by_role("img", name="Training loss of each run against machine-hours.")
    expect(against_dollars.get_by_text("Cost of the run so far, $")).to_be_visible()
    expect(against_dollars.get_by_text("target loss 1.480")).to_be_visible()
    expect(against_dollars.get_by_text("$1,000", exact=True)).to_be_visible()
    pick(page, "Machine-hours")
    expect(against_hours.get_by_text("Instance-hours so far")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?axis=hours$"))
    page.reload()
    expect(against_hours).to_be_visible()
    page.go_back()
    expect(against_dollars).to_be_visible()
    expect(page).to_have_url(re.compile(r"/atlas-7b$"))


def test_weeks_and_months_and_back(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/workload/atlas-7b?period=week")
    weeks = page.get_by_role("radio", name="Weeks")
    expect(weeks).to_be_checked()
    pick(page, "Months")
    expect(page).to_have_url(re.compile(r"/atlas-7b$"))
    page.go_back()
    expect(weeks).to_be_checked()
    page.go_forward()
    expect(page.get_by_role("radio", name="Months")).to_be_checked()


def test_a_workload_is_told_down_to_its_runs_and_a_run_leads_to_its_panel(
    page: Page, site: Site
) -> None:
    page.goto(f"{site.url}/workload/atlas-7b")
    expect(page).to_have_title("atlas-7b · breakeven")
    chart = page.get_by_label("Cost per epoch of atlas-7b on GPU and on Trainium.")
    expect(chart.get_by_text("p4d.24xlarge price −33 %")).to_be_visible()
    card = page.get_by_label("How the GPU baseline is computed")
    for step in ("10.5 h × $21.957642 × 0.762832", "$5,250.00 effective ÷ 20.00 epochs", "$175.88"):
        expect(card.get_by_text(step).first).to_be_visible()
    check_runs(page, [row for row in site.published["runs"] if row["workload"] == "atlas-7b"])
    page.reload()
    link = page.get_by_role("link", name="atlas-7b-t34", exact=True)
    link.scroll_into_view_if_needed()
    link.click()
    expect(page).to_have_url(f"{site.url}/runs?run=atlas-7b%2Fatlas-7b-t34")
    expect(page.get_by_role("heading", name="atlas-7b-t34")).to_be_visible()


def check_runs(page: Page, runs: list[Row]) -> None:
    """Every run can be reached in the grid."""
    expect(page.get_by_role("heading", name=f"Runs ({len(runs)})")).to_be_visible()
    newest = max(runs, key=lambda row: row["started_at"])
    row = page.get_by_role("row").filter(has_text=f"{newest['cost']:,}")
    expect(row).to_contain_text("Trainium")
    page.get_by_role("columnheader", name="Cost, $", exact=True).click()
    cheapest = min(runs, key=lambda row: row["cost"])
    expect(page.get_by_role("row").filter(has_text=f"{cheapest['cost']:,}").first).to_be_visible()


def test_the_grid_shows_its_last_column_whole_on_a_desktop(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/workload/orion-13b")
    expect(page.get_by_role("columnheader", name="Flags")).to_be_visible()
    page.wait_for_function(WHOLE, arg="Flags")


def test_three_reservations_leave_the_curve_above_the_fold(
    page: Page, publish: Callable[..., Site]
) -> None:
    flagged, left_out = {"pending": Decimal(156)}, {"unsettled": Decimal(1304)}
    orion = replace(WORKLOADS[1], parity="mixed", flagged=flagged, left_out=left_out)
    site = publish((orion,))
    page.goto(f"{site.url}/workload/orion-13b")
    expect(page.locator(".notice")).to_have_count(3)
    curve = page.get_by_role("img", name="Cumulative net savings from").bounding_box()
    assert curve
    assert curve["y"] + curve["height"] <= 900


def test_on_a_phone_an_explanation_never_covers_what_it_explains(
    chromium: Browser, site: Site
) -> None:
    with tab(chromium, 390, 844) as phone:
        phone.goto(f"{site.url}/workload/orion-13b")
        expect(phone.get_by_label("How is this computed: Runs")).to_be_visible()
        phone.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
        for height in (120, 700):
            check_explanation(phone, height)
            phone.keyboard.press("Escape")
            expect(phone.locator("details[open] .panel")).to_have_count(0)


def check_explanation(phone: Page, height: int) -> None:
    """It is wholly in sight, beside a button at this height."""
    button = phone.get_by_label("How is this computed: Runs")
    button.evaluate(f"b => window.scrollBy(0, b.getBoundingClientRect().top - {height})")
    button.click()
    panel = phone.locator("details[open] .panel")
    expect(panel).to_be_in_viewport(ratio=1)
    covers, covered = panel.bounding_box(), button.bounding_box()
    assert covers
    assert covered
    assert (
        covers["y"] >= covered["y"] + covered["height"]
        or covers["y"] + covers["height"] <= covered["y"]
    )


def test_what_cannot_be_judged_claims_nothing(page: Page, site: Site) -> None:
    heading = page.get_by_role("heading", level=1)
    page.goto(f"{site.url}/workload/draco-moe")
    expect(heading).to_contain_text(
        "draco-moe cannot be compared with GPU: no Trainium run shares recipe"
    )
    expect(page.get_by_text("No saving can be computed", exact=True)).to_be_visible()
    page.get_by_role("link", name="Which runs?").click()
    groups = page.get_by_role("group", name="Runs by Work")
    expect(groups.get_by_role("row", name="Recipe differs")).to_be_visible()
    expect(page).to_have_url(re.compile(r"where=hardware%3Dtrainium&where=workload%3Ddraco-moe"))
    page.goto(f"{site.url}/workload/lyra-vit")
    expect(heading).to_contain_text("fewer than 2 qualifying GPU runs have ended")
    expect(page.get_by_text("No saving can be computed yet", exact=True)).to_be_visible()


def test_a_workload_that_has_only_cost_so_far_says_so(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/workload/nova-70b")
    expect(page.get_by_role("heading", level=1)).to_contain_text("$48,000 has been invested")
    expect(page.get_by_role("img", name="Cumulative net savings from 5 Oct 2026")).to_be_visible()


def test_an_unknown_workload_gets_a_clear_page(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/workload/atlas-8b")
    expect(page.get_by_role("heading", level=1)).to_have_text("No workload is called atlas-8b")
    page.get_by_role("link", name="Back to the overview").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Moving 5 workloads")
