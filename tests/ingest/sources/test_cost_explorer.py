"""Cost Explorer, page by page, each paid for."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest import requests
from ingest.pull import pull
from ingest.source import Window
from models.errors import BudgetError, SourceError
from models.raw import RawZone
from models.settings import Settings
from tests.ingest.loopback import Configured, Fake

SOURCE = {"kind": "cost_explorer"}


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
        "tags": {"run": "atlas-t7"},
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


def lines(settings: Settings) -> list[dict[str, Any]]:
    live = RawZone(settings.data / "raw").live("cost_explorer")
    return [row for d in live for path in d.paths for row in pq.read_table(path).to_pylist()]


def only_october(configured: Configured, **table: object) -> Settings:
    settings: Settings = configured(SOURCE, as_of="2026-10-31", **table)
    return settings


def october() -> Window:
    return Window(date(2026, 10, 1), date(2026, 10, 31))


def test_the_two_requests_are_the_whole_bill_and_nothing_twice(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured)
    report = pull(settings, ["cost_explorer"], october())
    report.raise_failures()
    found = lines(settings)
    assert sum(Decimal(line["amortized"]) for line in found) == Decimal("14.8234567891")
    assert {line["request"] for line in found} == {"run", "record_type"}
    runs = {line["amortized"]: line["run"] for line in found if line["request"] == "run"}
    assert runs == {"10.1234567891": "atlas-t7", "3": None, "2": "odd$name", "4": "atlas-t7"}
    assert (report.results[0].requests, report.results[0].dollars) == (2, Decimal("0.02"))
    (delivery,) = RawZone(settings.data / "raw").live("cost_explorer")
    assert delivery.request_ids == ("id-1", "id-1")


def test_the_end_of_a_request_is_exclusive_and_never_beyond_tomorrow(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL)
    pull(configured(SOURCE, as_of="2026-10-20"), ["cost_explorer"], october())
    periods = [asked["TimePeriod"] for asked in aws.asked("GetCostAndUsage")]
    assert periods == [{"Start": "2026-10-01", "End": "2026-10-21"}] * 2


def test_all_pages_are_read_and_each_is_in_the_ledger(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL, cost_page=1)
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6
    paid = list(requests.lines(settings.data / "requests.jsonl"))
    assert len(paid) == len(aws.asked("GetCostAndUsage")) == 6
    assert {line["account"] for line in paid} == {"999900000001"}
    assert {line["dollars"] for line in paid} == {"0.01"}


def test_pages_broken_off_are_begun_anew_and_counted_once(
    configured: Configured, aws: Fake
) -> None:
    broken = {"operation": "GetCostAndUsage", "code": "RequestChangedException", "on": [2]}
    aws.shows(bill=BILL, cost_page=2, errors=[broken])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6


def test_the_daily_cap_stops_before_it_is_passed(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured, cost={"api_budget_usd_per_day": "0.03"})
    report = pull(settings, ["cost_explorer"])
    with pytest.raises(BudgetError, match=r"\$0.03 of \$0.03 spent today"):
        report.raise_failures()
    assert len(aws.asked("GetCostAndUsage")) == 3
    periods = [d.key.period for d in RawZone(settings.data / "raw").live("cost_explorer")]
    assert periods == ["2026-10"]  # the newest first, and only what was read whole


def test_the_first_pull_brings_all_months_and_the_next_only_what_may_have_changed(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL, estimated=["2026-07"])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"]).raise_failures()
    starts = {asked["TimePeriod"]["Start"] for asked in aws.asked("GetCostAndUsage")}
    assert (len(starts), min(starts)) == (14, "2025-09-01")
    aws.forget()
    again = pull(settings, ["cost_explorer"])
    again.raise_failures()
    starts = {asked["TimePeriod"]["Start"] for asked in aws.asked("GetCostAndUsage")}
    assert starts == {"2026-09-01", "2026-10-01"}
    assert again.results[0].new == 0


def test_a_month_that_was_an_estimate_is_pulled_again(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=[charge("2026-03-01", "1")], estimated=["2026-03"])
    settings = only_october(configured)
    pull(settings, ["cost_explorer"]).raise_failures()
    aws.forget()
    pull(settings, ["cost_explorer"]).raise_failures()
    starts = {asked["TimePeriod"]["Start"] for asked in aws.asked("GetCostAndUsage")}
    assert "2026-03-01" in starts


def test_a_month_that_is_suddenly_empty_is_refused(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL)
    settings = only_october(configured)
    pull(settings, ["cost_explorer"], october()).raise_failures()
    aws.shows(bill=[])
    with pytest.raises(Exception, match="no row was delivered: Cost Explorer 999900000001 2026-10"):
        pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6


def test_all_metrics_come_with_one_request(configured: Configured, aws: Fake) -> None:
    aws.shows(bill=BILL)
    pull(only_october(configured), ["cost_explorer"], october())
    asked = aws.asked("GetCostAndUsage")[0]
    assert set(asked["Metrics"]) == {
        "AmortizedCost",
        "NetAmortizedCost",
        "UnblendedCost",
        "NetUnblendedCost",
        "UsageQuantity",
    }


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
        pull(configured({**SOURCE, **role}), ["cost_explorer"]).raise_failures()
    entry = {**SOURCE, **role, "external_id": "secret-1"}
    settings = configured(entry, as_of="2026-10-31")
    pull(settings, ["cost_explorer"], october()).raise_failures()
    assert len(lines(settings)) == 6
