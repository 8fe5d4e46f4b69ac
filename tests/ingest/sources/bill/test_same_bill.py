"""The same months as FOCUS, as CUR 2.0 and as Cost Explorer: one company, one answer."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ingest import pull
from tests.support.bills.cost_explorer_bill import billed
from tests.support.bills.cur2_reports import PLAN, RESERVED, Twice, priced, reported
from tests.support.ingest.fake_aws import ENVIRONMENT, Fake
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import ACCOUNT, LIST

MAY, SEPTEMBER = "2025-05-31T00:00:00", "2025-09-08T00:00:00"
P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
BLOCK = "arn:aws:ec2:us-east-1:999900000001:capacity-reservation/cr-0b1"
CONFIG = {
    "investments": [
        {"workload": "atlas-7b", "date": date(2025, 8, 15), "kind": "partner", "amount": 9000}
    ],
    "capacity_blocks": [
        {
            "instance_type": TRN1,
            "instances": 1,
            "start": datetime(2025, 9, 20, 0, 0, tzinfo=UTC),
            "end": datetime(2025, 9, 21, 0, 0, tzinfo=UTC),
            "fee": 480,
            "reservation": "cr-0b1",
        }
    ],
}
PROGRESS = {"kind": "progress_file", "location": "progress.csv"}
TABLES = (
    "runs", "tie_out", "break_even", "baselines", "savings_daily", "cost_per_epoch",
    "monthly_summary", "progress_daily",
)  # fmt: skip


def runs(company: Twice) -> None:
    """On demand, reserved, under a plan, Spot and in a block; ten percent off by agreement."""
    company.worked("g1", f"BoxUsage:{P4D}", "2025-05-02", "20", priced("30", "25"), 2)
    reserved = priced("28", "25", "reservation")
    company.worked("g2", f"BoxUsage:{P4D}", "2025-05-12", "22", reserved, 2)
    company.worked("t1", f"BoxUsage:{TRN1}", "2025-09-02", "20", priced("18", "16"), 4)
    company.worked("t2", f"BoxUsage:{TRN1}", "2025-09-08", "20", priced("18", "16", "plan"), 4)
    company.worked("t3", f"SpotUsage:{TRN1}", "2025-09-15", "20", priced("8", "8"), 4)
    held = priced("0", "0")  # listed at what the hours cost on demand, as AWS may
    company.worked("t4", f"BoxUsage:{TRN1}", "2025-09-20", "18", held, 4)


def commitments(company: Twice) -> None:
    """Fees of a plan, a reservation and a block; what nobody used of the first two."""
    fee = {"ChargeCategory": "Purchase", "ListCost": 0, "PricingCategory": "Committed"}
    plan = {"x_UsageType": "ComputeSP:1yrPartialUpfront", "CommitmentDiscountId": PLAN}
    lines = {"line_item_usage_type": plan["x_UsageType"], "savings_plan_savings_plan_a_r_n": PLAN}
    unused = {"CommitmentDiscountStatus": "Unused", "BilledCost": 0, "ListCost": 0}
    recurring = reported(
        SEPTEMBER, "SavingsPlanRecurringFee", 700, 630, **lines,
        savings_plan_total_commitment_to_date="700", savings_plan_used_commitment="585",
        savings_plan_amortized_upfront_commitment_for_billing_period="200",
        savings_plan_net_amortized_upfront_commitment_for_billing_period="180",
    )  # fmt: skip
    company.both(SEPTEMBER, {"cost": 630, "EffectiveCost": 0, **fee, **plan}, recurring)
    company.both(SEPTEMBER, {"cost": "103.5", **unused, **plan})
    upfront = reported(SEPTEMBER, "SavingsPlanUpfrontFee", 1000, 900, **lines)
    company.both(SEPTEMBER, {"cost": 900, "EffectiveCost": 0, **fee, **plan}, upfront)

    held = {"x_UsageType": f"HeavyUsage:{P4D}", "CommitmentDiscountId": RESERVED}
    lines = {"line_item_usage_type": f"HeavyUsage:{P4D}", "reservation_reservation_a_r_n": RESERVED}
    monthly = reported(
        MAY, "RIFee", 3000, 2700, **lines,
        reservation_unused_amortized_upfront_fee_for_billing_period="20",
        reservation_net_unused_amortized_upfront_fee_for_billing_period="18",
        reservation_unused_recurring_fee="100", reservation_net_unused_recurring_fee="90",
    )  # fmt: skip
    both = {"ChargeFrequency": "Recurring", "EffectiveCost": 108, **fee, **held}
    company.both(MAY, {"cost": 2700, **both}, monthly)  # one line tells fee and unused hours
    prepaid = reported(MAY, "Fee", 5000, 4500, **lines)
    company.both(MAY, {"cost": 4500, "EffectiveCost": 0, **fee, **held}, prepaid)

    block = {"x_UsageType": f"CapacityBlockFee:{TRN1}", "CapacityReservationId": BLOCK}
    bought = "2025-09-18T00:00:00"
    line = reported(
        bought, "Fee", 480, 480, line_item_usage_type=f"CapacityBlockFee:{TRN1}",
        reservation_reservation_a_r_n=BLOCK,
    )  # fmt: skip
    company.both(bought, {"cost": 480, "ChargeCategory": "Purchase", **block}, line)


def the_rest(company: Twice) -> None:
    """Credit, refunds, tax, support, an idle reservation, storage, and discounts' own lines."""
    gift = {"cost": -50, "ChargeCategory": "Credit"}
    company.both(SEPTEMBER, gift, reported(SEPTEMBER, "Credit", -50, -50))
    undone = {
        "cost": -5, "ListCost": "", "ChargeCategory": "Adjustment", "ChargeClass": "Correction"
    }  # fmt: skip
    tags = {"workload": "atlas-7b", "run": "t1"}
    meter = "EBS:VolumeUsage.gp3"
    named = reported(
        SEPTEMBER, "Refund", -5, -5, tags=tags, line_item_usage_type=meter,
        pricing_public_on_demand_cost="",
    )  # fmt: skip
    company.both(SEPTEMBER, {**undone, "tags": tags, "x_UsageType": meter}, named)
    company.both(SEPTEMBER, {**undone, "cost": -7}, reported(SEPTEMBER, "Refund", -7, -7))
    taxed = {"cost": 30, "ChargeCategory": "Tax"}
    company.both(SEPTEMBER, taxed, reported(SEPTEMBER, "Tax", 30))
    support = reported(SEPTEMBER, "Fee", 100, 100, line_item_product_code="AWSSupportBusiness")
    company.both(SEPTEMBER, {"cost": 100, "ServiceName": "AWS Support (Business)"}, support)
    idle = priced("21.5", "19.35")
    company.used(SEPTEMBER, "2", f"UnusedBox:{TRN1}", idle, None, ResourceId="cr-9")
    kept = reported(SEPTEMBER, "Usage", 40, 36, tags=tags, line_item_usage_type=meter)
    company.both(SEPTEMBER, {"cost": 36, "ListCost": 40, "tags": tags, "x_UsageType": meter}, kept)
    for day, kind in ((MAY, "EdpDiscount"), (SEPTEMBER, "PrivateRateDiscount")):
        line = reported(day, kind, -60, 0, tags=tags, line_item_usage_type=f"BoxUsage:{TRN1}")
        company.cur2.charges.append(line)


