from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal

import pytest
from playwright.sync_api import Browser, Page, expect

from models.marts.cost.tie_out import BUCKETS
from models.raw.feeds import FILE, UNFINISHED
from tests.browser.conftest import Site, pick, serving, tab
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

D = Decimal
MONEY = (*BUCKETS, "bridge", "block_spread")
ACCOUNTS = ("999900000001", "<i>second</i>")


def at(day: int, month: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC).replace(tzinfo=None)


def pull(when: datetime, **told: object) -> str:
    """A line of the journal."""
    about = {"source": "focus", "location": "s3://bills", "account": ACCOUNTS[1], "error": ""}
    return json.dumps({"at": when.replace(tzinfo=UTC).isoformat(), **about, **told}) + "\n"


def tied(month: str, account: str, basis: str, **amounts: Decimal) -> Row:
    row: Row = {"month": month, "billing_account": ACCOUNTS[0], "account": account, "basis": basis}
    row |= dict.fromkeys(MONEY, D(0)) | {"remainder": D(0), "total_source": "invoice"} | amounts
    return row


def price(kind: str, since: date, usd: str, before: str | None, option: str) -> Row:
    return {
        "instance_type": kind,
        "platform": kind.split(".")[0],
        "hardware": "gpu",
        "accelerators": 8,
        "region": "us-east-1",
        "purchase_option": option,
        "since": since,
        "until": None,
        "usd_per_hour": D(usd),
        "previous_usd_per_hour": before and D(before),
    }


def edit(tables: dict[str, list[Row]]) -> None:
    for row in tables["spend_daily"]:
        on_gpu = row["hardware"] == "gpu"
        row |= {
            "platform": "p4d" if on_gpu else "trn1",
            "instance_type": "p4d.24xlarge" if on_gpu else "trn1.32xlarge",
            "purchase_option": "on_demand" if on_gpu else "committed",
            "unpriced": False,
        }
    tables["tie_out"] = [
        tied("2026-08", ACCOUNTS[0], "billed", direct=D("900.125"), bill_total=D("900.125")),
        tied(
            "2026-09",
            ACCOUNTS[0],
            "billed",
            direct=D(1000),
            bill_total=D("1012.30"),
            remainder=D("12.30"),
        ),
        tied("2026-09", ACCOUNTS[1], "billed", tax=D(50), bill_total=D(50)),
        tied("2026-09", ACCOUNTS[0], "effective", direct=D(800), bill_total=D(800), bridge=D(-200)),
    ]
    tables["restatements"] = [
        {"month": "2026-08", "account": ACCOUNTS[1], "source": "focus", "settled": True,
         "counted": True, "pulled_at": at(2, 10, 6), "billed_change": D("-3.20"),
         "effective_change": D("-3.10")},
    ]  # fmt: skip
    tables["price_history"] = [
        price("p4d.24xlarge", date(2026, 6, 1), "21.957642", "32.7726", "on_demand"),
        price("p4d.24xlarge", date(2026, 10, 1), "12.00", None, "spot"),
    ]
    tables["capacity_offers"] = [
        {"account": ACCOUNTS[0], "region": "us-east-1", "zone": "us-east-1a", "hours": 24,
         "instance_type": "p5.48xlarge", "instances": 2, "start": at(5, 11, 11),
         "fee": D(3000), "usd_per_hour": D("62.5"), "observed_on": date(2026, 10, 30)},
    ]  # fmt: skip
    tables["offered"] = [
        {"account": ACCOUNTS[0], "region": region, "zone": f"{region}{zone}",
         "instance_type": "trn2.48xlarge", "observed_on": date(2026, 10, 30)}
        for region, zone in (("us-east-1", "a"), ("us-east-1", "b"), ("us-west-2", "a"))
    ]  # fmt: skip


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
    (folder / FILE).write_text("".join(lines))
    with serving(folder) as url:
        yield Site(url, folder, published)


def test_the_tie_out_names_every_remainder(page: Page, company: Site) -> None:
    page.goto(company.url)
    page.get_by_role("link", name="Trust").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "The bill is complete through 28 Oct 2026; a remainder is left in 1 of 2 months, "
        "the largest $12.30 in Sep 2026"
    )
    table = page.get_by_role("region", name="Tie-out by month")
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
    restated = page.get_by_role("region", name="Restatements").get_by_role("row").last
    expect(restated).to_have_text("Aug 2026<i>second</i>focus2 Oct 2026, 06:00yes−3.20−3.10")
    left_out = page.get_by_role("region", name="Left out or flagged")
    expect(left_out.get_by_role("row").filter(has_text="orion-13b").first).to_contain_text(
        "+563.10"
    )
    page.get_by_label("How is this made: Tie-out").last.click()
    formula = page.get_by_text("Bill total + block spread − Σ buckets = remainder")
    expect(formula.last).to_be_visible()


def test_the_ingest_log_says_what_each_pull_came_to(page: Page, company: Site, site: Site) -> None:
    page.goto(f"{company.url}/trust")
    rows = page.get_by_role("region", name="Ingest log").last.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("31 Oct 2026, 07:00")
    expect(rows.nth(1)).to_contain_text("Has not ended")
    expect(rows.nth(2)).to_contain_text("s3:GetObject was refused: <b>AccessDenied</b>")
    expect(rows.nth(3)).to_have_text(
        "30 Oct 2026, 06:00focuss3://bills<i>second</i>News42 s11340,31200.03"
    )
    expect(rows).to_have_count(4)
    page.goto(f"{site.url}/trust")
    expect(page.get_by_text("No pull is on record")).to_be_visible()


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
        page.get_by_label("Spot price of an accelerator-hour by type and region.")
    ).to_be_visible()
    bought = page.get_by_role("region", name="How hours were bought").last
    expect(bought.get_by_role("row").filter(has_text="Aug 2026")).to_contain_text("100.0\u00a0%")
    offer = page.get_by_role("row").filter(has_text="p5.48xlarge")
    expect(offer).to_contain_text("3,000.00")
    expect(offer).to_contain_text("62.50")
    expect(page.get_by_role("row").filter(has_text="trn2.48xlarge")).to_have_text("trn2.48xlarge21")
    pick(page, "Weeks")
    expect(page.get_by_role("heading", level=1)).to_contain_text("In the week of 26 Oct 2026")
    expect(page).to_have_url(re.compile(r"\?period=week&from=2026-05-01$"))


def test_what_no_source_brings_is_said_with_the_remedy(
    chromium: Browser, site: Site, company: Site
) -> None:
    with tab(chromium, 390, 844, "dark") as phone:
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


def test_before_the_first_snapshot_the_pages_wait_for_one(
    page: Page, own_site: Callable[[], Site]
) -> None:
    site = own_site()
    page.goto(f"{site.url}/finance")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is published yet.")
    expect(page.get_by_role("button", name=re.compile("^Close"))).to_have_count(0)
    page.clock.install()
    page.goto(f"{site.url}/trust")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Nothing is published yet.")
    world.publish(site.folder, edit=edit)
    page.clock.run_for(16_000)
    expect(heading).to_contain_text("The bill is complete through 28 Oct 2026")
    expect(page.get_by_role("region", name="Restatements").last).to_be_visible()
