"""Intervals of many days are read by one query, and each is cut to the day of its file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.config.loading import validated_settings
from models.engine.allocations import held_intervals
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.some_marts import some_marts
from tests.support.world import World

NIGHT = {
    "cluster": "hpc",
    "resource": "i-1",
    "held_from": "2026-09-01T23:00:00Z",
    "held_to": "2026-09-02T01:00:00Z",
}
SEEN = {
    "cluster": "hpc",
    "resource": "i-1",
    "held_from": "2026-09-02T05:00:00Z",
    "observed_at": "2026-09-02T06:00:00Z",
    "job": "7",
}


def deliver(
    zone: RawZone,
    day: str,
    *files: list[Mapping[str, str | None]],
    unit: str = "hpc",
    pulled_at: datetime | None = None,
) -> None:
    with zone.staging(Key("slurm", unit, day)) as staging:
        staging.pulled_at = pulled_at or staging.pulled_at
        for rows in files:
            path = staging.next_path
            pq.write_table(pa.Table.from_pylist(rows), path)
            staging.add(path)
        staging.seal("observed_allocations")


def test_files_of_several_days_and_columns_are_read_together_and_cut_apart(tmp_path: Path) -> None:
    zone = RawZone(tmp_path / "raw")
    deliver(zone, "2026-09-01", [NIGHT])
    deliver(zone, "2026-09-02", [NIGHT], [NIGHT], [SEEN])
    with connection.in_memory() as backend:
        settings = validated_settings({}, home=tmp_path)
        context = BuildContext.reading(settings, backend, live=zone.live())
        delivered_files.create_view(context, "progress", [])
        held_intervals.read_days(context, {"2026-09-01", "2026-09-02"})
        times = "strftime(began, '%d %H'), strftime(ended, '%d %H'), starts, ends, job"
        query = f"SELECT strftime(date, '%d'), {times} FROM held_intervals ORDER BY ALL"
        assert backend.con.execute(query).fetchall() == [
            ("01", "01 23", "02 00", True, False, None),
            ("02", "02 00", "02 01", False, True, None),
            ("02", "02 05", "02 06", True, False, "7"),
        ]


def test_a_job_that_another_file_saw_end_is_held_once_until_then(tmp_path: Path) -> None:
    """The first file saw it at six, the second at eight, the third its end at seven past nine."""
    zone = RawZone(tmp_path / "raw")
    eight = SEEN | {"observed_at": "2026-09-02T08:00:00Z"}
    ended = SEEN | {"observed_at": "2026-09-02T10:00:00Z", "held_to": "2026-09-02T09:07:00Z"}
    other = SEEN | {"resource": "i-2"}
    pool = {name: value for name, value in SEEN.items() if name != "resource"}
    pools = [
        pool | {"instance_type": "p4d.24xlarge", "held_to": "2026-09-02T05:30:00Z"},
        pool | {"instance_type": "trn1.32xlarge", "held_to": None},
    ]
    deliver(zone, "2026-09-02", [SEEN, other], [eight], [ended], pools)
    with connection.in_memory() as backend:
        settings = validated_settings({}, home=tmp_path)
        context = BuildContext.reading(settings, backend, live=zone.live())
        delivered_files.create_view(context, "progress", [])
        held_intervals.read_days(context, {"2026-09-02"})
        found = backend.con.execute(
            "SELECT coalesce(resource, instance_type), strftime(ended, '%H:%M') "
            "FROM held_intervals ORDER BY 1"
        ).fetchall()
    assert found == [
        ("i-1", "09:07"),
        ("i-2", "06:00"),
        ("p4d.24xlarge", "05:30"),
        ("trn1.32xlarge", "06:00"),
    ]


def test_a_job_without_an_end_is_held_until_its_own_cluster_was_pulled(tmp_path: Path) -> None:
    """The other cluster tells nothing more after six o'clock."""
    zone = RawZone(tmp_path / "raw")
    for unit, hour in (("gone", 6), ("hpc", 20)):
        job = {"cluster": unit, "resource": f"i-{unit}", "held_from": "2026-09-02T05:00:00Z"}
        deliver(
            zone, "2026-09-02", [job], unit=unit, pulled_at=datetime(2026, 9, 2, hour, tzinfo=UTC)
        )
    with connection.in_memory() as backend:
        settings = validated_settings({}, home=tmp_path)
        context = BuildContext.reading(settings, backend, live=zone.live())
        delivered_files.create_view(context, "progress", [])
        held_intervals.read_days(context, {"2026-09-02"})
        query = "SELECT cluster, strftime(ended, '%H:%M') FROM held_intervals ORDER BY 1"
        assert backend.con.execute(query).fetchall() == [("gone", "06:00"), ("hpc", "20:00")]


def test_the_same_bytes_of_a_day_that_are_seen_later_are_read_again(tmp_path: Path) -> None:
    """At six the job without an end had held an hour of $16; the next day, both hours."""
    world, costs = World(tmp_path), list[tuple[Decimal, bool]]()
    for hour in (5, 6):
        world.hours(f"2025-09-02T0{hour}:00:00", 1, "trn1.32xlarge", 16, {}, ResourceId="i-1")
    world.hours("2025-09-09T05:00:00", 1, "trn1.32xlarge", 16, {"workload": "other", "run": "o"})
    job = {"cluster": "hpc", "resource": "i-1", "held_from": "2025-09-02T05:00:00Z"}
    owner = {"workload": "atlas-7b", "run": "r"}
    data = world.pulled().data
    for seen in (datetime(2025, 9, 2, 6, tzinfo=UTC), datetime(2025, 9, 3, 6, tzinfo=UTC)):
        deliver(RawZone(data / "raw"), "2025-09-02", [job | owner], pulled_at=seen)
        marts = some_marts(world.settings(), "spend_daily")
        (row,) = marts.rows("SELECT effective_cost, settled FROM spend_daily WHERE run = 'r'")
        costs.append((row["effective_cost"], row["settled"]))
    assert costs == [(Decimal(16), False), (Decimal(32), True)]


@pytest.mark.parametrize("unit", ["{}/hpc", "{}-eu-west-1/hpc"])
def test_a_rule_for_an_account_names_the_jobs_of_its_deliveries(tmp_path: Path, unit: str) -> None:
    """Kubernetes, HyperPod and Slurm know no account: that of their source is in the key alone."""
    zone = RawZone(tmp_path / "raw")
    for account in ("111111111111", "222222222222"):
        deliver(zone, "2026-09-02", [SEEN | {"job": account}], unit=unit.format(account))
    rule = {"match": {"account": "1111*", "resource": "i-*"}, "workload": "atlas-7b"}
    with connection.in_memory() as backend:
        settings = validated_settings({"tag_rules": [rule]}, home=tmp_path)
        context = BuildContext.reading(settings, backend, live=zone.live())
        delivered_files.create_view(context, "progress", [])
        held_intervals.read_days(context, {"2026-09-02"})
        query = "SELECT account, job, workload FROM held_intervals ORDER BY 1"
        assert backend.con.execute(query).fetchall() == [
            ("111111111111", "111111111111", "atlas-7b"),
            ("222222222222", "222222222222", None),
        ]
