"""METHOD §2.10.7: volumes and traffic follow a machine's owners, the rest of a cluster its runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
FIRST, DAYS = datetime(2025, 9, 1), 4  # noqa: DTZ001 - UTC
TAG = {"aws:eks:cluster-name": "hpc"}
JOBS = [
    ("atlas-7b", "a", "2025-09-01T00:00:00", "2025-09-02T00:00:00", 8),
    ("atlas-7b", "b", "2025-09-01T00:00:00", "2025-09-01T12:00:00", 8),
    ("other", "c", "2025-09-02T00:00:00", "2025-09-03T00:00:00", 16),
    ("atlas-7b", "a", "2025-09-04T00:00:00", "2025-09-05T00:00:00", 4),
]
"""Workload, run, from, to, accelerators of 16; on 3 September only the gap after `c` is held."""
TRUTH = """
WITH bill AS (
  SELECT date_trunc('day', ChargePeriodStart::TIMESTAMP) AS day, ResourceId AS resource,
    x_ParentResourceId AS parent, x_UsageType AS usage, EffectiveCost::DECIMAL(18, 9) AS cost
  FROM read_csv($bill, all_varchar = true) WHERE x_UsageType NOT LIKE 'BoxUsage:trn1%'),
owned AS (
  SELECT workload, run, date_trunc('day', since::TIMESTAMP) AS day,
    epoch(until::TIMESTAMP - since::TIMESTAMP) * chips AS held FROM jobs
  UNION ALL SELECT 'other', 'c', TIMESTAMP '2025-09-03', 900 * 16),
of_machine AS (
  SELECT cost, o.run, held / sum(held) OVER (PARTITION BY bill.rowid) AS part
  FROM (SELECT *, row_number() OVER () AS rowid FROM bill) AS bill JOIN owned AS o USING (day)
  WHERE 'i-1' IN (resource, parent)),
month AS (SELECT run, sum(held) / sum(sum(held)) OVER () AS part FROM owned GROUP BY run),
of_cluster AS (
  SELECT cost, run, part FROM bill CROSS JOIN month WHERE resource IN ('i-head', 'fs-1'))
