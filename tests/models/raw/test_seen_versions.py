"""A newer version of the same content is recorded beside the delivery, which stays as it was."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.raw import staging as staging_module
from models.raw.delivery import Delivery, File
from models.raw.delivery_key import Key
from models.raw.marker import MARKER
from models.raw.seen_versions import VERSIONS, last_seen
from models.raw.zone import RawZone

KEY = Key("logs", "a.jsonl", "all")


@pytest.fixture
def zone(tmp_path: Path) -> RawZone:
    return RawZone(tmp_path / "raw")


def deliver(zone: RawZone, *versions: str, origin: str = "a.jsonl") -> Delivery:
    """Delivers a file per version, whose rows are its number; equal ones are confirmed."""
    with zone.staging(KEY) as staging:
        for number, version in enumerate(versions):
            pq.write_table(pa.table({"x": [number]}), staging.next_path)
            staging.add(staging.next_path, origin=origin, etag=version)
        if same := staging.unchanged():
            staging.confirm(same)
            return same
        return staging.seal("progress")


def known(zone: RawZone, version: str) -> bool:
    with zone.staging(KEY) as staging:
        return staging.known("a.jsonl", version) is not None


def test_a_newer_version_of_the_same_rows_is_known_the_next_time(zone: RawZone) -> None:
    first = deliver(zone, "v1", "w1")
    marker = (first.folder / MARKER).read_bytes()
    deliver(zone, "v2", "w1")
    assert [known(zone, version) for version in ("v1", "v2", "w1")] == [False, True, True]
    assert [file.etag for file in last_seen(first)] == ["v2", "w1"]
    assert zone.deliveries() == [first]
    assert (first.folder / MARKER).read_bytes() == marker


def test_a_version_that_is_known_is_not_recorded_again(zone: RawZone) -> None:
    recorded = deliver(zone, "v1").folder / VERSIONS
    deliver(zone, "v1")
    assert not recorded.exists()
    for _ in range(2):
        deliver(zone, "v2")
    assert len(recorded.read_bytes().splitlines()) == 1


def test_files_without_versions_are_not_recorded(zone: RawZone) -> None:
    first = deliver(zone, "", origin="a")
    deliver(zone, "", origin="b")
    assert not (first.folder / VERSIONS).exists()


def test_what_was_seen_since_a_time_can_be_left_out(zone: RawZone) -> None:
    first = deliver(zone, "v1")
    deliver(zone, "v2")
    assert last_seen(first, before=first.pulled_at)[0].etag == "v1"
    assert last_seen(first, before=first.pulled_at + timedelta(minutes=1))[0].etag == "v2"


def test_a_line_that_a_crash_cut_off_is_recorded_once_more(zone: RawZone) -> None:
    recorded = deliver(zone, "v1").folder / VERSIONS
    deliver(zone, "v2")
    recorded.write_bytes(recorded.read_bytes()[:-20])
    assert [known(zone, version) for version in ("v1", "v2")] == [True, False]
    deliver(zone, "v3")
    assert known(zone, "v3")


def test_the_versions_of_many_files_are_read_once(
    zone: RawZone, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(zone, "v1", "w1")
    read: list[Delivery] = []

    def counted(live: Delivery) -> tuple[File, ...]:
        read.append(live)
        return live.files

    monkeypatch.setattr(staging_module, "last_seen", counted)
    with zone.staging(KEY) as staging:
        known = [staging.known("a.jsonl", version) for version in ("v1", "w1", "x1")]
    assert [found is not None for found in known] == [True, True, False]
    assert len(read) == 1
