"""AWS Batch: attempts of jobs on the instances of compute environments, while both are known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.pull import Report, pull
from ingest.source import Window
from models.config.settings import Settings
from models.engine.allocations.counted_deliveries import (
    account_of,
    cluster_of,
    counted_deliveries,
    region_of,
)
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import told

Document = dict[str, Any]
Shows = Callable[..., None]
REGION = "us-east-1:999900000001"
QUEUE = f"arn:aws:batch:{REGION}:job-queue/train"
WORLD: Document = {
    "environments": [
        {
            "computeEnvironmentName": "trn1",
            "computeEnvironmentArn": f"arn:aws:batch:{REGION}:compute-environment/trn1",
            "ecsClusterArn": f"arn:aws:ecs:{REGION}:cluster/trn1_Batch_1",
        },
        {
            "computeEnvironmentName": "on-eks",
            "computeEnvironmentArn": f"arn:aws:batch:{REGION}:compute-environment/on-eks",
        },
    ],
    "queues": [
        {
            "jobQueueName": "train",
            "jobQueueArn": QUEUE,
            "state": "ENABLED",
            "priority": 1,
            "computeEnvironmentOrder": [],
        }
    ],
}


def yesterday() -> datetime:
    """Its midnight; asked for by each test, for midnight may pass between two of them."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=1)


def at(hour: float) -> int:
    """Milliseconds at an hour of yesterday, as Batch has them."""
    return int((yesterday() + timedelta(hours=hour)).timestamp() * 1000)


def place(number: int) -> Document:
    arn = f"arn:aws:ecs:{REGION}:container-instance/trn1_Batch_1/c{number}"
    return {"containerInstanceArn": arn}


def machine(number: int, of: str = "trn1.32xlarge") -> Document:
    kind = [{"name": "ecs.instance-type", "value": of}]
    return place(number) | {"ec2InstanceId": f"i-0{number}", "attributes": kind}


def job(name: str = "j1", **other: object) -> Document:
    """A job that failed once on c1, and then ended on c2."""
    devices = [{"hostPath": f"/dev/neuron{n}"} for n in range(8)] + [{"hostPath": "/dev/fuse"}]
    needs = [{"type": "VCPU", "value": "64"}, {"type": "MEMORY", "value": "9"}]
    container = place(2) | {
        "linuxParameters": {"devices": devices},
        "resourceRequirements": needs,
    }
    return {
        "jobId": name,
        "jobArn": f"arn:aws:batch:{REGION}:job/{name}",
        "jobName": "atlas",
        "jobQueue": QUEUE,
        "jobDefinition": f"arn:aws:batch:{REGION}:job-definition/train:3",
        "status": "SUCCEEDED",
        "createdAt": at(9),
        "startedAt": at(12),
        "stoppedAt": at(13),
        "container": container,
        "tags": {"workload": "atlas-7b", "run": "t7", "owner": "ada"},
        "attempts": [
            {"container": place(1), "startedAt": at(10), "stoppedAt": at(11)},
            {"container": place(2), "startedAt": at(12), "stoppedAt": at(13)},
        ],
        **other,
    }


@pytest.fixture
def shows(aws: Fake) -> Shows:
    def put(*jobs: Document, machines: int = 2, **other: object) -> None:
        known = [machine(number + 1) for number in range(machines)]
        aws.shows(batch=WORLD | {"jobs": jobs}, container_instances=known, **other)

    return put


def pulled(
    configured: Configured,
    window: Window = Window(),  # noqa: B008 - immutable
    **source: object,
) -> tuple[Settings, Report]:
    settings = configured({"kind": "batch", **source})
    report = pull(settings, ["batch"], window)
    report.raise_failures()
    return settings, report


def rows(settings: Settings) -> list[Document]:
    every = told(settings, "observed_allocations")
    return sorted(every, key=lambda row: (row["held_from"], row["job"], row["node"]))


def test_each_attempt_holds_the_instance_that_it_ran_on(
    configured: Configured, shows: Shows
) -> None:
    shows(job())
    settings, _ = pulled(configured)
    first, second = rows(settings)
    assert [(row["resource"], row["attempt"]) for row in (first, second)] == [
        ("i-01", 0),
        ("i-02", 1),
    ]
    assert [row["state"] for row in (first, second)] == ["FAILED", "SUCCEEDED"]
    assert first["held_to"] - first["held_from"] == timedelta(hours=1)
    assert (first["accelerators"], first["cpus"]) == (Decimal(8), Decimal(64))
    assert (first["cluster"], first["instance_type"]) == ("trn1", "trn1.32xlarge")
    assert (first["workload"], first["run"]) == ("atlas-7b", "t7")
    labels = json.loads(first["labels"])
    assert (labels["job_queue"], labels["job_definition"]) == ("train", "train:3")
    assert "owner" not in labels
    live = RawZone(settings.data / "raw").live("observed_allocations")
    assert {d.key.unit for d in live} == {f"{first['account']}-us-east-1/trn1"}
    assert len(live) == 6, "idle days of the week that Batch remembers are idle"


