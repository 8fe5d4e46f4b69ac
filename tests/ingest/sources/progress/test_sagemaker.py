"""SageMaker's training jobs: their last metrics, and what was billed of them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ingest.pull import Report, pull
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import SourceError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import told
from tests.support.ingest.training_jobs import job


def pulled(configured: Configured, window: Window | None = None) -> tuple[Settings, Report]:
    settings: Settings = configured({"kind": "sagemaker"}, as_of="2025-10-31")
    report = pull(settings, ["sagemaker"], window or Window())
    report.raise_failures()
    return settings, report


def jobs(configured: Configured) -> list[dict[str, Any]]:
    settings, _ = pulled(configured)
    return told(settings, "training_jobs")


def test_the_last_metrics_are_progress_under_the_tags_of_the_bill(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1"), job("untagged", Tags={"workload": "atlas-7b"})])
    settings, _ = pulled(configured)
    first, second = sorted(told(settings, "sagemaker"), key=lambda row: row["run"])
    assert f"{first['observed_at']:%Y-%m-%d %H:%M}" == "2025-10-20 01:09"
    assert (first["workload"], first["run"], first["recipe"]) == ("atlas-7b", "atlas-t7", "full")
    assert (first["epoch"], first["loss"], first["tokens"]) == (Decimal(4), 1.5, None)
    assert second["run"] == "untagged"


@pytest.mark.parametrize(("minute", "moment"), [("01:08:40", "01:09"), ("00:40:00", "00:40")])
def test_a_loss_of_the_last_lines_is_of_the_end_as_the_epoch_is(
    configured: Configured, aws: Fake, minute: str, moment: str
) -> None:
    """A trainer's closing line has its epoch and no loss, which a line before it has."""
    made = job("j1")
    made["FinalMetricDataList"][1]["Timestamp"] = f"2025-10-20T{minute}Z"
    aws.shows(jobs=[made])
    settings, _ = pulled(configured)
    (at,) = (row["observed_at"] for row in told(settings, "sagemaker") if row["loss"] is not None)
    assert f"{at:%H:%M}" == moment


def test_a_job_that_names_no_workload_is_told_of(configured: Configured, aws: Fake) -> None:
    silent = job("silent", "19", Tags={}, FinalMetricDataList=[])
    lost = [job("lost", "21", Tags={"run": "r"}), job("gone", "22", Tags={})]
    aws.shows(jobs=[silent, job("j1"), *lost])
    settings, report = pulled(configured)
    assert report.results[0].notices == [
        "999900000001-us-east-1: 2 of 3 jobs, such as lost, have no tag `workload`: set it, or "
        "`workload` in the config"
    ]
    assert {row["run"] for row in told(settings, "sagemaker")} == {"atlas-t7"}


def test_a_job_that_was_given_its_workload_later_is_progress_from_then_on(
    configured: Configured, aws: Fake
) -> None:
    """What the notice asked for: a listing does not show it. One without metrics is not asked."""
    silent = job("silent", "20", Tags={}, FinalMetricDataList=[])
    aws.shows(jobs=[silent, job("lost", "20", Tags={}), job("j1", "20")])
    pulled(configured)
    aws.forget()
    pulled(configured)
    assert [one["ResourceArn"][-4:] for one in aws.asked("ListTags")] == ["lost"]
    assert aws.asked("DescribeTrainingJob") == []
    aws.shows(jobs=[silent, job("lost", "20", Tags={"workload": "bard"}), job("j1", "20")])
    settings, report = pulled(configured)
    assert {row["workload"] for row in told(settings, "sagemaker")} == {"atlas-7b", "bard"}
    assert (report.results[0].new, report.results[0].notices) == (2, [])
    aws.forget()
    pulled(configured)
    assert aws.asked("ListTags") == []


