"""What was paid for is not paid for again: a pull killed at any point goes on from there."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.paid_requests import ledger, response_cache
from ingest.pull import Report, pull
from ingest.source import Window
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import BudgetError, InputError, SourceError
from models.raw.zone import RawZone
from tests.support.ingest import crashes
from tests.support.ingest.fake_aws import ENVIRONMENT, Configured, Fake

DAYS = Window(date(2026, 8, 1), date(2026, 10, 31))
OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))
OPERATIONS = ("GetCostAndUsage", "GetDimensionValues", "GetTags")


def charge(day: str, run: str = "t7") -> dict[str, Any]:
    return {
        "day": day,
        "record_type": "Usage",
        "usage_type": "BoxUsage:trn1.32xlarge",
        "service": "Amazon Elastic Compute Cloud - Compute",
        "unit": "USD",
        "AmortizedCost": "1.25",
        "UnblendedCost": "1.25",
        "UsageQuantity": "1",
        "tags": {"run": run, "workload": "atlas-7b"},
    }


BILL = [charge(f"2026-{month:02}-{day:02}") for month in (8, 9, 10) for day in range(1, 29)]


def table(cap: str = "1.00") -> dict[str, Any]:
    cost = {"source": "cost_explorer", "api_budget_usd_per_day": cap}
    return {"as_of": "2026-10-31", "sources": [{"kind": "cost_explorer"}], "cost": cost}


def bought(settings: Settings) -> Report:
    return pull(settings, ["cost_explorer"])


def asked(aws: Fake) -> list[dict[str, Any]]:
    return [request for operation in OPERATIONS for request in aws.asked(operation)]


def delivered(settings: Settings) -> dict[str, list[Mapping[str, Any]]]:
    """The lines of each month."""
    live = RawZone(settings.data / "raw").live("cost_explorer")
    return {d.key.period: [r for p in d.paths for r in pq.read_table(p).to_pylist()] for d in live}


def begun(settings: Settings, hours: float) -> None:
    """The read that lies there began so many hours ago."""
    (path,) = (settings.data / response_cache.FOLDER).glob(f"*/{response_cache.BEGUN}")
    document = json.loads(path.read_text())
    at = datetime.fromisoformat(document["at"]) - timedelta(hours=hours)
    path.write_text(json.dumps(document | {"at": at.isoformat()}))


def tomorrow(settings: Settings) -> None:
    """The ledger's day is over, and so is the read's."""
    (settings.data / ledger.FILE).unlink(missing_ok=True)
    if list((settings.data / response_cache.FOLDER).glob(f"*/{response_cache.BEGUN}")):
        begun(settings, hours=24)


def days_of(settings: Settings, aws: Fake, most: int) -> list[list[str]]:
    """What was asked each day until all is there or nothing is asked any more."""
    days: list[list[str]] = []
    while len(delivered(settings)) < 14 and [] not in days:
        aws.forget()
        bought(settings)
        days.append([json.dumps(one, sort_keys=True) for one in asked(aws)])
        assert len(days[-1]) <= most
        assert len(days) < 9
        tomorrow(settings)
    return days


@pytest.mark.kill
def test_killed_after_every_other_answer_and_every_month_all_is_paid_for_once(
    tmp_path: Path, aws: Fake, processes: ForkServerContext
) -> None:
    """The cap pays for two of the three months at once: what was decided of it stands as well."""
    aws.shows(bill=BILL, cost_page=9)
    cap = "0.15"
    whole = validated_settings(table(cap), home=tmp_path / "whole")
    pull(whole, ["cost_explorer"], DAYS).raise_failures()
    expected = asked(aws)
    assert len(expected) == 1 + 1 + 1 + 7 + 4
    aws.forget()
    home = tmp_path / "killed"
    environ = {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws.url}
    ends: list[int | None] = []
    while 0 not in ends:
        given = (home, table(cap), environ, DAYS, 2)
        process = processes.Process(target=crashes.pull_paid_for_killed, args=given)
        process.start()
        process.join(60)
        ends.append(process.exitcode)
        assert len(ends) < 30
    assert ends.count(crashes.KILLED) == 3, "after each month"
    assert ends.count(-signal.SIGKILL) == 5
    killed = validated_settings(table(cap), home=home)
    assert asked(aws) == expected
    assert delivered(killed) == delivered(whole)
    assert len(list(ledger.read_lines(killed.data / ledger.FILE))) == len(expected)
    assert not list((killed.data / response_cache.FOLDER).glob("*/*")), "delivered, so not kept"


def cut_off(settings: Settings, aws: Fake, bill: list[dict[str, Any]], answers: int = 3) -> None:
    """A pull that nobody answers any more after so many answers of Cost Explorer."""
    lost = {"operation": "GetCostAndUsage", "fault": "reset", "on": list(range(answers, 99))}
    aws.shows(bill=bill, cost_page=14, faults=[lost])
    assert bought(settings).errors
    aws.shows(bill=bill, cost_page=14)
    aws.forget()


@pytest.fixture
def settings(configured: Configured) -> Settings:
    return validated_settings(table(), home=configured.home)


def test_what_is_older_than_a_bill_stands_is_asked_anew(settings: Settings, aws: Fake) -> None:
    cut_off(settings, aws, BILL)
    begun(settings, hours=8)
    bought(settings).raise_failures()
    pairs = [ask for ask in asked(aws) if ask.get("Granularity") == "MONTHLY"]
    assert len(pairs) == 1


def test_another_day_or_window_is_another_question(settings: Settings, aws: Fake) -> None:
    cut_off(settings, aws, BILL)
    pull(settings, ["cost_explorer"], DAYS).raise_failures()
    assert len(aws.asked("GetDimensionValues")) == 1
    cut_off(settings, aws, [*BILL, charge("2026-10-30")])
    aws.shows(bill=BILL, cost_now="2026-11-01")
    tomorrow = validated_settings({**table(), "as_of": "2026-11-01"}, home=settings.home)
    bought(tomorrow).raise_failures()
    assert asked(aws)[0]["TimePeriod"]["End"] == "2026-11-02"


def test_days_of_another_bill_than_the_month_are_refused_and_then_read_anew(
    settings: Settings, aws: Fake
) -> None:
    cut_off(settings, aws, BILL, answers=2)
    bill = [*BILL, charge("2026-10-30")]
    aws.shows(bill=bill, cost_page=14)
    with pytest.raises(InputError, match="2026-10 do not add up to its month"):
        bought(settings).raise_failures()
    assert not list((settings.data / response_cache.FOLDER).glob("*/*"))
    bought(settings).raise_failures()
    october = [line for line in delivered(settings)["2026-10"] if line["request"] == "run"]
    assert sum(Decimal(line["amortized"]) for line in october) == Decimal("1.25") * 29


def test_a_cap_that_is_raised_goes_on_where_it_stopped(settings: Settings, aws: Fake) -> None:
    aws.shows(bill=BILL, cost_page=1)
    with pytest.raises(BudgetError):
        bought(validated_settings(table("0.10"), home=settings.home)).raise_failures()
    before = asked(aws)
    aws.forget()
    bought(validated_settings(table("5.00"), home=settings.home)).raise_failures()
    both = [json.dumps(ask, sort_keys=True) for ask in before + asked(aws)]
    assert len(before) == 10
    assert len(both) == len(set(both))


def test_a_month_that_no_day_pays_for_is_said_before_the_first_cent(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(bill=BILL, cost_page=14)
    home = configured.home
    with pytest.raises(BudgetError) as caught:
        pull(
            validated_settings(table("0.02"), home=home), ["cost_explorer"], OCTOBER
        ).raise_failures()
    assert str(caught.value) == (
        "cost_explorer: 2026-10 takes 3 paid requests or more, and no day pays for them: $0.03, "
        "with cost.api_budget_usd_per_day at $0.02 (set it to 0.03 or more; waiting does not help)"
    )
    assert asked(aws) == []


def test_a_month_that_the_cap_cut_off_is_not_begun_again_the_next_day(
    configured: Configured, aws: Fake
) -> None:
    """October has 28 groups a page each, its totals and its record types."""
    aws.shows(bill=BILL, cost_page=1)
    home = configured.home
    poor, rich = (validated_settings(table(cap), home=home) for cap in ("0.20", "0.50"))
    says = r"2026-10 takes \d\d paid requests or more, and no day pays for them"
    with pytest.raises(BudgetError, match=says) as caught:
        pull(poor, ["cost_explorer"], OCTOBER).raise_failures()
    assert len(asked(aws)) == 20
    needed = Decimal(str(caught.value).partition("set it to ")[2][:4])
    assert Decimal("0.30") <= needed <= Decimal("0.40")
    tomorrow(poor)
    aws.forget()
    with pytest.raises(BudgetError, match=says):
        pull(poor, ["cost_explorer"], OCTOBER).raise_failures()
    assert asked(aws) == []
    pull(rich, ["cost_explorer"], OCTOBER).raise_failures()
    assert list(delivered(rich)) == ["2026-10"]
    aws.shows(bill=BILL[-1:])  # it is small now, and nothing is held against it
    (poor.data / ledger.FILE).unlink()
    pull(poor, ["cost_explorer"], OCTOBER).raise_failures()


def test_a_cap_of_one_request_a_day_reads_what_stands_still_and_nothing_twice(
    configured: Configured, aws: Fake
) -> None:
    """The pairs, the record types, the days; then August to before. October takes three a day."""
    aws.shows(bill=BILL)
    poor = validated_settings(table("0.01"), home=configured.home)
    asked_for = days_of(poor, aws, 1)
    assert [len(day) for day in asked_for] == [1, 1, 1, 0]
    assert len(set(map(str, asked_for[:-1]))) == 3
    months = delivered(poor)
    assert len(months) == 12
    assert sum(Decimal(x["amortized"]) for x in months["2026-08"] if x["request"] == "run") == 35
    with pytest.raises(BudgetError, match="2026-10 takes 3 paid requests or more, and no day"):
        bought(poor).raise_failures()


def test_months_that_the_cap_cut_off_together_are_gone_on_with_the_next_day(
    configured: Configured, aws: Fake
) -> None:
    """Whatever the cap is, only the probe that told that two months are too long is lost."""
    aws.shows(bill=BILL, cost_page=14)
    poor = validated_settings(table("0.05"), home=configured.home)
    asked_for = days_of(poor, aws, 5)
    every = [one for day in asked_for for one in day]
    assert len(delivered(poor)) == 14
    assert len(every) - len(set(every)) <= 3, "the totals and the record types of another day"
    (poor.data / ledger.FILE).unlink(missing_ok=True)
    rich = validated_settings(table("5.00"), home=configured.home / "rich")
    bought(rich).raise_failures()
    assert sums(poor) == sums(rich)


def sums(settings: Settings) -> dict[str, Decimal]:
    """Of the runs, by month."""
    return {
        month: sum((Decimal(x["amortized"]) for x in lines if x["request"] == "run"), Decimal(0))
        for month, lines in delivered(settings).items()
    }


def test_days_that_changed_meanwhile_are_not_taken_for_a_month(
    configured: Configured, aws: Fake
) -> None:
    """A month that was thought to stand still is restated between its totals and its days."""
    aws.shows(bill=BILL)
    poor = validated_settings(table("0.01"), home=configured.home)
    for _ in range(2):
        bought(poor)
        tomorrow(poor)
    aws.shows(bill=[*BILL, charge("2026-08-30")])
    with pytest.raises(SourceError, match="2026-08 do not add up to its month"):
        bought(poor).raise_failures()
    assert "2026-08" not in delivered(poor)
    assert not list((poor.data / response_cache.FOLDER).glob("*/*.gz"))
