"""Cost Explorer, page by page, each paid for."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.paid_requests import ledger as requests
from ingest.paid_requests import response_cache
from ingest.pull import pull
from ingest.source import Window
from ingest.sources.bill.cost_explorer import control_totals
from models.config.settings import Settings
from models.contract.errors import BudgetError, InputError, SourceError
from models.raw.zone import RawZone
from tests.support.ingest import focus_exports
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.focus_exports import deliver
from tests.support.some_marts import some_marts

SOURCE = {"kind": "cost_explorer"}
OWNED = {"run": "atlas-t7", "workload": "atlas-7b"}


def charge(
    day: str, amount: str, meter: str = "BoxUsage:trn1.32xlarge", **other: object
) -> dict[str, Any]:
    return {
        "day": day,
        "record_type": "Usage",
        "usage_type": meter,
        "service": "Amazon Elastic Compute Cloud - Compute",
        "unit": "USD",
        "AmortizedCost": amount,
        "UnblendedCost": amount,
        "UsageQuantity": "24",
        "tags": OWNED,
        **other,
    }


BILL = [
    charge("2026-09-30", "1"),
    charge("2026-10-01", "10.1234567891"),
    charge("2026-10-01", "3", tags={}),
    charge("2026-10-01", "2", tags={"run": "odd$name"}),
    charge("2026-10-02", "4", "USW2-BoxUsage:p5.48xlarge"),
    charge("2026-10-02", "-5", "none", record_type="Credit", tags={}),
    charge("2026-10-02", "0.7", "none", record_type="Tax", tags={}),
]


MONEY = {"source": "cost_explorer"}
DAILY = ("run", "workload", "record_type")


def lines(settings: Settings, *requests: str) -> list[dict[str, Any]]:
    """What is live, of some requests; of those by day where none is named."""
    live = RawZone(settings.data / "raw").live("cost_explorer")
    rows = [row for d in live for path in d.paths for row in pq.read_table(path).to_pylist()]
    return [row for row in rows if row["request"] in (requests or DAILY)]


def only_october(configured: Configured, **table: object) -> Settings:
    cost = {**MONEY, **dict(table.pop("cost", {}))}  # type: ignore[call-overload]
    settings: Settings = configured(SOURCE, as_of="2026-10-31", cost=cost, **table)
    return settings


def october() -> Window:
    return Window(date(2026, 10, 1), date(2026, 10, 31))


def total(rows: list[dict[str, Any]], metric: str = "amortized") -> Decimal:
    return sum((Decimal(row[metric]) for row in rows), Decimal(0))


def asked(aws: Fake) -> list[tuple[str, list[str]]]:
    """How fine and by which groups, of each request."""
    return [
        (request["Granularity"], [group["Key"] for group in request["GroupBy"]])
        for request in aws.asked("GetCostAndUsage")
    ]


def test_the_requests_are_the_whole_bill_and_nothing_twice(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured)
    report = pull(settings, ["cost_explorer"], october())
    report.raise_failures()
    found = lines(settings)
    assert total(found) == total(lines(settings, "pair")) == Decimal("14.8234567891")
    assert asked(aws) == [
        ("MONTHLY", ["workload", "run"]),
        ("DAILY", ["run", "USAGE_TYPE"]),
        ("DAILY", ["workload", "USAGE_TYPE"]),
        ("DAILY", ["RECORD_TYPE", "USAGE_TYPE"]),
    ]
    runs = {line["amortized"]: line["run"] for line in found if line["request"] != "record_type"}
    assert runs == {"10.1234567891": "atlas-t7", "3": None, "2": "odd$name", "4": "atlas-t7"}
    rest = {line["record_type"]: line["amortized"] for line in found if line["record_type"]}
    assert rest == {"Credit": "-5", "Tax": "0.7"}
    assert (report.results[0].requests, report.results[0].dollars) == (5, Decimal("0.05"))
    (delivery,) = RawZone(settings.data / "raw").live("cost_explorer")
    assert len(delivery.request_ids) == 5


def test_a_run_brings_its_workload_and_other_spend_keeps_its_own(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(
        bill=[
            charge("2026-10-01", "10", tags=OWNED),
            charge("2026-10-01", "3", tags={"workload": "atlas-7b"}),
            charge("2026-10-01", "2", tags={}),
        ]
    )
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    owners = {line["amortized"]: (line["workload"], line["run"]) for line in lines(settings)}
    assert owners == {"10": (None, "atlas-t7"), "3": ("atlas-7b", None), "2": (None, None)}
    pairs = {line["amortized"]: (line["workload"], line["run"]) for line in lines(settings, "pair")}
    assert pairs["10"] == ("atlas-7b", "atlas-t7")


def test_record_types_are_discovered_and_each_class_is_asked_only_where_there_is_one(
    configured: Configured, aws: Fake
) -> None:
    covered = {"record_type": "SavingsPlanCoveredUsage", "UnblendedCost": "9"}
    negated = {"record_type": "SavingsPlanNegation", "UnblendedCost": "-9", "tags": {}}
    new = {"record_type": "Quantum Rebate", "tags": {}}
    bill = [
        charge("2026-10-01", "5", **covered),
        charge("2026-10-01", "0", **negated),
        charge("2026-10-02", "-1", **new),
    ]
    aws.shows(bill=bill)
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    told = {
        (line["request"], line["record_class"], line["record_type"], line["unblended"])
        for line in lines(settings)
    }
    assert told == {
        ("run", "covered", None, "9"),
        ("record_type", None, "SavingsPlanNegation", "-9"),
        ("record_type", None, "Quantum Rebate", "-1"),
    }
    assert len(aws.asked("GetDimensionValues")) == 1
    # usage and covered usage with and without a run, the rest, and the pairs
    assert len(aws.asked("GetCostAndUsage")) == 6


@pytest.mark.parametrize(
    "name", ["DiscountedUsage", "Reservation applied usage", "Savings Plan Covered Usage"]
)
def test_usage_that_a_commitment_covered_keeps_its_run_by_each_of_aws_names(
    configured: Configured, aws: Fake, name: str
) -> None:
    aws.shows(bill=[charge("2026-10-01", "5", record_type=name)])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    told = {(line["request"], line["record_class"], line["run"]) for line in lines(settings)}
    assert told == {("run", "covered", "atlas-t7")}


def test_refunds_are_told_apart_again_only_where_they_changed(
    configured: Configured, aws: Fake
) -> None:
    """By day and usage they stand with all other charges already."""

    def refund(day: str, amount: str, **tags: str) -> dict[str, Any]:
        return charge(day, amount, record_type="Refund", tags=tags)

    bill = [*BILL, refund("2026-10-03", "-1", **OWNED), refund("2026-10-03", "-0.5", workload="w")]
    settings = only_october(configured)
    asked_for, owners = [], []
    for more in (
        [],
        [charge("2026-10-04", "8")],
        [charge("2026-10-04", "8"), refund("2026-10-04", "-0.25", run="odd$name")],
    ):
        aws.shows(bill=bill + more)
        aws.forget()
        pull(settings, ["cost_explorer"], october()).raise_failures()
        asked_for.append(len(aws.asked("GetCostAndUsage")))
        found = [line for line in lines(settings) if line["record_class"] == "refund"]
        owners.append({line["amortized"]: line["run"] or line["workload"] for line in found})
        assert total(lines(settings)) == total(lines(settings, "pair"))
        assert not [x for x in lines(settings, "record_type") if x["record_type"] == "Refund"]
    assert asked_for == [6, 4, 6]
    first = {"-1": "atlas-t7", "-0.5": "w"}
    assert owners == [first, first, {**first, "-0.25": "odd$name"}]


def test_a_refund_that_another_run_now_bears_is_told_apart_again(
    configured: Configured, aws: Fake
) -> None:
    given = charge("2026-10-03", "-1", record_type="Refund")
    settings = only_october(configured)
    for owner in ("atlas-t7", "odd$name"):
        aws.shows(bill=[*BILL, {**given, "tags": {"run": owner}}])
        pull(settings, ["cost_explorer"], october()).raise_failures()
    found = [line for line in lines(settings) if line["record_class"] == "refund"]
    assert [(line["run"], line["amortized"]) for line in found] == [("odd$name", "-1")]


def test_the_end_of_a_request_is_exclusive_and_never_beyond_tomorrow(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL, cost_now="2026-10-20")
    settings = configured(SOURCE, as_of="2026-10-20", cost=MONEY)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    periods = [request["TimePeriod"] for request in aws.asked("GetCostAndUsage")]
    assert periods == [{"Start": "2026-10-01", "End": "2026-10-21"}] * 4


@pytest.mark.parametrize("first", [date(2024, 1, 1), None])
def test_days_that_aws_has_no_more_are_named_and_cost_nothing(
    configured: Configured, aws: Fake, first: date | None
) -> None:
    """Thirteen whole months before this one are kept: since September 2025."""
    aws.shows(bill=BILL)
    last = date(2024, 12, 31)
    report = pull(only_october(configured), ["cost_explorer"], Window(first, last))
    assert report.results[0].notices == [
        "AWS has no days before 2025-09-01, so the requested ones "
        f"from {first or last} on are not read"
    ]
    assert aws.asked("GetCostAndUsage") == []


def test_all_pages_are_read_and_each_is_in_the_ledger(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL, cost_page=1)
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6
    paid = list(requests.read_lines(settings.data / "requests.jsonl"))
    pages = len(aws.asked("GetCostAndUsage"))
    assert pages == 3 + 3 + 1 + 2  # pairs, runs, spend without a run, the rest
    assert [line["operation"] for line in paid].count("GetCostAndUsage") == pages
    assert len(paid) == pages + 1
    assert {line["account"] for line in paid} == {"999900000001"}
    assert {line["dollars"] for line in paid} == {"0.01"}


@pytest.mark.parametrize(
    "code", ["RequestChangedException", "InvalidNextTokenException", "BillExpirationException"]
)
def test_pages_broken_off_are_begun_anew_and_counted_once(
    configured: Configured, aws: Fake, code: str
) -> None:
    broken = {"operation": "GetCostAndUsage", "code": code, "on": [4]}
    aws.shows(bill=BILL, cost_page=2, errors=[broken])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert total(lines(settings)) == Decimal("14.8234567891")
    periods = [tuple(request) for request in aws.asked("GetCostAndUsage")]
    whole = 2 + 2 + 1 + 1
    assert len(periods) == whole + 2  # the page that broke off, and the one before it again


def test_what_is_broken_off_for_ever_is_given_up(configured: Configured, aws: Fake) -> None:
    code = "InvalidNextTokenException"
    broken = {"operation": "GetCostAndUsage", "code": code, "on": list(range(1, 99))}
    aws.shows(bill=BILL, errors=[broken])
    with pytest.raises(SourceError, match="InvalidNextTokenException"):
        pull(only_october(configured), ["cost_explorer"], october()).raise_failures()
    assert len(aws.asked("GetCostAndUsage")) == 3


def test_months_that_aws_gave_up_do_not_hold_back_the_others(
    configured: Configured, aws: Fake
) -> None:
    # pairs, then the first request by day three times for both months, then for October alone
    expired = {"operation": "GetCostAndUsage", "code": "BillExpirationException", "on": [2, 3, 4]}
    for_ever = {**expired, "on": list(range(8, 99))}
    aws.shows(bill=BILL, errors=[expired, for_ever])
    settings = only_october(configured)
    report = pull(settings, ["cost_explorer"], Window(date(2026, 9, 1), date(2026, 10, 31)))
    with pytest.raises(SourceError, match="2026-09-01 to 2026-10-01"):
        report.raise_failures()
    periods = [d.key.period for d in RawZone(settings.data / "raw").live("cost_explorer")]
    assert periods == ["2026-10"]


def test_the_daily_cap_stops_before_it_is_passed_and_the_next_day_resumes(
    configured: Configured, aws: Fake
) -> None:
    bill = [
        charge(f"2026-{month:02}-{day:02}", "1") for month in (8, 9, 10) for day in range(1, 29)
    ]
    aws.shows(bill=bill, cost_page=14)
    window = Window(date(2026, 8, 1), date(2026, 10, 31))
    settings = only_october(configured, cost={"api_budget_usd_per_day": "0.06"})
    report = pull(settings, ["cost_explorer"], window)
    with pytest.raises(BudgetError, match=r"\$0.06 of \$0.06 spent today"):
        report.raise_failures()
    zone = RawZone(settings.data / "raw")
    # pairs, types, the first page of three months, which shows that one is affordable; October
    assert [d.key.period for d in zone.live("cost_explorer")] == ["2026-10"]
    assert len(list(requests.read_lines(settings.data / "requests.jsonl"))) == 6
    (settings.data / "requests.jsonl").unlink()  # the next day
    shutil.rmtree(settings.data / response_cache.FOLDER)
    again = pull(settings, ["cost_explorer"], window)
    with pytest.raises(BudgetError):
        again.raise_failures()
    assert [d.key.period for d in zone.live("cost_explorer")] == ["2026-09", "2026-10"]


def test_the_first_pull_brings_all_months_at_once_and_the_next_only_what_has_news(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured)
    first = pull(settings, ["cost_explorer"])
    first.raise_failures()
    assert (first.results[0].new, first.results[0].requests) == (14, 5)
    starts = {request["TimePeriod"]["Start"] for request in aws.asked("GetCostAndUsage")}
    assert starts == {"2025-09-01"}
    aws.forget()
    again = pull(settings, ["cost_explorer"])
    again.raise_failures()
    assert asked(aws) == [("MONTHLY", ["workload", "run"])]
    assert aws.asked("GetCostAndUsage")[0]["TimePeriod"]["Start"] == "2026-09-01"
    assert (again.results[0].new, again.results[0].requests) == (0, 1)
    assert again.results[0].unchanged == 2, "September and October were asked about"
    aws.forget()
    aws.shows(bill=[*BILL, charge("2026-10-03", "1")])
    third = pull(settings, ["cost_explorer"])
    third.raise_failures()
    assert (third.results[0].new, third.results[0].requests) == (1, 5)
    starts = {r["TimePeriod"]["Start"] for r in aws.asked("GetCostAndUsage")[1:]}
    assert starts == {"2026-10-01"}
    assert total(lines(settings)) == Decimal("16.8234567891")


def test_a_month_that_was_an_estimate_is_looked_at_again(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=[charge("2026-03-01", "1")], estimated=["2026-03"])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"]).raise_failures()
    aws.shows(bill=[charge("2026-03-01", "2")])
    pull(settings, ["cost_explorer"]).raise_failures()
    assert total(lines(settings)) == Decimal(2)
    aws.shows(bill=[charge("2026-03-01", "3")])  # invoiced, and older than what AWS restates
    pull(settings, ["cost_explorer"]).raise_failures()
    assert total(lines(settings)) == Decimal(2)


def test_other_tags_ask_for_all_months_again(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=[charge("2026-03-01", "1", tags={"job": "atlas-t7"})])
    pull(only_october(configured), ["cost_explorer"]).raise_failures()
    settings = only_october(configured, tags={"run": "job"})
    pull(settings, ["cost_explorer"]).raise_failures()
    assert [line["run"] for line in lines(settings)] == ["atlas-t7"]


def test_a_month_that_is_suddenly_empty_is_refused(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    aws.shows(bill=[])
    with pytest.raises(Exception, match="no row was delivered: Cost Explorer 999900000001 2026-10"):
        pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6


def test_days_that_do_not_add_up_to_their_month_are_refused() -> None:
    day = {"request": "run", "amortized": "10.00", "unblended": "10.00"}
    pair = {**day, "request": "pair"}
    off = {**pair, "amortized": "10.02"}
    control_totals.refuse_wrong_sums("2026-10", pa.Table.from_pylist([day, pair]))
    with pytest.raises(InputError, match=r"2026-10 do not add up .* 10.00 of 10.02"):
        control_totals.refuse_wrong_sums("2026-10", pa.Table.from_pylist([day, off]))


def test_a_tag_that_nothing_carries_is_told_and_is_no_failure(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=[charge("2026-10-01", "5", tags={"Run": "atlas-t7"})])
    settings = only_october(configured)
    report = pull(settings, ["cost_explorer"], october())
    report.raise_failures()
    run, workload = report.results[0].notices
    assert run == (
        'no spend of 2026-10 to 2026-10 has the tag "run" (tags.run), so what a run cost is '
        'unknown: AWS has "Run"; set tags.run to exactly that'
    )
    assert 'has the tag "workload" (tags.workload), so a run\'s workload is known' in workload
    assert "activate it in Billing under cost allocation tags" in workload
    assert [line["run"] for line in lines(settings)] == [None]
    assert total(lines(settings)) == Decimal(5)


def test_as_a_check_one_request_tells_every_account_of_every_month(
    configured: Configured, aws: Fake
) -> None:
    member = {"account": "999900000002"}
    bill = [*BILL, charge("2026-09-01", "7", **member), charge("2026-10-03", "8", **member)]
    aws.shows(bill=bill)
    settings = configured(SOURCE, as_of="2026-10-31")
    report = pull(settings, ["cost_explorer"])
    report.raise_failures()
    assert (report.results[0].requests, report.results[0].new) == (1, 14)
    assert asked(aws) == [("MONTHLY", ["LINKED_ACCOUNT", "RECORD_TYPE"])]
    sums = {
        account: total([r for r in lines(settings, "account") if r["linked_account"] == account])
        for account in ("999900000001", "999900000002")
    }
    assert sums == {"999900000001": Decimal("15.8234567891"), "999900000002": Decimal(15)}
    again = pull(settings, ["cost_explorer"])
    assert (again.results[0].requests, again.results[0].new, again.results[0].unchanged) == (
        1,
        0,
        2,
    )


def test_a_check_that_becomes_the_source_is_asked_for_by_day(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL)
    pull(configured(SOURCE, as_of="2026-10-31"), ["cost_explorer"]).raise_failures()
    settings = only_october(configured)
    pull(settings, ["cost_explorer"]).raise_failures()
    assert lines(settings, "account") == []
    assert total(lines(settings)) == Decimal("15.8234567891")


def test_all_metrics_come_with_one_request(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL)
    pull(only_october(configured), ["cost_explorer"], october())
    for request in aws.asked("GetCostAndUsage"):
        assert set(request["Metrics"]) == {
            "AmortizedCost",
            "NetAmortizedCost",
            "UnblendedCost",
            "NetUnblendedCost",
            "UsageQuantity",
        }


def test_data_that_is_not_there_yet_is_told_as_that(configured: Configured, aws: Fake) -> None:
    code = "DataUnavailableException"
    aws.shows(bill=BILL, errors=[{"operation": "GetCostAndUsage", "code": code, "on": [1]}])
    with pytest.raises(SourceError, match="AWS is still preparing the data: run again tomorrow"):
        pull(only_october(configured), ["cost_explorer"], october()).raise_failures()


def test_an_attempt_that_is_repeated_is_paid_for_again(configured: Configured, aws: Fake) -> None:
    lost = {"operation": "GetCostAndUsage", "fault": "reset", "on": [1]}
    aws.shows(bill=BILL, faults=[lost])
    settings = only_october(configured)
    report = pull(settings, ["cost_explorer"], october())
    report.raise_failures()
    # AWS may have billed the answer that was lost on its way
    assert len(aws.asked("GetCostAndUsage")) == 5
    assert report.results[0].dollars == Decimal("0.06")


def test_access_denied_names_the_action(configured: Configured, aws: Fake) -> None:
    denied = {"operation": "GetCostAndUsage", "code": "AccessDeniedException", "on": [1]}
    aws.shows(bill=BILL, errors=[denied])
    with pytest.raises(SourceError, match="ce:GetCostAndUsage was refused: AccessDenied"):
        pull(only_october(configured), ["cost_explorer"], october()).raise_failures()


def test_throttling_is_retried(configured: Configured, aws: Fake, tmp_path: Path) -> None:
    throttled = {"operation": "GetCostAndUsage", "code": "LimitExceededException", "on": [1]}
    aws.shows(bill=BILL, errors=[throttled])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6


def test_a_role_is_assumed_with_its_external_id(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL, external_id="secret-1")
    role = {"role_arn": "arn:aws:iam::999900000001:role/reader"}
    with pytest.raises(SourceError, match="sts:AssumeRole arn:aws:iam::999900000001:role/reader"):
        pull(configured({**SOURCE, **role}, cost=MONEY), ["cost_explorer"]).raise_failures()
    entry = {**SOURCE, **role, "external_id": "secret-1"}
    settings = configured(entry, as_of="2026-10-31", cost=MONEY)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6


def test_an_export_is_tied_to_cost_explorer_account_by_account(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    payer, member = "999900000001", "999900000002"
    deliver(
        tmp_path / "exp",
        "2026-09",
        [
            focus_exports.charge("2026-09-01", "40", account=payer),
            focus_exports.charge("2026-09-02", "60.5"),
        ],
    )
    aws.shows(
        bill=[
            charge("2026-09-01", "40", tags={}),
            charge("2026-09-02", "60.75", account=member, tags={}),
        ]
    )
    export = {"kind": "focus", "location": "exp"}
    settings = configured(export, SOURCE, as_of="2026-10-31")
    pull(settings).raise_failures()
    rows = some_marts(settings, "tie_out").rows(
        "SELECT account, bill_total, total_source, remainder FROM tie_out WHERE basis = 'billed' "
        "ORDER BY account"
    )
    assert [tuple(row.values()) for row in rows] == [
        (payer, Decimal(40), "cost_explorer", 0),
        (member, Decimal("60.75"), "cost_explorer", Decimal("0.25")),
    ]


def test_a_member_that_is_asked_itself_is_held_against_its_payers_export(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    member = "999900000002"
    deliver(tmp_path / "exp", "2026-09", [focus_exports.charge("2026-09-02", "60.5")])
    aws.shows(account=member, bill=[charge("2026-09-02", "60.5", tags={})])
    export = {"kind": "focus", "location": "exp"}
    settings = configured(export, SOURCE, as_of="2026-10-31")
    pull(settings).raise_failures()
    row = some_marts(settings, "tie_out").row("SELECT * FROM tie_out WHERE basis = 'billed'")
    assert (row["account"], row["total_source"]) == (member, "cost_explorer")


def test_what_cost_explorer_tells_is_a_bill_with_runs_workloads_and_overhead(
    configured: Configured, aws: Fake
) -> None:
    covered = {"record_type": "SavingsPlanCoveredUsage", "AmortizedCost": "6"}
    negated = {"record_type": "SavingsPlanNegation", "AmortizedCost": "0", "tags": {}}
    aws.shows(
        bill=[
            charge("2026-09-01", "10"),
            charge("2026-09-01", "9", **covered),
            charge("2026-09-01", "-9", **negated),
            charge("2026-09-02", "3", tags={"workload": "atlas-7b"}),
            charge("2026-09-02", "-2", "none", record_type="Credit", tags={}),
        ]
    )
    settings = configured(SOURCE, as_of="2026-10-31", cost=MONEY)
    pull(settings).raise_failures()
    marts = some_marts(settings, "spend_daily", "tie_out", "freshness")
    rows = marts.rows(
        "SELECT attribution, workload, run, purchase_option AS option, "
        "sum(effective_cost) AS effective, sum(billed_cost) AS billed, sum(instance_hours) AS h "
        "FROM spend_daily GROUP BY ALL ORDER BY ALL"
    )
    on_demand = ("direct", "atlas-7b", "atlas-t7", "on_demand", Decimal(10), Decimal(10), 24)
    assert [tuple(row.values()) for row in rows] == [
        ("credit", None, None, "on_demand", Decimal(-2), Decimal(-2), None),
        ("direct", "atlas-7b", "atlas-t7", "committed", Decimal(6), Decimal(0), 24),
        on_demand,
        ("overhead", "atlas-7b", None, "on_demand", Decimal(3), Decimal(3), 24),
        ("untagged", None, None, "on_demand", Decimal(0), Decimal(0), 0),
    ]
    assert {r["remainder"] for r in marts.rows("SELECT remainder FROM tie_out")} == {0}
    assert marts.rows("SELECT notice FROM freshness WHERE notice IS NOT NULL") == []


def test_a_notice_stands_in_freshness(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=[charge("2026-09-01", "5", tags={"workload": "atlas-7b"})])
    settings = configured(SOURCE, as_of="2026-10-31", cost=MONEY)
    pull(settings).raise_failures()
    row = some_marts(settings, "freshness").row(
        "SELECT notice FROM freshness WHERE source = 'cost_explorer'"
    )
    assert 'has the tag "run"' in row["notice"]
