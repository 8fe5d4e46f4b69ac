from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, pick, serving
from tests.support.dashboard import world
from tests.support.dashboard.days import Row, at

D = Decimal
LATER = "<b>later</b> & co"


def gpu_run(workload: str, number: int, day: date) -> Row:
    name = f"{workload}-now{number}"
    return {
        "workload": workload,
        "run": name,
        "lineage": name,
        "hardware": "gpu",
        "purpose": "production",
        "started_at": at(day),
        "ended_at": at(day),
        "cost": D(2000),
        "idle_cost": D(200),
        "epochs": D(10),
        "accelerator_hours": D(80),
    }


def spent(run: Row) -> Row:
    """Ten hours of one machine, on demand."""
    return {
        **{name: run[name] for name in ("workload", "run", "hardware")},
        "date": run["started_at"].date(), "component": "accelerator", "attribution": "direct",
        "platform": "p4d", "instance_type": "p4d.24xlarge", "region": "us-east-1",
        "purchase_option": "on_demand", "instance_hours": D(10), "accelerator_hours": D(80),
        "effective_cost": run["cost"], "list_cost": run["cost"], "billed_cost": run["cost"],
        "unpriced": False, "settled": True,
    }  # fmt: skip


def price(option: str, usd: str) -> Row:
    return {
        "instance_type": "p4d.24xlarge", "platform": "p4d", "hardware": "gpu", "accelerators": 8,
        "region": "us-east-1", "purchase_option": option, "since": date(2026, 6, 1), "until": None,
        "usd_per_hour": D(usd),
    }  # fmt: skip


def waiting(workload: str, days: range) -> list[Row]:
    """Settled days before the move, counted back from the last: every workload has all of its."""
    return [
        {"date": world.SETTLED - timedelta(days=back), "workload": workload, "settled": True}
        for back in days
    ]


def edit(tables: dict[str, list[Row]]) -> None:
    """Two GPU workloads of twelve runs in twelve weeks, 4.3 a month; one has spent already."""
    tables["runs"] = [row for row in tables["runs"] if row["workload"] != "nova-70b"]
    for workload in ("nova-70b", LATER):
        tables["runs"] += [gpu_run(workload, n, date(2026, 10, n)) for n in range(1, 13)]
        tables["baselines"] = [row for row in tables["baselines"] if row["workload"] != workload]
        tables["baselines"].append(
            {"date": world.SETTLED, "workload": workload, "value": D(200), "method": "conservative"}
        )
    told = {row["date"] for row in tables["savings_daily"] if row["workload"] == "nova-70b"}
    before = range((world.SETTLED - min(told)).days + 1, 100)
    tables["savings_daily"] += waiting("nova-70b", before) + waiting(LATER, range(100))
    later = [run for run in tables["runs"] if run["workload"] == LATER]
    tables["spend_daily"] += [spent(run) for run in later]
    tables["price_history"] = [price("on_demand", "20"), price("spot", "8")]
    tables["committed_rates"] = [
        {"instance_type": "p4d.24xlarge", "region": "us-east-1", "years": 3,
         "plan": "Compute, 3 yr, No Upfront", "usd_per_hour": D(9), "observed_on": world.AS_OF},
    ]  # fmt: skip
    standing = next(row for row in tables["break_even"] if row["workload"] == "nova-70b")
    tables["break_even"].append(
        standing | {"workload": LATER, "status": "not_started", "cumulative_investment": D(0)}
    )


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("company")
    published = world.publish(folder, edit=edit)
    with serving(folder) as url:
        yield Site(url, folder, published)


def test_a_slider_moves_break_even_and_the_address_at_once(page: Page, company: Site) -> None:
    page.goto(f"{company.url}/decide?workload=nova-70b&trn=1200&port=48000")
    heading = page.get_by_role("heading", level=1)
    follows = page.get_by_role("table", name="Result")
    # 12 runs in 12 weeks are 4 1/3 a month; 48,000 ÷ (4 1/3 × 800) = 13.8; 48,000 ÷ 800 = 60 runs
    expect(heading).to_have_text(
        "\u2068nova-70b\u2069 would pay for itself in 13.8\u00a0months, after 60 more runs."
    )
    expect(follows).to_contain_text("+$3,466.67")
    expect(page.get_by_role("img", name="Cumulative net of the move by month")).to_be_visible()
    hand = page.get_by_role("slider", name="A run on Trainium, $, slider")
    hand.focus()
    hand.press("Home")  # 48,000 ÷ (4 1/3 × 2,000) = 5.5; 48,000 ÷ 2,000 = 24 runs
    expect(heading).to_contain_text("in 5.5\u00a0months, after 24 more runs")
    expect(page.get_by_label("A run on Trainium, $", exact=True)).to_have_value("0")
    expect(page).to_have_url(re.compile(r"trn=0(&|$)"))
    page.go_back()
    expect(heading).to_contain_text("in 13.8\u00a0months")
    expect(hand).to_have_js_property("value", "1200")
    page.get_by_label("GPU price change, %", exact=True).fill("-50")  # 1,000 a run: dearer
    expect(heading).to_have_text(
        "Moving \u2068nova-70b\u2069 never pays for itself: "
        "a Trainium run costs no less than a GPU run."
    )
    expect(follows.get_by_role("row", name="Months to break-even")).to_contain_text("never")