SELECT run, sum(cost * part)::DOUBLE AS cost
FROM (FROM of_machine UNION ALL FROM of_cluster) GROUP BY run ORDER BY run"""
"""By hand: each day's owners by accelerator-seconds; the month's for the head node and the disk."""


def company(folder: Path) -> World:
    """A node with a volume and traffic, the head node and the file system of its cluster."""
    world = World(folder)
    for number in range(24 * DAYS):
        hour = (FIRST + timedelta(hours=number)).isoformat()
        world.hours(hour, 1, "trn1.32xlarge", 20, TAG, ResourceId="i-1")
        world.charge(
            hour, f"0.{number + 11}", ResourceId="vol-1", x_ParentResourceId="i-1",
            x_UsageType="EBS:VolumeUsage.gp3", ConsumedUnit="GB-Mo", ConsumedQuantity="0.7",
        )  # fmt: skip
        world.charge(hour, "0.017", ResourceId="i-1", x_UsageType="DataTransfer-Regional-Bytes")
        world.charge(hour, "0.31", ResourceId="i-head", x_UsageType="BoxUsage:m5.large", tags=TAG)
    lustre = {"x_UsageType": "USE1-FSx:Storage", "ResourceId": "fs-1"}
    world.charge("2025-09-03T00:00:00", "77.77", tags=TAG, **lustre)
    world.charge("2025-09-03T00:00:00", "5", x_UsageType="EBS:VolumeUsage.gp3", ResourceId="vol-9")
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    return world


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    settings = company(tmp_path_factory.mktemp("beside")).pulled()
    jobs = [
        held(since, until, accelerators=chips, workload=workload, run=run, job=f"{run} {since}")
        for workload, run, since, until, chips in JOBS
    ]
    deliver(settings.data, jobs)
    return some_marts(settings, "spend_daily", "tie_out", "pools")


@pytest.fixture(scope="module")
def truth(marts: Marts) -> Iterator[dict[str, float]]:
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE jobs (workload TEXT, run TEXT, since TEXT, until TEXT, chips INT)"
        )
        con.executemany("INSERT INTO jobs VALUES (?, ?, ?, ?, ?)", JOBS)
        rows = con.execute(TRUTH, {"bill": str(marts.settings.home / "bill.csv")}).fetchall()
        yield dict(rows)


def test_what_lies_beside_machines_is_their_owners(marts: Marts, truth: dict[str, float]) -> None:
    rows = marts.rows(
        "SELECT run, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE component <> 'accelerator' AND run IS NOT NULL GROUP BY run ORDER BY run"
    )
    found = {row["run"]: float(row["cost"]) for row in rows}
    assert found == pytest.approx(truth, abs=1e-6)


def test_every_cent_has_its_place_and_a_volume_of_nobody_stays_other(marts: Marts) -> None:
    sums = marts.row(
        "SELECT sum(other) AS other, sum(abs(remainder)) AS off, sum(bill_total) AS total "
        "FROM tie_out WHERE basis = 'effective'"
    )
    assert (sums["other"], sums["off"]) == (5, 0)
    (spent,) = marts.rows("SELECT sum(effective_cost) AS cost FROM spend_daily")
    assert spent["cost"] == sums["total"]


def test_they_keep_their_component_and_are_no_part_of_the_pool(marts: Marts) -> None:
    days = marts.rows(
        "SELECT day(date) AS day, component, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE run = 'c' AND attribution = 'direct' GROUP BY ALL ORDER BY ALL"
    )
    volume = {day: sum(D(f"0.{n + 11}") for n in range(24 * day - 24, 24 * day)) for day in (2, 3)}
    traffic = 24 * D("0.017")
    assert [tuple(row.values()) for row in days] == [
        (2, "accelerator", 480), (2, "network", traffic), (2, "storage", volume[2]),
        (3, "accelerator", 5), (3, "network", traffic), (3, "storage", volume[3]),
    ]  # fmt: skip
    assert marts.rows("SELECT cluster, instance_type, cost FROM pools") == [
        {"cluster": "hpc", "instance_type": "trn1.32xlarge", "cost": 480 * DAYS}
    ]


def test_a_fee_for_each_hour_of_a_machine_follows_its_owners_and_is_no_time_of_it(
    tmp_path: Path,
) -> None:
    """EMR asks it under EC2's usage type: $5 beside $20, of the instance or of EMR's cluster."""
    world = World(tmp_path)
    emr = "arn:aws:elasticmapreduce:us-east-1:999900000001:cluster/j-1"
    for hour in (10, 11):
        at, kind = f"2025-09-01T{hour}:00:00", "p4d.24xlarge"
        for name in ("i-1", "i-2"):
            world.hours(at, 1, kind, 20, TAG, ResourceId=name, ServiceName="Amazon EC2")
        for name in ("i-1", emr):
            service = "Amazon Elastic MapReduce"
            world.hours(at, 1, kind, 5, TAG, ResourceId=name, ServiceName=service)
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled()
    jobs = [
        held(
            "2025-09-01T10:00:00", "2025-09-01T12:00:00", resource=name, accelerators=8,
            instance_type="p4d.24xlarge", workload="atlas-7b", run=run, job=run,
        )
        for name, run in (("i-1", "a"), ("i-2", "b"))
    ]  # fmt: skip
    deliver(settings.data, jobs)
    marts = some_marts(settings, "spend_daily")
    rows = marts.rows(
        "SELECT run, attribution, component, sum(effective_cost) AS cost, "
        "sum(instance_hours) AS hours FROM spend_daily WHERE date = '2025-09-01' "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("a", "direct", "accelerator", 40, 2), ("a", "direct", "other", 10, None),
        ("a", "shared", "other", 5, None),
        ("b", "direct", "accelerator", 40, 2), ("b", "shared", "other", 5, None),
    ]  # fmt: skip


def test_the_volume_of_a_sagemaker_job_is_its_runs_as_its_instances_are(tmp_path: Path) -> None:
    world = World(tmp_path)
    arn = "arn:aws:sagemaker:us-east-1:999900000001:training-job/s-1"
    other = "arn:aws:sagemaker:us-east-1:999900000001:notebook-instance/n-1"
    disk = {"x_UsageType": "USE1-Train:VolumeUsage.gp2", "ConsumedUnit": "GB-Mo"}
    hour = "2025-09-01T10:00:00"
    world.charge(
        hour, 60, ResourceId=arn, x_UsageType="USE1-Train:ml.trn1.32xlarge",
        ConsumedQuantity=2, ConsumedUnit="Hours",
    )  # fmt: skip
    world.charge(hour, "0.83", ResourceId=arn, **disk)
    world.charge(hour, "0.17", ResourceId=other, x_UsageType="USE1-Notebk:VolumeUsage.gp2")
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled()
    job = held(
        hour, "2025-09-01T11:00:00", cluster="SageMaker", resource=arn, share="1",
        instance_type="ml.trn1.32xlarge", workload="atlas-7b", run="s", job=arn,
    )  # fmt: skip
    deliver(settings.data, [job], source="sagemaker_jobs")
    marts = some_marts(settings, "spend_daily")
    rows = marts.rows(
        "SELECT run, attribution, component, effective_cost AS cost FROM spend_daily "
        "WHERE effective_cost <> 0 ORDER BY cost DESC"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("s", "direct", "accelerator", 60),
        ("s", "direct", "storage", D("0.83")),
        (None, "other", "storage", D("0.17")),
    ]
