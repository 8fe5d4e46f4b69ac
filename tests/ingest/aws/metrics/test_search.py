"""CloudWatch's SEARCH brings what listing brings, or leaves it to listing; never a part."""

from __future__ import annotations

from typing import Any

import pytest

from ingest import sources
from ingest.paid_requests import ledger
from ingest.pull import Report, pull
from models.config.settings import Settings
from models.contract.errors import ConfigError
from tests.ingest.sources.progress.test_cloudwatch import EPOCHS, NOW, live, metric, pinned, samples
from tests.support.ingest.fake_aws import Configured, Fake

POINT = ("2026-10-31T10:00:00Z", 1.0)


def searched(configured: Configured) -> tuple[Settings, Report]:
    settings = pinned(configured, find="search")
    report = pull(settings, ["cloudwatch"])
    report.raise_failures()
    return settings, report


def told(settings: Settings) -> dict[str, list[tuple[str, str, float]]]:
    return {day: samples(delivery) for day, delivery in live(settings).items()}


def test_one_request_finds_and_reads_what_listing_does(configured: Configured, aws: Fake) -> None:
    odd = metric("Epoch", "r", POINT, dimensions={"Workload": "w", "Run": "r", "Host": "h"})
    aws.shows(metrics=[*EPOCHS, odd, metric("Speed", "r", POINT)], now=NOW)
    settings, report = searched(configured)
    assert told(settings) == {
        "2026-10-30": [("10:00", "Epoch", 1.0), ("10:00", "Loss", 2.25), ("23:59", "Epoch", 1.5)],
        "2026-10-31": [("00:00", "Epoch", 1.6)],
    }
    assert aws.asked("ListMetrics") == []
    (asked,) = aws.asked("GetMetricData")
    first = asked["MetricDataQueries"][0]["Expression"]
    wanted = """SEARCH('{"Breakeven","Workload","Run"} MetricName="Epoch"', 'Maximum', 60)"""
    assert first == wanted
    paid = [line["dollars"] for line in ledger.read_lines(settings.data / "requests.jsonl")]
    assert paid == ["0.00500"]
    assert report.results[0].notices == []


def runs(number: int) -> list[dict[str, Any]]:
    return [metric("Epoch", f"r{n:03}", POINT) for n in range(number)]


LONG = {"namespace": "n" * 255, "dimensions": {"workload": "w" * 255, "run": "r" * 255}}
FOREIGN = metric("Epoch", "theirs", POINT, account="999900000009")
DOUBTS: dict[str, tuple[dict[str, Any], int]] = {
    "it says that it was limited": ({"metrics": runs(4), "shown": 3}, 4),
    "it shows as many as it can, and says nothing": ({"metrics": runs(501), "silent": True}, 501),
    "there is no room for all, and no second page": ({"metrics": EPOCHS, "point_page": 2}, 4),
    "a name is another's but for case": ({"metrics": [*EPOCHS, metric("epoch", "r", POINT)]}, 4),
    "two series have one label": ({"metrics": runs(1) * 2}, 2),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_where_something_may_be_missing_each_series_is_asked_for(
    configured: Configured, aws: Fake, doubt: str
) -> None:
    world, points = DOUBTS[doubt]
    aws.shows(now=NOW, **world)
    settings, report = searched(configured)
    (said,) = report.results[0].notices
    assert "SEARCH may have shown only a part of Breakeven from 2026-10-17 to 2026-10-31" in said
    assert sum(map(len, told(settings).values())) == points


def test_what_a_monitoring_account_sees_of_others_is_not_its_own(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(metrics=[*EPOCHS, FOREIGN], now=NOW)
    settings, report = searched(configured)
    assert [len(found) for found in told(settings).values()] == [3, 1]
    assert report.results[0].notices == []


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"namespace": 'Odd"Name'}, 'Odd"Name'),
        ({**LONG, "metrics": {"epoch": "e" * 255}}, "n" * 255),
    ],
)
def test_what_search_cannot_look_for_is_refused(
    configured: Configured, options: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError, match="remove `find`") as caught:
        sources.configured(pinned(configured, find="search", **options))
    assert named in str(caught.value)
