"""What a month will cost, predicted from the config, and what it then did cost."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ingest.estimate import Scale, estimate
from ingest.paid_requests.ledger import RequestLedger
from ingest.pull import pull
from models.config.settings import Settings
from tests.support.ingest.fake_aws import Configured, Fake

EXPLORER = {"kind": "cost_explorer"}
METRICS = {"kind": "cloudwatch", "namespace": "Breakeven"}
EXPORT = {"kind": "focus", "location": "exp"}
MONEY = {"source": "cost_explorer"}


def dollars(settings: Settings, scale: Scale) -> dict[str, Decimal]:
    return {one.source: one.dollars for one in estimate(settings, scale).sources if one.dollars}


def test_fifty_workloads_stay_below_three_dollars_with_cost_explorer_and_cloudwatch(
    configured: Configured,
) -> None:
    found = estimate(configured(EXPLORER, METRICS, cost=MONEY))
    assert found.scale.workloads == 50
    assert Decimal("1.50") < found.dollars <= Decimal(3)


def test_fifty_workloads_stay_below_half_a_dollar_with_an_export_and_its_check(
    configured: Configured,
) -> None:
    found = dollars(configured(EXPORT, EXPLORER, METRICS), Scale(50))
    # a page a day; 300 metrics twice a day, and as often a list of them
    assert found == {"cost_explorer": Decimal("0.31"), "cloudwatch": Decimal("0.18662")}


def test_an_export_in_s3_is_predicted_by_the_object(configured: Configured) -> None:
    """14 manifests a pull; 20 files, and for ten days those of the month before as well."""
    remote = {"kind": "focus", "location": "s3://bills/exports/exp"}
    found = estimate(configured(remote))
    assert found.sources[0].requests == 31 * (1 + 14 + 20) + 10 * 20
    assert found.dollars == 31 * Decimal("0.000005") + (31 * 34 + 200) * Decimal("0.0000004")
    assert "1285 paid requests, $0.0006566 a month" in found.lines()[0]


@pytest.mark.parametrize("kind", ["kubernetes", "hyperpod"])
def test_files_of_a_scheduler_in_s3_are_predicted_as_those_of_slurm_are(
    configured: Configured, kind: str
) -> None:
    remote = {"kind": kind, "cluster": "prod", "location": "s3://jobs/prod", "region": "us-east-1"}
    found = estimate(configured(remote)).sources[0]
    slurm = estimate(configured({"kind": "slurm", "location": "s3://jobs/prod"})).sources[0]
    assert (found.requests, found.dollars) == (slurm.requests, slurm.dollars)
    assert found.dollars > 0
    asked = {**remote, "location": "https://prometheus.example"}
    assert estimate(configured(asked)).sources[0].requests == 0


def test_the_pages_of_a_small_company_can_be_counted_by_hand(configured: Configured) -> None:
    found = estimate(configured(EXPLORER, cost=MONEY), Scale(1)).sources[0]
    # by month, the record types, usage and covered usage with and without a run, the rest; and
    # refunds with and without a run, in each of five weeks and on four days
    assert (found.pulls, found.requests, found.dollars) == (31, 31 * 7 + 2 * 9, Decimal("2.35"))


def test_how_busy_machines_are_has_its_price(configured: Configured) -> None:
    """Two pulls on each of 31 days: 10 workloads' 640 series, and 10 pages that list them."""
    found = dollars(configured({"kind": "utilisation"}), Scale(10))
    assert found == {"utilisation": 62 * (640 + 10) * Decimal("0.00001")}


def test_workloads_are_those_of_the_config_and_more_of_them_cost_more(
    configured: Configured,
) -> None:
    settings = configured(METRICS, workloads=[{"name": "a"}], runs=[{"run": "r", "workload": "b"}])
    few = estimate(settings)
    assert few.scale.workloads == 2
    assert estimate(settings, Scale(2000)).dollars > 100 * few.dollars


def test_a_source_is_counted_by_its_own_cron(configured: Configured) -> None:
    weekly = configured({**EXPLORER, "schedule": "0 6 * * 1"}, METRICS)
    pulls = {one.source: one.pulls for one in estimate(weekly).sources}
    assert (pulls["cost_explorer"], pulls["cloudwatch"]) == (4, 62)


def test_more_pulls_than_aws_recomputes_bills_find_no_more_news(configured: Configured) -> None:
    hourly = configured(EXPLORER, cost=MONEY, schedule={"cost": "0 * * * *"})
    found = estimate(hourly, Scale(1)).sources[0]
    assert (found.pulls, found.requests) == (744, 744 + 31 * 3 * 6 + 2 * 9)


def test_what_the_ledger_has_stands_beside_it(configured: Configured) -> None:
    settings = configured(EXPLORER, cost=MONEY)
    RequestLedger(settings.data, Decimal(1)).pay(
        "cost_explorer", "1", "GetCostAndUsage", Decimal("0.01")
    )
    found = estimate(settings)
    assert found.document()["recorded_last_30_days"] == "0.01"
    assert "the ledger has $0.01 for the last 30 days" in "\n".join(found.lines())


def test_a_first_pull_beyond_the_daily_cap_says_how_many_days_it_takes(
    configured: Configured,
) -> None:
    settings = configured(EXPLORER, cost={**MONEY, "api_budget_usd_per_day": "0.10"})
    assert "over 4 days at cost.api_budget_usd_per_day" in estimate(settings).lines()[0]


