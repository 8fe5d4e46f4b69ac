"""SageMaker's training jobs: one line a job and group of machines, in instance-hours."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from models.formats.machines import training_jobs
from tests.support.bills.format_lines import Lines, refused, rows
from tests.support.ingest.training_jobs import job

TYPES = dict.fromkeys(training_jobs.REQUIRED, "string")
GROUP = {"InstanceType": "ml.trn1.32xlarge", "InstanceCount": 2}


def line(machine: dict[str, Any] | None = None, **fields: object) -> Lines:
    described = {name: value for name, value in (job("j1") | fields).items() if value is not None}
    tags = {"workload": "atlas-7b", "run": "atlas-t7"}
    about = {"account": "1", "region": "us-east-1", "run_name": "j1", "Tags": json.dumps(tags)}
    return [{**about, "job": json.dumps(described), "machine": json.dumps(machine or GROUP)}]


def read(machine: dict[str, Any] | None = None, **fields: object) -> dict[str, Any]:
    (row,) = rows(training_jobs, line(machine, **fields), TYPES)
    return row


def test_a_job_is_a_row_of_its_times_and_hours() -> None:
    assert read() == {
        "account": "1",
        "region": "us-east-1",
        "job": "j1",
        "workload": "atlas-7b",
        "run": "atlas-t7",
        "status": "Completed",
        "instance_type": "ml.trn1.32xlarge",
        "instances": 2,
        "managed_spot": None,
        "created_at": datetime.fromisoformat("2025-10-20T00:00"),
        "started_at": datetime.fromisoformat("2025-10-20T00:10"),
        "ended_at": datetime.fromisoformat("2025-10-20T01:10"),
        "training_hours": Decimal(2),
        "billed_hours": Decimal(2),
        "warm_pool_hours": None,
    }


def test_seconds_that_are_no_whole_share_of_an_hour_are_rounded_to_nine_places() -> None:
    """100 s on two instances are 200 ÷ 3,600 of an hour."""
    assert read(BillableTimeInSeconds=100)["billed_hours"] == Decimal("0.055555556")


def test_seconds_that_are_not_told_are_unknown_and_none_at_all_is_zero() -> None:
    assert read(BillableTimeInSeconds=None)["billed_hours"] is None
    assert read(BillableTimeInSeconds=0)["billed_hours"] == 0


def test_a_warm_pool_is_counted_for_each_instance_of_the_group() -> None:
    pool = {"Status": "InUse", "ResourceRetainedBillableTimeInSeconds": 1800}
    four = {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 4}
    assert read(four, WarmPoolStatus=pool)["warm_pool_hours"] == Decimal(2)
    assert read(four, WarmPoolStatus={"Status": "Available"})["warm_pool_hours"] is None


def test_a_selection_counts_before_the_preferences_of_a_plan() -> None:
    plan = {"SelectedInstanceType": "ml.p4d.24xlarge", "SelectedInstanceCount": 8}
    row = read({"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1}, ResourceConfig=plan)
    assert (row["instance_type"], row["instances"]) == ("ml.p4d.24xlarge", 8)
    assert row["training_hours"] == row["billed_hours"] == 8


def test_two_groups_of_one_job_are_two_rows_of_the_same_run() -> None:
    lines = line() + line({"InstanceType": "ml.c5.4xlarge", "InstanceCount": 1})
    found = [(r["run"], r["instance_type"], r["billed_hours"]) for r in rows_of(lines)]
    assert found == [("atlas-t7", "ml.c5.4xlarge", 1), ("atlas-t7", "ml.trn1.32xlarge", 2)]


def rows_of(lines: Lines) -> Lines:
    return rows(training_jobs, lines, TYPES)


def test_machines_that_are_not_told_leave_the_hours_unknown() -> None:
    row = read({"InstanceType": "ml.trn1.32xlarge"})
    assert (row["instances"], row["training_hours"], row["billed_hours"]) == (None, None, None)


def test_a_job_that_has_not_started_has_no_times_but_its_creation() -> None:
    row = read(TrainingStartTime=None, TrainingEndTime=None, TrainingTimeInSeconds=None)
    assert (row["started_at"], row["ended_at"], row["training_hours"]) == (None, None, None)
    assert row["created_at"] == datetime.fromisoformat("2025-10-20T00:00")


def test_times_with_an_offset_are_utc() -> None:
    row = read(TrainingStartTime="2025-10-20T02:30:00+02:00")
    assert row["started_at"] == datetime.fromisoformat("2025-10-20T00:30")


def test_a_job_tagged_like_the_sum_of_all_workloads_has_no_workload() -> None:
    (given,) = line()
    tags = json.dumps({"workload": "(portfolio)", "run": "r"})
    (row,) = rows_of([{**given, "Tags": tags}])
    assert (row["workload"], row["run"]) == (None, "r")


@pytest.mark.parametrize(
    ("missing", "shown"),
    [("account", "j1"), ("region", "j1"), ("run_name", "1"), ("job", "j1")],
)
def test_a_job_without_its_place_or_name_is_refused(missing: str, shown: str) -> None:
    (given,) = line()
    said = f"{missing} is missing on a line: {shown} (deliver it again, whole)"
    assert refused(training_jobs, [given, {**given, missing: ""}], TYPES) == [said]