def test_a_type_newer_than_the_catalogue_is_kept_and_told(
    configured: Configured, aws: Fake
) -> None:
    known = [machine(1), machine(2, "trn9.48xlarge")]
    aws.shows(batch=WORLD | {"jobs": [job()]}, container_instances=known)
    settings, report = pulled(configured)
    assert [row["instance_type"] for row in rows(settings)] == ["trn1.32xlarge", "trn9.48xlarge"]
    assert report.results[0].notices == [
        f"trn1: this version does not know the instance type trn9.48xlarge of c2 on "
        f"{yesterday().date()}: how many accelerators it has is unknown, so jobs that share it "
        "count by their CPUs, else in equal parts; update breakeven"
    ]


def test_days_that_batch_has_forgotten_are_unknown_not_idle(
    configured: Configured, shows: Shows
) -> None:
    shows(job())
    today = yesterday().date() + timedelta(days=1)
    window = Window(today - timedelta(days=30), today - timedelta(days=1))
    settings, report = pulled(configured, window)
    known = today - timedelta(days=6)
    live = RawZone(settings.data / "raw").live("observed_allocations")
    assert min(d.key.period for d in live) == f"{known}"
    assert report.results[0].notices == [
        f"AWS Batch forgets jobs a week after they ended: days before {known} are unknown, not idle"
    ]


def test_children_of_arrays_and_of_parallel_jobs_are_what_runs(
    configured: Configured, shows: Shows
) -> None:
    array = job("a", arrayProperties={"size": 2}, attempts=[], container={})
    children = [job(f"a:{n}", parent="a") for n in range(2)]
    wide = job("m", nodeProperties={"numNodes": 2}, attempts=[], container={})
    nodes = [job(f"m#{n}", parent="m", status="FAILED") for n in range(2)]
    shows(array, *children, wide, *nodes, batch_page=1)
    settings, _ = pulled(configured)
    assert sorted({row["job"] for row in rows(settings)}) == ["a:0", "a:1", "m"]


def test_a_running_job_holds_until_it_was_last_seen(configured: Configured, shows: Shows) -> None:
    running = job(status="RUNNING", startedAt=at(14), attempts=job()["attempts"][:1])
    del running["stoppedAt"]
    gpu = {"resourceRequirements": [{"type": "GPU", "value": "4"}]}
    running["container"] = place(2) | gpu
    shows(running)
    settings, _ = pulled(configured)
    first, last = rows(settings)
    assert (first["state"], last["state"]) == ("FAILED", "RUNNING")
    assert (last["attempt"], last["held_to"], last["accelerators"]) == (1, None, Decimal(4))


def test_all_containers_of_a_job_hold_its_accelerators(
    configured: Configured, shows: Shows
) -> None:
    """Containers may share devices; the sidecar that is named first needs none."""

    def needs(cpus: int, gpus: int = 0) -> Document:
        gpu = [{"type": "GPU", "value": f"{gpus}"}] if gpus else []
        return {"resourceRequirements": [{"type": "VCPU", "value": f"{cpus}"}, *gpu]}

    def several(name: str, *containers: Document) -> Document:
        own = job(name, attempts=[{"taskProperties": [place(1)], **times}])
        del own["container"]
        return own | {"ecsProperties": {"taskProperties": [place(1) | {"containers": containers}]}}

    times = {"startedAt": at(12), "stoppedAt": at(13)}
    devices = {"linuxParameters": {"devices": [{"hostPath": "/dev/neuron0"}]}}
    gpus = several("gpus", needs(2), needs(16, 4), needs(16, 2))
    shows(gpus, several("chips", needs(4) | devices, needs(4) | devices))
    settings, _ = pulled(configured)
    held = {row["job"]: (row["accelerators"], row["cpus"]) for row in rows(settings)}
    assert held == {"gpus": (Decimal(6), Decimal(34)), "chips": (Decimal(1), Decimal(8))}


def test_an_attempt_whose_machine_was_taken_away_ended_before_the_next_or_with_its_job(
    configured: Configured, shows: Shows
) -> None:
    lost = [
        {"container": place(1), "startedAt": at(10)},
        {"container": place(2), "startedAt": at(12)},
    ]
    shows(job(status="FAILED", attempts=lost))
    settings, _ = pulled(configured)
    first, second = rows(settings)
    waits = job("waits", status="RUNNABLE", attempts=lost[:1], startedAt=None, stoppedAt=None)
    shows(job(status="FAILED", attempts=lost), waits)
    assert {row["job"] for row in rows(pulled(configured)[0])} == {"j1"}
    assert (first["held_to"] - first["held_from"], first["state"]) == (timedelta(hours=2), "FAILED")
    assert second["held_to"] - second["held_from"] == timedelta(hours=1)


