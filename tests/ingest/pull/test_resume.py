"""A pull that was cut off goes on where it stopped, and what it sealed is not read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import pytest

from ingest.billing_months import months
from ingest.pull import Step, pull
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import StorageError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake

OPERATION = "GetCostAndUsage"
YEAR = Window(date(2025, 10, 1), date(2026, 10, 31))
"""Thirteen months."""
BILL = [
    {
        "day": f"{month}-02",
        "record_type": "Usage",
        "usage_type": "BoxUsage:trn1.32xlarge",
        "service": "Amazon Elastic Compute Cloud - Compute",
        "unit": "USD",
        "AmortizedCost": "1.25",
        "UnblendedCost": "1.25",
        "UsageQuantity": "1",
        "tags": {"run": "atlas-t7", "workload": "atlas-7b"},
    }
    for month in months(date(2025, 9, 1), date(2026, 10, 31))
]


def read_by_day(aws: Fake) -> set[str]:
    """The months of which days were read."""
    return {month for ask in aws.asked(OPERATION) for month in _months(ask)}


def _months(ask: Mapping[str, Any]) -> Iterator[str]:
    period = ask["TimePeriod"]
    if ask["Granularity"] == "DAILY":
        first, after = (date.fromisoformat(period[end]) for end in ("Start", "End"))
        yield from months(first, date.fromordinal(after.toordinal() - 1))


def sealed(settings: Settings) -> set[str]:
    return {d.key.period for d in RawZone(settings.data / "raw").live("cost_explorer")}


@pytest.fixture
def settings(configured: Configured) -> Settings:
    money = {"source": "cost_explorer"}
    found: Settings = configured({"kind": "cost_explorer"}, as_of="2026-10-31", cost=money)
    return found


@pytest.mark.parametrize("window", [Window(), YEAR])
def test_a_backfill_cut_off_in_the_middle_reads_only_the_months_that_are_left(
    settings: Settings, aws: Fake, window: Window
) -> None:
    aws.shows(bill=BILL)

    def cut_off(step: Step) -> None:
        if step.done == 5:
            raise StorageError("the power went")

    with pytest.raises(StorageError):
        pull(settings, ["cost_explorer"], window, tell=cut_off)
    done = sealed(settings)
    assert len(done) == 5
    assert read_by_day(aws) > done
    aws.forget()
    steps: list[Step] = []
    pull(settings, ["cost_explorer"], window, tell=steps.append).raise_failures()
    left = sealed(settings) - done
    assert aws.asked(OPERATION) == [], "the months before came with the same answers"
    assert len(left) == (8 if window.given else 9)
    assert str(steps[0]).endswith(f"(1 of {len(left)})")


@pytest.mark.parametrize("fault", ["reset", "half", "expired"])
def test_what_fails_on_the_way_leaves_nothing_and_is_read_whole_the_next_time(
    settings: Settings, aws: Fake, fault: str
) -> None:
    """From its second request on AWS does not answer, answers by half, or knows nobody any more."""
    later: dict[str, Any] = {"operation": OPERATION, "on": list(range(2, 99))}
    expired = {"errors": [{**later, "code": "ExpiredTokenException"}]}
    faults = {"faults": [{**later, "fault": fault}]}
    aws.shows(bill=BILL, **(expired if fault == "expired" else faults))
    (error,) = pull(settings, ["cost_explorer"], YEAR).errors
    assert "\n" not in str(error)
    assert not sealed(settings)
    aws.shows(bill=BILL)
    aws.forget()
    pull(settings, ["cost_explorer"], YEAR).raise_failures()
    totals = [d.totals for d in RawZone(settings.data / "raw").live("cost_explorer")]
    assert len(totals) == 13
    assert {sums["EffectiveCost"] for told in totals for sums in told.values()} == {"1.250000000"}


@pytest.mark.parametrize("fault", ["reset", "half"])
def test_one_answer_that_did_not_come_whole_is_asked_for_again(
    settings: Settings, aws: Fake, fault: str
) -> None:
    aws.shows(bill=BILL, faults=[{"operation": OPERATION, "fault": fault, "on": [2]}])
    pull(settings, ["cost_explorer"], YEAR).raise_failures()
    assert len(sealed(settings)) == 13
