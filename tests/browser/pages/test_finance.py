"""A controller's month: what keeps it open, the close, the files, the history, a second version."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from models.access.acting import system_user
from models.engine import build
from tests.browser.conftest import serving
from tests.support.closing.company import OTHER, Company, company

CONFIG = f"""
as_of = 2025-10-31
fiscal.first_month = 2
sources = [
    {{ kind = "focus", location = "bill.csv" }},
    {{ kind = "progress_file", location = "progress.csv" }},
]
investments = [
    {{ workload = "atlas-7b", date = 2025-05-20, kind = "engineering", days = 1, day_rate = 1000 }},
]
invoices = [{{ account = "{OTHER}", month = "2025-07", amount = 5.00 }}]
"""


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """June is closed, then AWS restates it; July's invoice is not what the bill adds up to."""
    made = company(tmp_path_factory.mktemp("firm"))
    invoice = {"account": OTHER, "month": "2025-07", "amount": 5.0}
    made.world.config["invoices"] = [invoice]
    made.bill()
    made.close("2025-06")
    made.restate({"2025-06": "17"})
    build.build(made.settings)
    return made


@pytest.fixture(scope="module")
def office(firm: Company) -> Iterator[str]:
    with serving(firm.world.folder, CONFIG) as url:
        yield url


def part(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


def condition(page: Page, name: str) -> Locator:
    rows = part(page, "Conditions for closing it").get_by_role("row")
    return rows.filter(has=page.get_by_role("cell", name=name, exact=True))


def choose(page: Page, control: str, option: str) -> None:
    page.get_by_role("group", name=control, exact=True).get_by_role("button").click()
    page.get_by_role("option", name=option).click()
    page.keyboard.press("Escape")


def test_a_month_is_closed_once_its_remainder_is_explained(page: Page, office: str) -> None:
    page.goto(f"{office}/finance")
    answer = page.get_by_role("heading", level=1)
    expect(answer).to_contain_text("In Sep 2025 training on Trainium saved $304")
    expect(condition(page, "In order")).to_have_text("In ordernot metclose 2025-07 first")
    expect(page.get_by_text("Sep 2025 cannot be closed: close 2025-07 first.")).to_be_visible()
    expect(page.get_by_role("button", name="Close")).to_be_hidden()
    choose(page, "Month", "Jul 2025")
    expect(answer).to_contain_text("closed months are adjusted by −$25.00")
    expect(page).to_have_url(re.compile(r"\?month=2025-07$"))
    expect(condition(page, "Tied")).to_contain_text(f"{OTHER} billed -0.333333333")
    button, said = (
        page.get_by_role("button", name="Close Jul 2025"),
        page.locator("#finance-message"),
    )
    button.click()
    expect(said).to_contain_text("2025-07 cannot be closed: tied: remains unexplained")
    page.get_by_label("Cause of a remainder").fill("rounded by AWS")
    button.click()
    expect(said).to_contain_text("Jul 2025 is version 1, sha256 ")
    expect(page.get_by_text("Closed, version 1")).to_be_visible()
    held = part(page, "Conditions when it was closed")
    expect(held).to_contain_text("(rounded by AWS)")
    closed = part(page, "Closes").get_by_role("row").filter(has_text="Jul 2025")
    expect(closed).to_contain_text(re.compile(f"^Jul 20251{system_user()}.*–[0-9a-f]{{12}}$"))


def test_a_closed_month_is_copied_with_its_version_and_not_with_todays_snapshot(
    page: Page, office: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{office}/finance?month=2025-06&version=1")
    page.get_by_role("button", name="Copy as sentence").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r" \(Jun 2025, version 1, closed on \d+ \w+ \d{4}\)\. http", copied)


def test_a_closed_month_is_opened_again_compared_and_taken_home(page: Page, office: str) -> None:
    page.goto(f"{office}/finance?month=2025-06")
    said = page.locator("#finance-message")
    again = page.get_by_role("button", name="Open Jun 2025 again, as version 2")
    again.click()
    expect(said).to_contain_text("2025-06 is closed already: version 1 by C")
    page.get_by_label("Why it is opened again").fill("AWS restated it")
    again.click()
    expect(said).to_contain_text("Jun 2025 is version 2")
    expect(part(page, "Closes").get_by_text("AWS restated it")).to_be_visible()
    choose(page, "Compare with", "Version 1")
    changed = part(page, "Changes from version 1 to version 2").get_by_role("row")
    net = changed.filter(has_text="summaryatlas-7bnet saving")
    expect(net).to_have_text("summaryatlas-7bnet saving303.50278.50")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Workbook").click()
    assert taken.value.suggested_filename == "savings-2025-06-v2.xlsx"
    assert taken.value.path().read_bytes().startswith(b"PK")


def test_a_phone_is_told_what_is_not_there_and_what_is_not_final(phone: Page, office: str) -> None:
    for month, words in (
        ("2031-01", "nothing is known of this month: 2031-01 (there are 2025-05 to 2025-10)"),
        ("/../etc", "In Sep 2025 training on Trainium"),
        ("/../etc", "No such month. The address asks for “/../etc”. The newest month"),
        ("2025-10", "Oct 2025 cannot be closed: 2025-10 ends on 2025-10-31"),
        ("2025-08", "no remainder against the export's own total"),
    ):
        phone.goto(f"{office}/finance?month={month}")
        expect(phone.get_by_text(words)).to_be_visible()
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), month
    phone.goto(f"{office}/finance?month=2031-01&version=7")
    expect(phone.get_by_title("Month", exact=True)).to_contain_text("2031-01")
    expect(phone.get_by_text("no such close: 2031-01 version 7")).to_be_visible()


def test_the_rows_behind_a_number_are_those_of_the_month_shown(page: Page, office: str) -> None:
    """October has begun, so September is shown."""
    page.goto(f"{office}/finance")
    expect(page.get_by_role("heading", level=1)).to_contain_text("In Sep 2025")
    page.get_by_label("How is this computed: The month by workload").last.click()
    page.get_by_role("link", name="Inputs and source rows").locator("visible=true").click()
    expect(page).to_have_url(re.compile(r"/source/the-month-by-workload\?month=2025-09$"))
    expect(page.get_by_text("The month by workload, Sep 2025")).to_be_visible()


def test_back_to_an_address_without_a_month_is_the_newest_that_is_over(
    page: Page, office: str
) -> None:
    page.goto(f"{office}/finance")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("In Sep 2025")
    choose(page, "Month", "Oct 2025 (open)")
    expect(heading).to_contain_text("In Oct 2025")
    page.go_back()
    expect(heading).to_contain_text("In Sep 2025")
    expect(page.get_by_title("Month", exact=True)).to_contain_text("Sep 2025")
    expect(page).to_have_url(f"{office}/finance")
    page.go_forward()
    expect(heading).to_contain_text("In Oct 2025")