def test_a_job_that_waits_to_be_repeated_held_the_machine_of_its_failed_attempt(
    configured: Configured, shows: Shows
) -> None:
    """It may wait for longer than the week after which the day is asked for no more."""
    failed = job()["attempts"][:1]
    shows(job(status="RUNNABLE", attempts=failed, startedAt=None, stoppedAt=None))
    settings, _ = pulled(configured)
    (only,) = rows(settings)
    assert (only["resource"], only["state"], only["attempt"]) == ("i-01", "FAILED", 0)
    assert only["held_to"] - only["held_from"] == timedelta(hours=1)


def test_a_job_that_has_run_for_months_is_found_until_batch_forgets_it(
    configured: Configured, shows: Shows
) -> None:
    old = job(status="RUNNING", createdAt=at(-90 * 24), startedAt=at(-80 * 24), attempts=[])
    del old["stoppedAt"]
    shows(old)
    settings, _ = pulled(configured)
    assert {row["held_to"] for row in rows(settings)} == {None}
    end = at(24.001)  # today, as it was running then
    over = {"container": place(2), "startedAt": at(-80 * 24), "stoppedAt": end}
    shows(old | {"status": "SUCCEEDED", "stoppedAt": end, "attempts": [over]}, job("new"))
    settings, report = pulled(configured)
    assert {row["job"] for row in rows(settings)} == {"j1", "new"}
    assert None not in {row["held_to"] for row in rows(settings)}
    assert report.results[0].notices == []


def test_jobs_of_a_compute_environment_that_is_gone_are_said(
    configured: Configured, shows: Shows
) -> None:
    gone = {"containerInstanceArn": place(1)["containerInstanceArn"].replace("trn1_B", "old_B")}
    over = {"container": gone, "startedAt": at(10), "stoppedAt": at(11)}
    shows(job(), job("lost", container=gone, attempts=[over]))
    settings, report = pulled(configured)
    assert {row["job"] for row in rows(settings)} == {"j1"}
    assert report.results[0].notices == [
        "1 job, lost for one, ran in compute environments that AWS Batch no longer has: what they "
        "held and was not told before is counted nowhere (a [[sources]] entry of kind "
        '"allocations" can tell it)'
    ]


def test_what_is_forgotten_stays_as_it_was_delivered(configured: Configured, shows: Shows) -> None:
    shows(job())
    pulled(configured)
    shows(job(), job("late", createdAt=at(15), attempts=[]), machines=0)
    settings, report = pulled(configured)
    assert [row["resource"] for row in rows(settings)] == ["i-01", "i-02"]
    assert report.results[0].notices == []
    shows(machines=0)
    settings, report = pulled(configured)
    assert len(rows(settings)) == 2
    assert report.results[0].notices == [
        f"trn1: AWS Batch in the configured region of the configured credentials no longer has 1 "
        f"job of {yesterday():%Y-%m-%d}, j1 for one, which it told before: AWS Batch forgets jobs "
        "a week after they ended; the delivered day stays"
    ]


def test_compute_environments_of_one_name_in_two_regions_are_two(
    configured: Configured, shows: Shows
) -> None:
    shows(job())
    regions = ("us-east-1", "us-west-2")
    settings, _ = pulled(configured, regions=regions)
    found = rows(settings)
    assert sorted((row["region"], row["attempt"]) for row in found) == [
        (region, attempt) for region in regions for attempt in (0, 1)
    ]
    live = RawZone(settings.data / "raw").live("observed_allocations")
    units = {f"{found[0]['account']}-{region}/trn1" for region in regions}
    counted = counted_deliveries(live)
    assert {d.key.unit for d in counted} == units
    assert {(account_of(d), region_of(d), cluster_of(d)) for d in counted} == {
        (found[0]["account"], region, "trn1") for region in regions
    }


def test_a_day_delivered_without_its_region_is_replaced_by_none_that_is_emptier(
    configured: Configured, shows: Shows
) -> None:
    """Keys named no region once, and a day held the jobs of one region or the other."""
    shows(job())
    settings, _ = pulled(configured)
    zone = RawZone(settings.data / "raw")
    (full,) = [d for d in zone.live("observed_allocations") if d.rows]
    with zone.staging(replace(full.key, unit="trn1")) as staging:
        pq.write_table(pq.read_table(full.paths[0]), staging.next_path)
        staging.add(staging.next_path)
        staging.seal(full.format)
    shutil.rmtree(full.folder)
    shows(job("j2"))
    settings, report = pulled(configured)
    assert "no longer has 1 job" in report.results[0].notices[0]
    shows(job(), job("j2"))
    settings, _ = pulled(configured)
    counted = counted_deliveries(zone.live("observed_allocations"))
    assert [d.key.unit for d in counted if d.rows] == [full.key.unit]
