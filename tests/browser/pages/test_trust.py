from __future__ import annotations

import csv
import io
import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, pick
from tests.support.dashboard.bought import ACCOUNTS


def test_the_tie_out_names_every_remainder(page: Page, company: Site) -> None:
    page.goto(company.url)
    page.get_by_role("link", name="Trust").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "The bill is complete through 28 Oct 2026; a remainder is left in 1 of 2 months, "
        "the largest $12.30 in Sep 2026"
    )
    table = page.get_by_role("group", name="Tie-out by month")
    september = table.get_by_role("row").filter(has_text="Sep 2026")
    expect(september).to_have_text("Sep 2026invoice1,000.0050.001,062.3012.30")
    pick(page, "Effective")
    expect(september).to_have_text("Sep 2026invoice800.00800.00−200.000.00")
    expect(page).to_have_url(re.compile(r"\?tied=effective$"))
    text = page.request.get(f"{company.url}/csv/tie_out?tied=billed").text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["account"] for row in rows] == [*ACCOUNTS, ACCOUNTS[0]]
    assert rows[0]["remainder"] == "12.300000000"
    page.go_back()
    expect(september).to_contain_text("12.30")


def test_what_is_stale_restated_and_left_out_is_said(page: Page, company: Site) -> None:
    page.goto(f"{company.url}/trust")
    source = page.get_by_role("region", name="Sources").get_by_role("row").filter(has_text="focus")
    expect(source).to_contain_text("31 Oct 2026, 06:30")
    expect(source).to_contain_text("28 Oct 2026")
    restated = page.get_by_role("group", name="Restatements").get_by_role("row").last
    expect(restated).to_have_text("Aug 2026<i>second</i>focus2 Oct 2026, 06:00yes−3.20−3.10")
    left_out = page.get_by_role("group", name="Left out or flagged")
    expect(left_out.get_by_role("row").filter(has_text="orion-13b").first).to_contain_text(
        "+563.10"
    )
    page.get_by_label("How is this computed: Tie-out").last.click()
    formula = page.get_by_text("Bill total + block spread − Σ buckets = remainder")
    expect(formula.last).to_be_visible()


def test_the_ingest_log_says_what_each_pull_came_to(page: Page, company: Site, site: Site) -> None:
    page.goto(f"{company.url}/trust")
    rows = page.get_by_role("region", name="Ingest log").last.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("31 Oct 2026, 07:00")
    expect(rows.nth(1)).to_contain_text("Not finished")
    expect(rows.nth(2)).to_contain_text("s3:GetObject was refused: <b>AccessDenied</b>")
    expect(rows.nth(3)).to_have_text(
        "30 Oct 2026, 06:00focuss3://bills<i>second</i>New data42 s11340,31200.03"
    )
    expect(rows).to_have_count(4)
    page.goto(f"{site.url}/trust")
    expect(page.get_by_text("No pull is on record")).to_be_visible()