def test_each_region_and_account_is_listed_and_no_metric_is_in_two(
    configured: Configured,
) -> None:
    """Two pulls a day: 300 metrics in all, and a list in each of four places."""
    ids = ("999900000001", "999900000002")
    role = "arn:aws:iam::{account}:role/reader"
    named = [{"id": id_, "role_arn": role.replace("{account}", id_)} for id_ in ids]
    spread = {**METRICS, "accounts": ["*"], "regions": ["us-east-1", "us-west-2"]}
    settings = configured(spread, accounts=named)
    found = estimate(settings, Scale(48)).sources[0]
    assert (found.places, found.dollars) == (4, 62 * (288 + 4) * Decimal("0.00001"))
    payer = {"payer": ids[0], "role_arn": role}
    unlisted = estimate(configured(spread, accounts=named, organization=payer)).lines()
    assert (
        "not counted: cloudwatch: accounts that organization.payer lists beyond these 2; each "
        "costs $0.00124 a month or more"
    ) in unlisted


SELDOM = {"cost": "0 6 */3 * *", "progress": "0 6 */3 * *"}
SMALL = Scale(4, usage_types=2, other_types=2, rest_types=2, groups=60, restated_days=7, refunds=2)
PLACES = {**METRICS, "regions": ["us-east-1", "us-west-2"]}


def charge(day: date, amount: str, meter: str, kind: str = "Usage", **tags: str) -> dict[str, Any]:
    metrics = {"AmortizedCost": amount, "UnblendedCost": amount, "UsageQuantity": "24"}
    names = {"record_type": kind, "usage_type": meter, "service": "EC2", "unit": "USD"}
    return {"day": day.isoformat(), "tags": tags, **names, **metrics}


def billed(day: date) -> list[dict[str, Any]]:
    """A day of the company that `SMALL` describes."""
    fortnight = day.toordinal() // 14
    found = [
        charge(day, "10", meter, workload=f"w{number}", run=f"w{number}-{fortnight}")
        for number in range(4)
        for meter in ("BoxUsage:trn1.32xlarge", "EBS:VolumeUsage.gp3")
    ]
    found += [charge(day, "1", meter) for meter in ("DataTransfer-Out", "Requests-Tier1")]
    covered = "SavingsPlanCoveredUsage"
    found.append(charge(day, "4", "BoxUsage:c5.large", covered, workload="w0", run="w0-x"))
    found.append(charge(day, "3", "BoxUsage:c5.large", covered))
    if day.day in (5, 20):
        owner = {"workload": "w0", **({"run": "w0-x"} if day.day == 20 else {})}
        found.append(charge(day, "-2", "BoxUsage:trn1.32xlarge", "Refund", **owner))
    return [*found, charge(day, "2", "", "Tax"), charge(day, "-1", "", "Credit")]


def reported(day: date) -> dict[str, Any]:
    """What `SMALL` runs tell of that day in one of two regions, and nothing in the other."""
    told = [
        {
            "namespace": "Breakeven",
            "name": name,
            "dimensions": {"Workload": f"w{number}", "Run": f"w{number}-{run}"},
            "points": [[f"{day}T05:00:00Z", 1.0]],
        }
        for number in range(4)
        for run in range(2)
        for name in ("Epoch", "Loss", "Tokens")
    ]
    account = {"us-east-1": {"metrics": told}, "us-west-2": {"metrics": []}}
    return {"now": f"{day}T06:00:00Z", "accounts": {"999900000001": account}}


@pytest.fixture
def month(configured: Configured, aws: Fake) -> tuple[Settings, Decimal, Decimal]:
    """October, pulled every third day while AWS still changes September in its first week."""
    bill = [c for n in range(30) for c in billed(date(2026, 9, 1) + timedelta(days=n))]
    spent, told = Decimal(0), Decimal(0)
    cost = {**MONEY, "api_budget_usd_per_day": "99"}
    for number in range(1, 32, 3):
        today = date(2026, 10, number)
        bill += billed(today)
        late = [charge(date(2026, 9, 30), "0.01", "Late:Thing")] * min(number, 7)
        shown = {"cost_page": 60, "cost_now": today.isoformat(), **reported(today)}
        aws.shows(bill=[*bill, *late], **shown)
        settings = configured(EXPLORER, PLACES, as_of=today.isoformat(), cost=cost, schedule=SELDOM)
        report = pull(settings, ["cost_explorer", "cloudwatch"])
        report.raise_failures()
        bought = {r.source: Decimal(0) for r in report.results}
        for result in report.results:
            bought[result.source] += result.dollars
        spent, told = spent + bought["cost_explorer"], told + bought["cloudwatch"]
    return settings, spent, told


def test_a_month_costs_what_was_predicted_or_up_to_a_quarter_less(
    month: tuple[Settings, Decimal, Decimal],
) -> None:
    settings, spent, told = month
    found = estimate(settings, SMALL)
    predicted = {one.source: one.dollars for one in found.sources}
    assert found.recorded == spent + told
    weekly = 2 * 4 * Decimal("0.01")  # this machine's clock stays in the first of five weeks
    assert spent <= predicted["cost_explorer"] - weekly <= spent * Decimal("1.25")
    # 24 metrics and the lists of two regions, every third day; but the company has 4 x 2 x 3
    assert told == predicted["cloudwatch"] == 11 * (24 + 2) * Decimal("0.00001")