def test_the_rows_behind_a_what_if_are_those_of_the_workload_shown(
    page: Page, company: Site
) -> None:
    """Without one in the address it is the one to move next."""
    page.goto(f"{company.url}/decide?trn=1200&port=48000")
    shown = page.get_by_role("group", name="Workload", exact=True).get_by_role("button")
    expect(shown).to_contain_text(LATER)
    page.get_by_label("How is this computed: What if").last.click()
    page.get_by_role("link", name="Inputs and source rows").locator("visible=true").click()
    name = re.escape(urlencode({"workload": LATER}))
    expect(page).to_have_url(re.compile(rf"/source/what-if\?trn=1200&port=48000&{name}$"))
    expect(page.get_by_text(f"What if, {LATER}")).to_be_visible()


def test_what_to_move_next_by_payback_with_its_interval(page: Page, company: Site) -> None:
    page.goto(company.url)
    page.get_by_role("link", name="Decide").click()
    table = page.get_by_role("group", name="GPU workloads not yet moved").last
    later = table.get_by_role("row").filter(has_text=LATER)
    expect(later).to_contain_text("unknown")
    expect(later).to_contain_text("choose an effort and a day rate")
    expect(page.get_by_text("3 moved workloads here saved")).to_be_visible()
    pick(page, "Weeks")
    page.get_by_label("A day costs, $").fill("1000")
    page.get_by_label("Saving of the GPU cost, %").fill("50")
    # GPU 12 × 2,000 a 12 weeks = 8,666.67 a month, of it half; 5, 17.5 and 30 days of $1,000
    expect(later).to_have_text(
        f"{LATER}4.01.2 to 6.94,333.3317,500.005,000.00 to 30,000.008,666.67"
    )
    spent = table.get_by_role("row").filter(has_text="nova-70b")  # 48,000 are spent already
    expect(spent).to_have_text("nova-70b11.14,333.3348,000.008,666.67")
    expect(table.get_by_role("row").nth(1)).to_contain_text(LATER)
    page.get_by_role("link", name=LATER).click()
    expect(page.get_by_label("Cost of the move, $", exact=True)).to_have_value("17500.00")
    expect(page.get_by_label("A day costs, $")).to_have_value("1000")
    page.go_back()
    expect(page.get_by_label("Cost of the move, $", exact=True)).to_have_value("")


def test_ways_to_buy_stand_side_by_side_with_their_hidden_costs(page: Page, company: Site) -> None:
    page.goto(f"{company.url}/decide?workload={quote(LATER)}")
    ways = page.get_by_role("region", name="Ways to buy")
    planned, spot = (ways.get_by_role("listitem", name=n) for n in ("3-year commitment", "Spot"))
    # 120 of 2,016 hours in 12 weeks are 6 % of one instance; a tenth of the runs' cost was idle
    expect(planned).to_contain_text("Used6.0\u00a0%")
    expect(planned).to_contain_text("45\u00a0% of the paid hours must be used (not reached)")
    expect(planned).to_contain_text("Lock-in: $236,520 for one instance, used or not")
    expect(ways.get_by_text("costs least on demand: $22.22")).to_be_visible()
    expect(ways.get_by_role("listitem", name="1-year commitment")).to_contain_text("savings_plans")
    expect(spot).to_contain_text(
        "No run on Spot has settled days of known cost on this hardware, so its losses are unknown."
    )
    page.get_by_label("Use of a commitment, %").fill("90")  # 9 ÷ 0.9 ÷ 0.9
    expect(ways.get_by_text("commitment of which 90\u00a0% is used: $11.11")).to_be_visible()
    expect(planned).to_contain_text("A month, $433.33")  # 120 h × 52 ÷ 144 × 0.9 × 11.11
    expect(page).to_have_url(re.compile("used=90"))
    page.go_back()
    expect(planned).to_contain_text("Used6.0\u00a0%")


def test_the_checklist_says_what_decides(page: Page, company: Site) -> None:
    page.goto(f"{company.url}/decide?workload=nova-70b&trn=1200&port=48000&arch=kernels")
    card = page.get_by_role("region", name="The checklist")
    told = card.locator(".verdict")
    expect(told).to_have_text(
        "Leans to Trainium. Money decides: it pays for itself in 13.8\u00a0months, "
        "within 24\u00a0months. Architecture leans to GPU."
    )
    card.get_by_label("Look ahead, months").fill("12")
    expect(told).to_contain_text("Leans to GPU. Money decides: it pays for itself in 13.8")
    expect(told).to_contain_text("beyond 12\u00a0months")
    card.get_by_label("Look ahead, months").fill("")
    pick(page, "Several clouds")
    expect(told).to_contain_text("Leans to GPU. Cloud strategy decides")
    expect(page).to_have_url(re.compile("cloud=several"))
    line = card.get_by_role("listitem").filter(has_text="Monthly training spend")
    expect(line).to_contain_text("$8,667 a month for the same runs on GPU. $8,667 is enough.")
    expect(line).to_contain_text("At least $5,000 a month")  # 48,000 ÷ 24 ÷ 0.4
    page.get_by_role("group", name="Workload", exact=True).get_by_role("button").click()
    page.get_by_role("option", name=LATER).click()
    expect(page.get_by_role("radio", name="Several clouds")).to_be_checked()
    expect(page).to_have_url(re.compile("cloud=several"))
    assert "arch" not in page.url


def test_what_nobody_knows_stays_unknown(phone: Page, company: Site) -> None:
    phone.goto(f"{company.url}/decide?workload=lyra-vit&runs=lots&port=-1")
    heading = phone.get_by_role("heading", level=1)
    expect(heading).to_have_text(
        "When \u2068lyra-vit\u2069 pays for itself is unknown: no data on what a GPU run costs."
    )
    box = phone.get_by_label("A run on GPU, $", exact=True)
    expect(box).to_have_attribute("placeholder", "unknown")
    expect(phone.get_by_text("No curve yet")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.goto(f"{company.url}/decide?workload=nobody")
    expect(phone.get_by_text("No workload is called nobody")).to_be_visible()
