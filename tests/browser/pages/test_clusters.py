from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site

POOL = "hpc · trn1.32xlarge"


def test_who_holds_the_machines_and_how_much_stands_idle(page: Page, site: Site) -> None:
    settled = [row for row in site.published["pool_use"] if row["settled"]]
    idle = sum(r["cost"] for r in settled if r["holding"] in ("idle", "drained"))
    page.goto(site.url)
    page.get_by_role("link", name="Clusters").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("From 1 Aug 2026 to 28 Oct 2026")
    expect(heading).to_contain_text(f"${idle:,.0f} of the ${sum(r['cost'] for r in settled):,.0f}")
    expect(heading).to_contain_text(f"{POOL}, mostly because no job held them.")
    figure = page.get_by_label(f"Accelerator-hours of {POOL} by day")
    for name in ("atlas-7b", "Unknown jobs", "Idle: drained"):
        expect(figure.get_by_text(name)).to_be_visible()
    months = page.get_by_role("group", name="Pools by month").last
    august = months.get_by_role("row").filter(has_text="Aug 2026")
    rows = [row for row in settled if row["date"].month == 8]
    held = sum(row["cost"] for row in rows if row["holding"] == "held")
    expect(august).to_contain_text(f"{sum(row['cost'] for row in rows):,.2f}")
    expect(august).to_contain_text(f"{sum(row['cost'] for row in rows) - held:,.2f}")
    expect(page.get_by_text("Allocations are missing.")).to_be_visible()


def test_from_a_pool_to_its_jobs_to_a_run(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/clusters?from=2026-09-01")
    months = page.get_by_role("group", name="Pools by month").last
    months.get_by_role("link", name="eks-research").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?pool=eks-research%2Fp4d.24xlarge&from=2026-09-01$"))
    expect(page.get_by_role("heading", name="Who held eks-research")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name=f"Who held {POOL}")).to_be_visible()
    holders = page.get_by_role("group", name="Who held it").last
    row = holders.get_by_role("row").filter(has_text="vega-bert")
    row.get_by_role("link", name="on this pool").click()
    runs = page.get_by_role("group", name="Runs and their jobs").last
    expect(runs.get_by_role("link", name="atlas-7b-t30")).to_have_count(0)
    runs.get_by_role("link", name="vega-bert-t22").click()
    panel = page.get_by_role("complementary", name="Run vega-bert-t22")
    expect(panel.get_by_text("Allocation", exact=True)).to_be_visible()
    jobs = panel.get_by_role("region", name="Jobs")
    expect(jobs.get_by_role("row")).to_have_count(3)
    jobs.get_by_role("link", name="hpc").first.click()
    expect(page.get_by_role("heading", name=f"Who held {POOL}")).to_be_visible()


def test_the_range_and_the_pool_stand_in_the_address(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/clusters")
    page.get_by_role("group", name="Pool", exact=True).get_by_role("button").click()
    page.get_by_role("option", name="eks-research").click()
    expect(page.get_by_role("heading", name="Who held eks-research")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?pool=eks-research%2Fp4d.24xlarge$"))
    page.get_by_label("How is this computed: Pools by month").last.click()
    page.get_by_role("link", name="Inputs and source rows").locator("visible=true").click()
    expect(page.get_by_text("Held by known workloads, hours")).to_be_visible()


def test_where_no_machine_is_shared_the_page_says_what_would_fill_it(
    phone: Page, site: Site, company: Site
) -> None:
    phone.goto(f"{company.url}/clusters")
    expect(phone.get_by_role("heading", level=1)).to_have_text(
        "No machine is shared by jobs, as far as the sources tell."
    )
    expect(phone.get_by_text("docs/schedulers.md")).to_be_visible()
    expect(phone.get_by_role("group", name="Pool", exact=True)).to_be_hidden()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.goto(f"{site.url}/clusters")
    expect(phone.get_by_role("heading", name=f"Who held {POOL}")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