def undone(company: Twice) -> None:
    """Two of g1's hours, and lump sums under the workload's tag: for hours, a volume, nothing."""
    tags, listed = {"workload": "atlas-7b", "run": "g1"}, Decimal(LIST[P4D]) * -2
    meter, day = f"BoxUsage:{P4D}", "2025-05-02T00:00:00"
    focus = {"cost": -50, "ChargeCategory": "Adjustment", "ChargeClass": "Correction",
             "ListCost": listed, "tags": tags, "x_UsageType": meter, "ConsumedQuantity": 2,
             "ConsumedUnit": "Hours"}  # fmt: skip
    back = reported(day, "Refund", -60, -50, tags=tags, line_item_usage_type=meter,
                    line_item_usage_amount="2", pricing_unit="Hrs",
                    pricing_public_on_demand_cost=listed)  # fmt: skip
    company.both(day, focus, back)
    tags = {"workload": "atlas-7b"}
    for cost, meter in ((-8, f"BoxUsage:{TRN1}"), ("-7.8", "EBS:VolumeUsage.gp3"), (-2, "")):
        focus = {"cost": cost, "ChargeCategory": "Adjustment", "ChargeClass": "Correction",
                 "ListCost": "", "tags": tags, "x_UsageType": meter}  # fmt: skip
        line = reported(SEPTEMBER, "Refund", cost, cost, tags=tags, line_item_usage_type=meter,
                        pricing_public_on_demand_cost="")  # fmt: skip
        company.both(SEPTEMBER, focus, line)
    tags = {"workload": "atlas-7b", "run": "t3"}
    beyond = reported("2025-09-15T00:00:00", "Fee", 3, 3, tags=tags)
    company.both("2025-09-15T00:00:00", {"cost": 3, "tags": tags}, beyond)