def test_a_tag_that_was_corrected_is_seen_where_its_day_is_named(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j1", "20")])
    pulled(configured)
    aws.shows(jobs=[job("j1", "20", Tags={"workload": "bard", "run": "b1"})])
    settings, report = pulled(configured, Window(date(2025, 10, 20), date(2025, 10, 20)))
    assert report.results[0].new == 2
    (row,) = told(settings, "sagemaker")
    assert (row["workload"], row["run"]) == ("bard", "b1")


def test_billed_hours_are_billable_seconds_times_instances(
    configured: Configured, aws: Fake
) -> None:
    spot = job("j1", BillableTimeInSeconds=1350, EnableManagedSpotTraining=True)
    aws.shows(jobs=[spot])
    (row,) = jobs(configured)
    assert (row["job"], row["run"], row["status"]) == ("j1", "atlas-t7", "Completed")
    assert (row["instance_type"], row["instances"]) == ("ml.trn1.32xlarge", 2)
    assert (row["training_hours"], row["billed_hours"]) == (Decimal(2), Decimal("0.75"))
    assert (row["managed_spot"], row["warm_pool_hours"]) == (True, None)
    assert (row["account"], row["region"]) == ("999900000001", "us-east-1")


def test_of_a_flexible_plan_what_was_selected_counts(configured: Configured, aws: Fake) -> None:
    plan = {
        "VolumeSizeInGB": 100,
        "InstancePreferences": [
            {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1},
            {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 4},
        ],
        "SelectedInstanceType": "ml.p4d.24xlarge",
        "SelectedInstanceCount": 4,
    }
    aws.shows(jobs=[job("j1", ResourceConfig=plan)])
    (row,) = jobs(configured)
    assert (row["instance_type"], row["instances"]) == ("ml.p4d.24xlarge", 4)
    assert row["billed_hours"] == Decimal(4)


def test_each_group_of_a_heterogeneous_job_is_its_own(configured: Configured, aws: Fake) -> None:
    groups = [
        {"InstanceType": "ml.trn1.32xlarge", "InstanceCount": 3, "InstanceGroupName": "train"},
        {"InstanceType": "ml.c5.4xlarge", "InstanceCount": 2, "InstanceGroupName": "data"},
    ]
    aws.shows(jobs=[job("j1", ResourceConfig={"VolumeSizeInGB": 1, "InstanceGroups": groups})])
    found = {row["instance_type"]: row["billed_hours"] for row in jobs(configured)}
    assert found == {"ml.trn1.32xlarge": Decimal(3), "ml.c5.4xlarge": Decimal(2)}


def test_a_warm_pool_is_billed_on_top(configured: Configured, aws: Fake) -> None:
    pool = {"Status": "Terminated", "ResourceRetainedBillableTimeInSeconds": 900}
    aws.shows(jobs=[job("j1", WarmPoolStatus=pool)])
    (row,) = jobs(configured)
    assert (row["billed_hours"], row["warm_pool_hours"]) == (Decimal(2), Decimal("0.5"))


def test_of_a_job_that_runs_nothing_is_billed_yet_and_its_day_is_read_again(
    configured: Configured, aws: Fake
) -> None:
    going = job("j1", TrainingJobStatus="InProgress", FinalMetricDataList=[])
    for name in ("TrainingEndTime", "TrainingTimeInSeconds", "BillableTimeInSeconds"):
        del going[name]
    aws.shows(jobs=[going, job("j0", "19")])
    (_, row) = jobs(configured)
    assert (row["status"], row["billed_hours"], row["ended_at"]) == ("InProgress", None, None)
    going["FinalMetricDataList"] = job("j1")["FinalMetricDataList"]
    aws.shows(jobs=[going, job("j0", "19")])
    settings, _ = pulled(configured)
    assert len(told(settings, "sagemaker")) == 2  # its listing is what it was
    aws.forget()
    aws.shows(jobs=[job("j1"), job("j0", "19")])
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (1, 3)
    assert [asked["TrainingJobName"] for asked in aws.asked("DescribeTrainingJob")] == ["j1"]
    assert {row["billed_hours"] for row in told(settings, "training_jobs")} == {Decimal(2)}
    assert len(told(settings, "sagemaker")) == 2
    aws.forget()
    pulled(configured)
    assert aws.asked("DescribeTrainingJob") == []


def test_empty_pages_with_a_token_are_not_the_last(configured: Configured, aws: Fake) -> None:
    every = [job(f"j{n}", f"{n + 10}") for n in range(6)]
    aws.shows(jobs=every, job_page=2, tag_page=1, hidden=["j2", "j3"])
    found = jobs(configured)
    assert [row["job"] for row in found] == ["j0", "j1", "j4", "j5"]
    assert {row["run"] for row in found} == {"atlas-t7"}
    assert len(aws.asked("ListTrainingJobs")) == 3
    assert len(aws.asked("ListTags")) == 4 * 3


def test_throttling_is_waited_out(configured: Configured, aws: Fake) -> None:
    throttled = {"operation": "DescribeTrainingJob", "code": "ThrottlingException", "on": [1]}
    aws.shows(jobs=[job("j1")], errors=[throttled])
    assert len(jobs(configured)) == 1


def test_days_that_are_named_are_those_on_which_jobs_were_created(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(jobs=[job("j0", "19"), job("j1", "20"), job("j2", "21")])
    settings, _ = pulled(configured, Window(date(2025, 10, 20), date(2025, 10, 20)))
    live = RawZone(settings.data / "raw").live()
    found = {(delivery.key.unit, delivery.key.period) for delivery in live}
    unit = "999900000001-us-east-1"
    assert {one for one in found if one[0].startswith(unit)} == {
        (unit, "2025-10-20"),
        (f"{unit} jobs", "2025-10-20"),
    }


def test_a_missing_permission_is_named(configured: Configured, aws: Fake) -> None:
    denied = {"operation": "ListTags", "code": "AccessDeniedException", "on": [1]}
    aws.shows(jobs=[job("j1")], errors=[denied])
    with pytest.raises(SourceError, match="sagemaker:ListTags was refused"):
        pulled(configured)
