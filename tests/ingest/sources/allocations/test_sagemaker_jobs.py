"""SageMaker's training jobs as allocations: who held what the bill calls by the job's ARN."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from ingest.pull import Report, pull
from ingest.source import Window
from models.config.settings import Settings
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import told
from tests.support.ingest.training_jobs import job

FORMAT = "observed_allocations"


def pulled(
    configured: Configured, window: Window | None = None, **config: object
) -> tuple[Settings, Report]:
    settings: Settings = configured({"kind": "sagemaker_jobs"}, as_of="2025-10-31", **config)
    report = pull(settings, ["sagemaker_jobs"], window or Window())
    report.raise_failures()
    return settings, report


def rows(settings: Settings) -> list[dict[str, Any]]:
    return sorted(told(settings, FORMAT), key=lambda row: (row["held_from"], row["job"]))


def test_a_job_of_many_instances_is_one_resource_held_whole(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1"), job("untagged", "21", Tags={})])
    settings, _ = pulled(configured)
    tagged, untagged = rows(settings)
    assert tagged["resource"] == "arn:aws:sagemaker:us-east-1:999900000001:training-job/j1"
    assert (tagged["share"], tagged["accelerators"]) == (Decimal(1), None)
    assert (tagged["held_from"], tagged["held_to"]) == (
        datetime.fromisoformat("2025-10-20T00:10"),
        datetime.fromisoformat("2025-10-20T01:10"),
    )
    assert (tagged["workload"], tagged["run"]) == ("atlas-7b", "atlas-t7")
    assert (tagged["instance_type"], tagged["state"]) == ("ml.trn1.32xlarge", "COMPLETED")
    assert (untagged["workload"], untagged["run"]) == (None, "untagged")
    assert tagged["cluster"] == "999900000001-us-east-1 SageMaker"
    assert [d.key.unit for d in RawZone(settings.data / "raw").live(FORMAT)] == [
        tagged["cluster"]
    ] * 2


def test_the_tag_names_the_run_though_the_config_has_its_key_of_the_bill(
    configured: Configured, aws: Fake
) -> None:
    blank = {"workload": "atlas-7b", "run": ""}
    aws.shows(jobs=[job("j1"), job("j2", "21", Tags=blank)])
    settings, _ = pulled(configured, tags={"run": "user:run"})
    assert [row["run"] for row in rows(settings)] == ["atlas-t7", "j2"]


def test_with_another_key_of_the_run_in_the_config_jobs_are_named_anew(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1")])
    pulled(configured)
    settings, _ = pulled(configured, tags={"run": "experiment"})
    assert [row["run"] for row in rows(settings)] == ["j1"]


def test_a_job_that_failed_at_once_has_its_charges(configured: Configured, aws: Fake) -> None:
    start = "2025-10-20T00:10:00Z"
    aws.shows(jobs=[job("j1", TrainingStartTime=start, TrainingEndTime=start)])
    settings, _ = pulled(configured)
    (row,) = rows(settings)
    assert (row["held_to"] - row["held_from"]).total_seconds() == 1


def test_a_type_that_is_newer_than_the_catalogue_is_kept_and_told(
    configured: Configured, aws: Fake
) -> None:
    kind = {"InstanceType": "ml.trn9.48xlarge", "InstanceCount": 1, "VolumeSizeInGB": 1}
    aws.shows(jobs=[job("j1"), job("new", ResourceConfig=kind)])
    settings, report = pulled(configured)
    assert sorted(row["instance_type"] for row in rows(settings)) == [
        "ml.trn1.32xlarge",
        "ml.trn9.48xlarge",
    ]
    assert report.results[0].notices == [
        "999900000001-us-east-1 SageMaker: this version does not know the instance type "
        "ml.trn9.48xlarge of job new on 2025-10-20: how many accelerators it has is unknown, so "
        "jobs that share it count by their CPUs, else in equal parts; update breakeven"
    ]


def test_a_job_over_midnight_is_in_both_days_and_asked_about_once(
    configured: Configured, aws: Fake
) -> None:
    over = job("j1", TrainingEndTime="2025-10-21T03:00:00Z")
    aws.shows(jobs=[over])
    _, report = pulled(configured)
    assert report.results[0].new == 2
    assert len(aws.asked("DescribeTrainingJob")) == 1
    aws.forget()
    _, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (0, 2)
    assert aws.asked("DescribeTrainingJob") == aws.asked("ListTags") == []


def test_the_day_into_which_its_machines_are_kept_warm_is_known(
    configured: Configured, aws: Fake
) -> None:
    """Their charge names the job, on a day on which none runs."""
    aws.shows(jobs=[job("j1", TrainingEndTime="2025-10-20T23:30:00Z")])
    settings, _ = pulled(configured)
    live = RawZone(settings.data / "raw").live(FORMAT)
    assert sorted((d.key.period, d.rows) for d in live) == [("2025-10-20", 1), ("2025-10-21", 0)]


def test_each_day_of_a_long_job_is_delivered_though_another_day_of_it_was(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1", TrainingEndTime="2025-10-22T03:00:00Z")])
    middle = date(2025, 10, 21)
    pulled(configured, Window(middle, middle))
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (2, 1)
    days = sorted(delivery.key.period for delivery in RawZone(settings.data / "raw").live(FORMAT))
    assert days == ["2025-10-20", "2025-10-21", "2025-10-22"]


def test_a_tag_that_was_set_later_is_seen_where_the_day_is_named(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1", Tags={})])
    pulled(configured)
    aws.shows(jobs=[job("j1")])
    day = date(2025, 10, 20)
    settings, report = pulled(configured, Window(day, day))
    assert report.results[0].new == 1
    assert rows(settings)[0]["workload"] == "atlas-7b"


def test_a_job_in_progress_is_held_until_it_was_last_seen_and_one_that_waits_holds_nothing(
    configured: Configured, aws: Fake
) -> None:
    running = job("j1", TrainingJobStatus="InProgress")
    waiting = job("j2", TrainingJobStatus="InProgress")
    del running["TrainingEndTime"], waiting["TrainingEndTime"], waiting["TrainingStartTime"]
    aws.shows(jobs=[running, waiting])
    settings, _ = pulled(configured)
    found = {row["job"][-2:]: row for row in rows(settings)}
    assert list(found) == ["j1"]
    assert found["j1"]["held_to"] is None
    assert len(RawZone(settings.data / "raw").live(FORMAT)) == 12  # to the end of October


def test_a_job_that_was_deleted_keeps_what_it_held_beside_a_new_one_of_its_day(
    configured: Configured, aws: Fake
) -> None:
    deleted = job("j1", TrainingEndTime="2025-10-21T03:00:00Z")
    aws.shows(jobs=[deleted])
    settings, _ = pulled(configured)
    before = rows(settings)
    late = {"TrainingStartTime": "2025-10-20T05:00:00Z", "TrainingEndTime": "2025-10-20T06:00:00Z"}
    aws.shows(jobs=[job("j2", **late)])
    settings, report = pulled(configured)
    after = rows(settings)
    assert [row for row in after if row["job"][-2:] == "j1"] == before
    live = RawZone(settings.data / "raw").live(FORMAT)
    assert sorted((d.key.period, d.rows) for d in live) == [("2025-10-20", 2), ("2025-10-21", 1)]
    assert report.results[0].notices == [
        "999900000001-us-east-1 SageMaker: SageMaker no longer lists 1 job of 2025-10-20, "
        "arn:aws:sagemaker:us-east-1:999900000001:training-job/j1 for one: what was told before "
        "stays"
    ]
    again = pulled(configured)[1].results[0]
    assert (again.new, again.unchanged, again.notices) == (0, 1, [])