def gross(company: Twice) -> None:
    """A month without net figures: ten percent are taken off on lines of their own."""
    day = "2025-07-08T00:00:00"
    for world in (company.focus, company.cur2):
        world.sample(day, "t0", 0, loss=1.5)
        world.sample("2025-07-08T20:00:00", "t0", 4, loss=1.5)
    for run, hours, cost, off in (("t0", "20", 400, -40), (None, "5", 100, -10)):
        tags = {"workload": "atlas-7b", **({"run": run} if run else {})}
        meter, listed = f"BoxUsage:{TRN1}", Decimal(hours) * Decimal("21.5")
        focus = {"cost": cost + off, "ListCost": listed, "x_UsageType": meter, "tags": tags,
                 "ConsumedQuantity": hours, "ConsumedUnit": "Hours"}  # fmt: skip
        line = {"tags": tags, "line_item_usage_type": meter, "pricing_unit": "Hrs"}
        used = reported(day, "Usage", cost, "", line_item_usage_amount=hours, **line,
                        pricing_public_on_demand_cost=listed)  # fmt: skip
        company.both(day, focus, used, reported(day, "EdpDiscount", off, "", **line))


def unlisted(company: Twice) -> None:
    """Hours that cost something and are listed at $0: nobody knows what they cost on demand."""
    bare, tags = priced("10", "9", listed="0"), {"workload": "bare", "run": "u1"}
    company.used("2025-09-11T00:00:00", "2", f"BoxUsage:{TRN1}", bare, tags)


def pods(company: Twice) -> None:
    """Ten hours of a box that two runs' pods divide: 96 and 48 of 160 dollars."""
    day = "2025-09-10T00:00:00"
    box = priced("18", "16")
    company.used(day, "10", f"BoxUsage:{TRN1}", box, {"workload": "pods"}, ResourceId="i-1")
    for run, gross, net in (("h1", 108, 96), ("h2", 54, 48)):
        tags = {"workload": "pods", "run": run}
        focus = {
            "cost": 0, "tags": tags, "x_UsageType": "EKS-EC2-vCPU-Hours", "ConsumedUnit": "Hours",
            "ConsumedQuantity": 1, "ParentResourceId": "i-1", "SplitCost": net,
        }  # fmt: skip
        line = reported(
            day, "Usage", 0, 0, tags=tags, line_item_usage_type="EKS-EC2-vCPU-Hours",
            line_item_operation="EKSPod-EC2", line_item_resource_id=f"pod/{run}",
            split_line_item_parent_resource_id="i-1", split_line_item_split_cost=gross,
            split_line_item_net_split_cost=net,
        )  # fmt: skip
        company.both(day, focus, line)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    company = Twice(tmp_path_factory.mktemp("told"))
    runs(company)
    commitments(company)
    the_rest(company)
    undone(company)
    gross(company)
    pods(company)
    unlisted(company)
    company.used("2025-10-30T00:00:00", "1", f"BoxUsage:{TRN1}", priced("18", "16"), None)
    return company


@pytest.fixture(scope="module")
def told(company: Twice) -> tuple[SomeMarts, SomeMarts]:
    report = {"kind": "cur2", "location": "bill.csv"}
    return (
        some_marts(company.focus.pulled(**CONFIG), *TABLES),
        some_marts(
            company.cur2.pulled(**CONFIG, sources=[report, PROGRESS], cost={"source": "cur2"}),
            *TABLES,
        ),
    )


