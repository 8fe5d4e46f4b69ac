"""A Prometheus that saw nothing for a part of a day: what pods held then is unknown, not idle."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from ingest.allocations.kubernetes.prometheus import Prometheus, Series
from ingest.doctor import examine
from ingest.pull import Report, pull
from ingest.source import Window
from ingest.sources.allocations import kubernetes
from models.config.settings import Settings
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.price_answers import told

DAY = date(2026, 10, 30)
MIDNIGHT = datetime(2026, 10, 30, tzinfo=UTC)
ONE_DAY = Window(DAY, DAY)
LOCATION = "prod by http://127.0.0.1:9"
Hours = tuple[tuple[float, float], ...]


class Silent(Prometheus):
    """Sees one node in some hours of the day, and a pod on it from 10 o'clock on."""

    hours: Hours = ()
    count = 8.0

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        labels = {"node": "n1", "provider_id": "aws:///us-east-1a/i-0a", "pod": "u1-pod"}
        labels |= {"uid": "u1", "resource": "aws_amazon_com_neuron"}
        first = MIDNIGHT + timedelta(hours=10 if "resource_requests" in query else 0)
        count = int((end - start) / timedelta(minutes=1)) + 1
        minutes = (start + timedelta(minutes=n) for n in range(count))
        seen = [(at, self.count) for at in minutes if at >= first and self._sees(at)]
        return [Series(labels, seen)] if seen else []

    def instant(self, query: str, at: datetime) -> list[Series]:
        return []

    def _sees(self, at: datetime) -> bool:
        hour = (at - MIDNIGHT) / timedelta(hours=1)
        return any(since <= hour < until for since, until in self.hours)


@pytest.fixture
def asked(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    def ask(hours: Hours, count: float = 8, window: Window = ONE_DAY) -> tuple[Settings, Report]:
        seeing = type("Seeing", (Silent,), {"hours": hours, "count": count})
        monkeypatch.setattr(kubernetes, "Prometheus", seeing)
        source = {"kind": "kubernetes", "cluster": "prod", "location": "http://127.0.0.1:9"}
        settings = configured(source)
        return settings, pull(settings, ["kubernetes"], window)

    return ask


@pytest.mark.parametrize(
    ("hours", "said", "observed_at"),
    [
        (((0, 24),), [], 24),
        (((0, 11), (11.1, 24)), [], 24),
        (((0, 20),), ["19:59 on"], 20),
        (((0, 11), (15, 24)), ["10:59 to 15:00"], 11),
        (((15, 24),), ["00:00 to 15:00"], 0),
        (((1, 11), (15, 22)), ["00:00 to 01:00", "10:59 to 15:00", "21:59 on"], 0),
    ],
)
def test_a_day_is_known_until_the_first_silence(
    asked: Any,  # noqa: ANN401
    hours: Hours,
    said: list[str],
    observed_at: int,
) -> None:
    """The pod was there before and after, so it was there."""
    settings, report = asked(hours)
    report.raise_failures()
    silence = "prod: Prometheus has no sample of a node from 2026-10-30 "
    unknown = ": what pods held then is unknown, not idle "
    unknown += '([[sources]] kind = "allocations" can tell it)'
    assert report.results[0].notices == [f"{silence}{each}{unknown}" for each in said]
    (row,) = told(settings, "observed_allocations")
    seen = row["observed_at"].replace(tzinfo=UTC) - MIDNIGHT
    assert timedelta(0) <= timedelta(hours=observed_at) - seen <= timedelta(minutes=1)
    ends = hours[-1][1]
    until = row["held_to"] or row["observed_at"]
    assert until.replace(tzinfo=UTC) == MIDNIGHT + timedelta(hours=24 if ends == 24 else ends) - (
        timedelta(0) if ends == 24 else timedelta(minutes=1)
    )


def test_whole_days_that_it_did_not_see_are_said_but_those_before_it_was_there(asked: Any) -> None:  # noqa: ANN401
    window = Window(DAY - timedelta(days=1), DAY + timedelta(days=3))
    settings, report = asked(((0, 24), (72, 96)), window=window)
    report.raise_failures()
    assert len(told(settings, "observed_allocations")) == 2
    assert report.results[0].notices == [
        "prod: Prometheus has no sample of a node on 2026-10-31, 2026-11-01: what pods held then "
        'is unknown, not idle ([[sources]] kind = "allocations" can tell it)'
    ]


def test_doctor_says_that_a_server_has_nothing_new_where_its_days_are_delivered(asked: Any) -> None:  # noqa: ANN401
    settings, _ = asked(((0, 24),))
    (said,) = (one for one in examine(settings) if one.check == "servers")
    assert (said.state, said.found) == ("ok", f"{LOCATION} answers, and has nothing new")


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (float("nan"), "nan (correct what its"),
        (float("inf"), "inf (correct what its"),
        (-8.0, "-8.0 (correct what its"),
    ],
)
def test_a_count_that_cannot_be_names_day_and_pod(asked: Any, count: float, said: str) -> None:  # noqa: ANN401
    (error,) = asked(((0, 24),), count)[1].results[0].errors
    wrong = f"u1-pod's request of aws_amazon_com_neuron is not a count: {said}"
    assert str(error).startswith(f"http://127.0.0.1:9 of 2026-10-30: {wrong}")
