"""The emitter's metrics, read back."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.paid_requests import ledger
from ingest.pull import pull
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import SourceError
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake

SOURCE = {"kind": "cloudwatch", "region": "us-west-2"}
NOW = "2026-10-31T12:00:00Z"


def metric(name: str, run: str, *points: tuple[str, float], **other: object) -> dict[str, Any]:
    dimensions = {"Workload": "atlas-7b", "Run": run}
    return {
        "namespace": "Breakeven",
        "name": name,
        "dimensions": dimensions,
        "points": points,
        **other,
    }


EPOCHS = [
    metric(
        "Epoch",
        "atlas-t7",
        ("2026-10-30T10:00:00Z", 1.0),
        ("2026-10-30T23:59:00Z", 1.5),
        ("2026-10-31T00:00:00Z", 1.6),
    ),
    metric("Loss", "atlas-t7", ("2026-10-30T10:00:00Z", 2.25)),
]


def live(settings: Settings) -> dict[str, Delivery]:
    found = RawZone(settings.data / "raw").live("cloudwatch")
    return {delivery.key.period: delivery for delivery in found}


def samples(delivery: Delivery) -> list[tuple[str, str, float]]:
    rows = [row for path in delivery.paths for row in pq.read_table(path).to_pylist()]
    return [(f"{row['timestamp']:%H:%M}", row["metric"], row["value"]) for row in rows]


def pinned(configured: Configured, **other: object) -> Settings:
    settings: Settings = configured({**SOURCE, **other}, as_of="2026-10-31")
    return settings


def test_each_utc_day_of_an_account_and_region_is_one_delivery(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(metrics=EPOCHS, now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    found = live(settings)
    assert list(found) == ["2026-10-30", "2026-10-31"]
    assert found["2026-10-30"].key.unit == "999900000001-us-west-2"
    assert samples(found["2026-10-30"]) == [
        ("10:00", "Epoch", 1.0),
        ("10:00", "Loss", 2.25),
        ("23:59", "Epoch", 1.5),
    ]


def test_loading_twice_brings_nothing_new(configured: Configured, aws: Fake) -> None:
    aws.shows(metrics=EPOCHS, now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    again = pull(settings, ["cloudwatch"], Window(date(2026, 10, 30))).results[0]
    assert (again.new, again.unchanged) == (0, 2)


def test_pages_are_merged_by_id(configured: Configured, aws: Fake) -> None:
    aws.shows(metrics=EPOCHS, now=NOW, point_page=1, metric_page=1)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert [len(samples(delivery)) for delivery in live(settings).values()] == [3, 1]
    assert len(aws.asked("GetMetricData")) == 4


def test_what_is_not_the_emitters_is_left_out(configured: Configured, aws: Fake) -> None:
    point = ("2026-10-30T10:00:00Z", 1.0)
    odd = metric("Epoch", "r", point, dimensions={"Workload": "w", "Run": "r", "Host": "h"})
    aws.shows(metrics=[odd, metric("Speed", "r", point)], now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert not live(settings)
    assert not aws.asked("GetMetricData")


def test_more_than_five_hundred_series_are_several_requests(
    configured: Configured, aws: Fake
) -> None:
    point = ("2026-10-30T10:00:00Z", 1.0)
    aws.shows(metrics=[metric("Epoch", f"r{n:03}", point) for n in range(501)], now=NOW)
    settings = pinned(configured)
    report = pull(settings, ["cloudwatch"])
    report.raise_failures()
    assert [len(a["MetricDataQueries"]) for a in aws.asked("GetMetricData")] == [500, 1]
    assert len(samples(live(settings)["2026-10-30"])) == 501
    paid = [line["dollars"] for line in ledger.read_lines(settings.data / "requests.jsonl")]
    assert paid == ["0.00001", "0.00001", "0.00500", "0.00001"]


def test_a_day_is_never_replaced_by_an_emptier_answer(configured: Configured, aws: Fake) -> None:
    aws.shows(metrics=EPOCHS, now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    before = live(settings)
    aws.shows(metrics=[metric("Epoch", "atlas-t7", ("2026-10-30T10:00:00Z", 1.0))], now=NOW)
    window = Window(date(2026, 10, 30), date(2026, 10, 31))
    pull(settings, ["cloudwatch"], window).raise_failures()
    assert live(settings) == before


def test_the_period_follows_what_cloudwatch_still_keeps(configured: Configured, aws: Fake) -> None:
    old = [
        ("2026-07-01T00:00:00Z", 0.5),
        ("2026-09-20T00:00:00Z", 1.0),
        ("2026-10-30T00:00:00Z", 2.0),
    ]
    aws.shows(metrics=[metric("Epoch", "r", *old)], now=NOW)
    settings = pinned(configured)
    window = Window(date(2025, 1, 1), date(2026, 10, 31))
    pull(settings, ["cloudwatch"], window).raise_failures()
    assert list(live(settings)) == ["2026-07-01", "2026-09-20", "2026-10-30"]
    asked = aws.asked("GetMetricData")
    periods = [a["MetricDataQueries"][0]["MetricStat"]["Period"] for a in asked]
    assert periods == [3600, 300, 60]


def test_an_answer_that_stays_partial_is_refused(configured: Configured, aws: Fake) -> None:
    aws.shows(metrics=EPOCHS, now=NOW, state="InternalError")
    settings = pinned(configured)
    with pytest.raises(SourceError, match="did not answer in full: InternalError"):
        pull(settings, ["cloudwatch"]).raise_failures()
    assert not live(settings)


def test_access_denied_names_the_action(configured: Configured, aws: Fake) -> None:
    denied = {"operation": "ListMetrics", "code": "AccessDenied", "on": [1]}
    aws.shows(errors=[denied])
    with pytest.raises(SourceError, match="cloudwatch:ListMetrics was refused: AccessDenied"):
        pull(pinned(configured), ["cloudwatch"]).raise_failures()


def test_without_a_region_the_remedy_is_named(
    configured: Configured, aws: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(SourceError, match="no AWS region"):
        pull(configured({"kind": "cloudwatch"}), ["cloudwatch"]).raise_failures()


def test_a_series_that_aws_forgot_stays_beside_one_that_grew(
    configured: Configured, aws: Fake
) -> None:
    point = ("2026-10-31T10:00:00Z", 1.0)
    aws.shows(metrics=[metric("Epoch", "ended", point), metric("Epoch", "goes-on", point)], now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    grown = metric("Epoch", "goes-on", point, ("2026-10-31T11:00:00Z", 2.0))
    aws.shows(metrics=[grown], now=NOW)
    pull(settings, ["cloudwatch"]).raise_failures()
    found = samples(live(settings)["2026-10-31"])
    assert found == [("10:00", "Epoch", 1.0), ("10:00", "Epoch", 1.0), ("11:00", "Epoch", 2.0)]


def test_what_was_delivered_before_dimensions_were_kept_is_still_the_fuller_answer(
    configured: Configured, aws: Fake
) -> None:
    settings = pinned(configured)
    table = pa.table(
        {
            "timestamp": pa.array([datetime(2026, 10, 31, h) for h in (1, 2)], pa.timestamp("us")),  # noqa: DTZ001
            **{name: [name] * 2 for name in ("account", "region", "workload", "run")},
            "namespace": ["Breakeven"] * 2,
            "metric": ["Epoch"] * 2,
            "statistic": ["Maximum"] * 2,
            "period": pa.array([60, 60], pa.int32()),
            "value": [1.0, 2.0],
        }
    )
    key = Key("cloudwatch", "999900000001-us-west-2", "2026-10-31")
    with RawZone(settings.data / "raw").staging(key) as staging:
        pq.write_table(table, staging.next_path)
        staging.add(staging.next_path)
        staging.seal("cloudwatch")
    named = {"dimensions": {"Workload": "workload", "Run": "run"}}
    aws.shows(metrics=[metric("Epoch", "", ("2026-10-31T03:00:00Z", 2.5), **named)], now=NOW)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert samples(live(settings)["2026-10-31"]) == [
        ("01:00", "Epoch", 1.0),
        ("02:00", "Epoch", 2.0),
    ]


def test_an_answer_that_leaves_something_out_is_refused_in_awss_words(
    configured: Configured, aws: Fake
) -> None:
    said = {"Code": "MaxMetricsExceeded", "Value": "only the first 500 are shown"}
    aws.shows(metrics=EPOCHS, now=NOW, messages=[said])
    settings = pinned(configured)
    with pytest.raises(SourceError, match="MaxMetricsExceeded: only the first 500"):
        pull(settings, ["cloudwatch"]).raise_failures()
    assert not live(settings)


def test_five_thousand_runs_take_the_fewest_requests_and_none_is_repeated(
    configured: Configured, aws: Fake
) -> None:
    ended = [metric("Epoch", f"r{n:04}", ("2026-10-31T01:00:00Z", 1.0)) for n in range(4997)]
    going = [
        metric("Epoch", f"s{n}", ("2026-10-31T01:00:00Z", 1.0), ("2026-10-31T11:30:00Z", 2.0))
        for n in range(3)
    ]
    aws.shows(metrics=[*ended, *going], now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    first = {what: aws.asked(what) for what in ("ListMetrics", "GetMetricData")}
    assert [len(asked) for asked in first.values()] == [10, 10]
    assert len(samples(live(settings)["2026-10-31"])) == 5003
    aws.forget()
    going[0]["points"] = (*going[0]["points"], ("2026-10-31T11:59:00Z", 3.0))
    aws.shows(metrics=[*ended, *going], now=NOW)
    pull(settings, ["cloudwatch"]).raise_failures()
    again = {what: aws.asked(what) for what in first}
    assert [len(asked) for asked in again.values()] == [1, 1]
    assert len(again["GetMetricData"][0]["MetricDataQueries"]) == 3
    assert not [asked for what in first for asked in again[what] if asked in first[what]]
    assert len(samples(live(settings)["2026-10-31"])) == 5004


def test_days_that_are_named_are_asked_of_every_run(configured: Configured, aws: Fake) -> None:
    aws.shows(metrics=EPOCHS, now=NOW)
    pull(pinned(configured), ["cloudwatch"]).raise_failures()
    aws.forget()
    window = Window(date(2026, 10, 30), date(2026, 10, 31))
    pull(pinned(configured), ["cloudwatch"], window).raise_failures()
    assert "RecentlyActive" not in aws.asked("ListMetrics")[0]


def test_days_that_are_named_leave_none_unread_before_them(
    configured: Configured, aws: Fake
) -> None:
    """The 30th was asked for by hand after an outage: the next pull reads the days before, too."""
    early = metric("Epoch", "early", ("2026-10-20T10:00:00Z", 0.0), ("2026-10-25T10:00:00Z", 1.0))
    aws.shows(metrics=[early, *EPOCHS], now=NOW)
    settings = pinned(configured)
    window = Window(date(2026, 10, 30), date(2026, 10, 30))
    pull(settings, ["cloudwatch"], window).raise_failures()
    assert list(live(settings)) == ["2026-10-30"]
    pull(settings, ["cloudwatch"]).raise_failures()
    assert list(live(settings)) == [f"2026-10-{day}" for day in (20, 25, 30, 31)]


def test_a_pull_that_was_cut_off_pays_for_no_page_twice_and_asks_for_no_day_less(
    configured: Configured, aws: Fake
) -> None:
    """A page a sample; a run that ended long ago has not reported lately."""
    old = metric("Epoch", "atlas-t6", ("2026-10-20T10:00:00Z", 1.0), ("2026-10-27T10:00:00Z", 2.0))
    world = {"metrics": [*EPOCHS, old], "now": NOW, "point_page": 1}
    lost = {"operation": "GetMetricData", "fault": "reset", "on": list(range(4, 99))}
    settings = pinned(configured)
    aws.shows(**world, faults=[lost])
    with pytest.raises(SourceError, match="cannot be reached"):
        pull(settings, ["cloudwatch"]).raise_failures()
    before = len(aws.asked("ListMetrics")), 3
    aws.shows(**world)
    aws.forget()
    pull(settings, ["cloudwatch"]).raise_failures()
    assert (before[0], len(aws.asked("ListMetrics"))) == (1, 0)
    assert before[1] + len(aws.asked("GetMetricData")) == 6
    assert sum(len(samples(delivery)) for delivery in live(settings).values()) == 6
    aws.forget()
    pull(settings, ["cloudwatch"]).raise_failures()
    assert len(aws.asked("ListMetrics")) == 1, "what is delivered is not kept"


def test_an_answer_that_was_not_whole_is_asked_for_anew(configured: Configured, aws: Fake) -> None:
    settings = pinned(configured)
    aws.shows(metrics=EPOCHS, now=NOW, state="InternalError")
    with pytest.raises(SourceError, match="did not answer in full"):
        pull(settings, ["cloudwatch"]).raise_failures()
    aws.shows(metrics=EPOCHS, now=NOW)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert set(live(settings)) == {"2026-10-30", "2026-10-31"}


def test_a_run_that_began_before_the_first_pull_is_read_from_its_beginning(
    configured: Configured, aws: Fake
) -> None:
    """Minutes are kept for 15 days, five minutes for 63; only runs seen midway are asked for."""
    long = [("2026-09-20T00:00:00Z", 0.0), ("2026-10-10T00:00:00Z", 1.0)]
    going = metric("Epoch", "going", *long, ("2026-10-17T06:00:00Z", 2.0))
    paused = metric("Epoch", "paused", ("2026-10-01T00:00:00Z", 0.5), ("2026-10-30T00:00:00Z", 1.5))
    new = metric("Epoch", "new", ("2026-10-20T00:00:00Z", 0.0), ("2026-10-30T00:00:00Z", 9.0))
    aws.shows(metrics=[going, paused, new], now=NOW)
    settings = pinned(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    days = ["09-20", "10-01", "10-10", "10-17", "10-20", "10-30"]
    assert list(live(settings)) == [f"2026-{day}" for day in days]
    asked = aws.asked("GetMetricData")
    assert [len(one["MetricDataQueries"]) for one in asked] == [3, 2]
    periods = [one["MetricDataQueries"][0]["MetricStat"]["Period"] for one in asked]
    assert periods == [60, 300]


def test_a_run_that_paused_when_the_first_pull_begins_is_read_from_its_beginning_by_any_counter(
    configured: Configured, aws: Fake
) -> None:
    """On 17 October, where minutes end, none reports: tokens tell that work came before, sums may.

    `new` began with what it did in a minute.
    """
    later = [(f"2026-10-20T00:0{minute}:00Z", 5e9 + minute * 1e8) for minute in range(3)]
    paused = metric("Tokens", "paused", ("2026-10-01T00:00:00Z", 2e9), *later)
    fresh = [(f"2026-10-20T00:0{minute}:00Z", minute * 1e8) for minute in (1, 2, 3)]
    new = metric("Tokens", "new", *fresh)
    done = metric("Done", "summed", ("2026-10-01T00:00:00Z", 7.0), ("2026-10-20T00:00:00Z", 8.0))
    aws.shows(metrics=[paused, new, done], now=NOW)
    summed = {"metric": "Done", "statistic": "Sum", "excludes_repeats": True}
    settings = pinned(configured, metrics={"tokens": "Tokens", "samples": summed})
    pull(settings, ["cloudwatch"]).raise_failures()
    assert list(live(settings)) == ["2026-10-01", "2026-10-20"]
    found = [(name, value) for _, name, value in samples(live(settings)["2026-10-01"])]
    assert found == [("Tokens", 2e9), ("Done", 7.0)]
    assert [len(one["MetricDataQueries"]) for one in aws.asked("GetMetricData")][:2] == [3, 2]


def test_after_a_long_pause_nothing_is_missing(configured: Configured, aws: Fake) -> None:
    """A counter that is summed would not even show that days are missing."""
    days = [f"2026-{day}T11:00:00Z" for day in ("09-29", "10-05", "10-17", "10-31")]
    run = metric("Epoch", "r", *((day, 0.5) for day in days))
    aws.shows(metrics=[run], now="2026-09-30T12:00:00Z")
    early = configured(SOURCE, as_of="2026-09-30")
    pull(early, ["cloudwatch"]).raise_failures()
    assert list(live(early)) == ["2026-09-29"]
    aws.shows(metrics=[run], now=NOW)
    pull(pinned(configured), ["cloudwatch"]).raise_failures()
    assert list(live(early)) == [day[:10] for day in days]


def test_what_the_cap_does_not_pay_for_of_the_past_is_told_and_keeps_nothing_away(
    configured: Configured, aws: Fake
) -> None:
    points = ("2026-09-29T00:00:00Z", 0.5), ("2026-10-17T00:00:00Z", 1.5)
    aws.shows(metrics=[metric("Epoch", "r", *points)], now=NOW)
    settings = configured(SOURCE, as_of="2026-10-31", cost={"api_budget_usd_per_day": "0.00002"})
    result = pull(settings, ["cloudwatch"]).results[0]
    assert list(live(settings)) == ["2026-10-17"]
    (notice,) = result.notices
    assert "runs began before 2026-10-17" in notice
    assert "--from 2025-08-02 --to 2026-10-16" in notice