@pytest.fixture(scope="module")
def seen(company: Twice, told: tuple[SomeMarts, SomeMarts], aws_server: Fake) -> SomeMarts:
    """What Cost Explorer answers about the same lines, beside the same progress."""
    source = {"cost": {"source": "cost_explorer", "api_budget_usd_per_day": 9}}
    settings = company.cur2.settings(
        **CONFIG,
        **source,
        sources=[{"kind": "cost_explorer"}, PROGRESS],
        warehouse={"path": "seen/warehouse.duckdb"},
    )
    aws_server.shows(account=ACCOUNT, bill=billed(company.cur2.charges), cost_now="2025-10-31")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws_server.url}.items():
            patch.setenv(name, value)
        pull.pull(settings).raise_failures()
    return some_marts(settings, *TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_the_same_months_give_the_same_answer(
    told: tuple[SomeMarts, SomeMarts], table: str
) -> None:
    """A report says of July that its figures are gross; FOCUS has net ones only."""
    focus, cur2 = (marts.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for marts in told)
    assert len(focus) > 0
    if table == "runs":
        assert {run["run"]: run.pop("flags") for run in cur2} == {
            run["run"]: ["gross_cost"] if run["run"] == "t0" else run.pop("flags") for run in focus
        }
        focus[2].pop("flags")
    assert cur2 == focus


def test_every_run_costs_what_its_lines_say(told: tuple[SomeMarts, SomeMarts]) -> None:
    """Of a block's 24 hours at 480 dollars t4 used 18; t1's volume is 36 less 5 refunded.

    Sixteen dollars of the box, which no pod used, stood idle and are no run's. A refund of hours
    falls on t2, which alone ran that day; 7.80 of a volume on t1, which alone had such a one. t0
    and what it shares are 500 less ten percent. g1 got two hours back.
    """
    rows = told[1].rows("SELECT run, cost, flags FROM runs ORDER BY run")
    assert {row["run"]: row["cost"] for row in rows} == {
        "g1": 500 - 50, "g2": 550, "t0": 360 + 90, "t1": 320 + 36 - 5 - Decimal("7.8"),
        "t2": 320 - 8, "t3": 160 + 3, "t4": 360,
        "h1": 96, "h2": 48, "u1": 18,
    }  # fmt: skip
    assert [row["run"] for row in rows if "gross_cost" in row["flags"]] == ["t0"]


def test_hours_that_were_paid_back_were_not_used(told: tuple[SomeMarts, SomeMarts]) -> None:
    """18 and 22 hours; 4 epochs at $1,000, and 40 hours at 21.957642 × 1,000 ÷ 1,310.904."""
    for marts in told:
        hours = marts.rows("SELECT accelerator_hours / 8 AS h FROM runs WHERE run < 'h' ORDER BY 1")
        assert [row["h"] for row in hours] == [18, 22]
        baseline = "SELECT measured, repriced FROM baselines WHERE date = '2025-10-01'"
        row = marts.row(baseline + " AND workload = 'atlas-7b'")
        assert row == {"measured": 250, "repriced": Decimal("167.5")}


def test_a_refund_without_a_list_price_leaves_the_list_cost_known(
    told: tuple[SomeMarts, SomeMarts],
) -> None:
    """Twenty hours at 21.50 and the volume at 40; both reports leave the refund's price blank."""
    for marts in told:
        rows = marts.rows("SELECT run, list_cost FROM runs WHERE run IN ('u1', 't1')")
        assert {row["run"]: row["list_cost"] for row in rows} == {"u1": None, "t1": 470}


def test_the_bill_ties_on_both_bases(told: tuple[SomeMarts, SomeMarts]) -> None:
    """Fees of 630, 900 and 480 in September; 103.50 of the plan and 120 of the block lay idle."""
    columns = (
        "month, basis, direct, cluster_idle, shared, idle_commitment AS idle, purchase, credit, "
        "refund, tax, support, bill_total AS total, bridge, remainder"
    )
    rows = told[1].rows(f"SELECT {columns} FROM tie_out WHERE month < '2025-10' ORDER BY ALL")
    dollars = [(*list(row.values())[:2], *map(float, list(row.values())[2:])) for row in rows]
    assert dollars == [
        ("2025-05", "billed", 450, 0, 0, 0, 7200, 0, 0, 0, 0, 7650, 0, 0),
        ("2025-05", "effective", 1000, 0, 0, 108, 0, 0, 0, 0, 0, 1108, -6542, 0),
        ("2025-07", "billed", 360, 0, 90, 0, 0, 0, 0, 0, 0, 450, 0, 0),
        ("2025-07", "effective", 360, 0, 90, 0, 0, 0, 0, 0, 0, 450, 0, 0),
        ("2025-09", "billed", 660.2, 16, 0, 38.7, 2010, -50, -9, 30, 100, 2795.9, 0, 0),
        ("2025-09", "effective", 1340.2, 16, 0, 262.2, 0, -50, -9, 30, 100, 1689.4, -1106.5, 0),
    ]


def test_cost_explorer_gives_every_run_it_can_know_the_same_cost(
    told: tuple[SomeMarts, SomeMarts], seen: SomeMarts
) -> None:
    """Refunds are asked for by run and by workload, and discounts where no figure is net.

    Whose pods ran on a box that bears no run tag it cannot tell: h1 and h2 have no cost there. Nor
    can it tell what a fee of t3's was for: the run says so.
    """
    asked = "SELECT run, cost, flags FROM runs ORDER BY run"
    focus, cur2 = ({row["run"]: row["cost"] for row in marts.rows(asked)} for marts in told)
    assert cur2 == focus
    found = {row["run"]: row["cost"] for row in seen.rows(asked)}
    known = {run: cost for run, cost in cur2.items() if run not in {"h1", "h2"}}
    assert found == known | {"t3": known["t3"] - 3}
    flags = {row["run"]: row["flags"] for row in seen.rows(asked) if row["flags"]}
    assert flags == {"u1": ["no_progress"], "t0": ["gross_cost"], "t3": ["charges_untold"]}


def test_cost_explorer_ties_to_the_same_totals(
    told: tuple[SomeMarts, SomeMarts], seen: SomeMarts
) -> None:
    """Every total is the same; dollars stand elsewhere where it cannot tell whose they are.

    The 160 of the box whose pods it cannot see are their workload's overhead: 144 of them are
    runs', 16 idle. t3's fee of 3 is nobody's.
    """
    asked = "SELECT * EXCLUDE (billing_account, account) FROM tie_out ORDER BY month, basis"
    reports, answers = told[1].rows(asked), seen.rows(asked)
    assert [(row["bill_total"], row["bridge"], row["remainder"]) for row in answers] == [
        (row["bill_total"], row["bridge"], row["remainder"]) for row in reports
    ]
    moved = {
        (answer["month"], answer["basis"], name): answer[name] - row[name]
        for row, answer in zip(reports, answers, strict=True)
        for name, value in row.items()
        if answer[name] != value
    }
    assert moved == {
        ("2025-09", basis, bucket): dollars
        for basis in ("billed", "effective")
        for bucket, dollars in {
            "direct": -147,
            "other": 3,
            "cluster_idle": -16,
            "overhead": 160,
        }.items()
    }


def test_cost_explorer_says_the_same_saving_where_a_kind_of_commitment_has_one_owner(
    told: tuple[SomeMarts, SomeMarts], seen: SomeMarts
) -> None:
    """Of the plan $103.50 stood idle: it covered t2 alone. With $120 of a block: $223.50.

    What differs is known above: t3's fee of $3 is nobody's in Cost Explorer.
    """
    asked = (
        "SELECT date, overhead, gross_saving, net_saving, investment, cumulative_net "
        "FROM savings_daily WHERE workload = 'atlas-7b' ORDER BY date"
    )
    report, answer = told[1].rows(asked), seen.rows(asked)
    assert sum(row["overhead"] for row in answer) == Decimal("223.5")
    fee = date(2025, 9, 15)
    for row in report:
        row["gross_saving"] += 3 if row["date"] == fee else 0
        row["net_saving"] += 3 if row["date"] == fee else 0
        row["cumulative_net"] += 3 if row["date"] >= fee else 0
    assert answer == report
    assert "shared by hours" not in seen.standing("atlas-7b")["reason"]
