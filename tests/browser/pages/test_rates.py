from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, pick

D = Decimal


def test_rates_paid_stand_beside_list(page: Page, company: Site) -> None:
    spent = [r for r in company.published["spend_daily"] if r["hardware"] == "trainium"]
    october = [row for row in spent if row["billing_period"] == "2026-10"]
    cost, hours = (
        sum(r[name] for r in october) for name in ("effective_cost", "accelerator_hours")
    )
    paid = (cost / hours).quantize(D("0.01"), ROUND_HALF_UP)
    page.goto(f"{company.url}/rates?from=2026-05-01")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"In Oct 2026 an accelerator-hour cost ${paid} on trn1 (24\u00a0% below\u00a0list)"
    )
    curve = page.get_by_label(
        "Cost per accelerator-hour of each platform, paid and at list prices."
    )
    expect(curve.get_by_text("p4d.24xlarge list −33 %")).to_be_visible()
    expect(
        page.get_by_role("img", name="Spot price of an accelerator-hour by type and region.")
    ).to_be_visible()
    bought = page.get_by_role("group", name="How hours were bought").last
    expect(bought.get_by_role("row").filter(has_text="Aug 2026")).to_contain_text("100.0\u00a0%")
    offer = page.get_by_role("row").filter(has_text="p5.48xlarge")
    expect(offer).to_contain_text("3,000.00")
    expect(offer).to_contain_text("62.50")
    expect(page.get_by_role("row").filter(has_text="trn2.48xlarge")).to_have_text("trn2.48xlarge21")
    pick(page, "Weeks")
    expect(page.get_by_role("heading", level=1)).to_contain_text("In the week of 26 Oct 2026")
    expect(page).to_have_url(re.compile(r"\?period=week&from=2026-05-01$"))


def test_what_no_source_brings_is_said_with_the_remedy(
    phone: Page, site: Site, company: Site
) -> None:
    phone.goto(f"{site.url}/rates")
    expect(phone.get_by_text("No Spot price is known")).to_be_visible()
    expect(phone.get_by_text("No Capacity Block was on offer")).to_be_visible()
    phone.goto(f"{site.url}/trust")
    expect(phone.get_by_text("AWS has changed nothing")).to_be_visible()
    for path in ("/rates", "/trust", "/trust?from=2031-01-01"):
        phone.goto(company.url + path)
        expect(phone.get_by_role("heading", level=1)).to_be_visible()
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    expect(phone.get_by_text("No bill in this range")).to_be_visible()


def test_an_address_that_asks_for_nothing_known_is_told_until_another_choice(
    page: Page, company: Site
) -> None:
    page.goto(f"{company.url}/rates?period=decade")
    told = page.get_by_text("The address asks for “decade”. Months are shown.")
    expect(told).to_be_visible()
    pick(page, "Weeks")
    expect(page.get_by_role("heading", level=1)).to_contain_text("In the week of")
    expect(told).to_be_hidden()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("In Oct 2026")
    expect(told).to_be_visible()
