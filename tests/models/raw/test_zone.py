"""The raw zone: written once, newest complete delivery live."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.contract.errors import InputError, StorageError
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.marker import MARKER
from models.raw.zone import RawZone

KEY = Key("focus", "export", "2026-09")


@pytest.fixture
def zone(tmp_path: Path) -> RawZone:
    return RawZone(tmp_path / "raw")


def deliver(zone: RawZone, *values: int, key: Key = KEY, append: bool = False) -> Delivery:
    """One file per value."""
    with zone.staging(key) as staging:
        for value in values:
            pq.write_table(pa.table({"x": [value]}), staging.next_path)
            staging.add(staging.next_path, origin=f"s3://b/{value}", etag=str(value))
        return staging.seal("focus", append=append, totals={"a/b": {"BilledCost": "1.5"}})


def test_what_was_sealed_is_read_back_the_same(zone: RawZone) -> None:
    sealed = deliver(zone, 1, 2)
    (found,) = zone.deliveries()
    assert found == sealed
    assert (found.rows, len(found.paths), found.present) == (2, 2, True)
    assert found.pulled_at.tzinfo == UTC


def test_an_empty_zone_holds_nothing(zone: RawZone) -> None:
    assert zone.deliveries() == zone.live() == []
    assert zone.current(KEY) is None


def test_the_newest_of_a_key_is_live(zone: RawZone) -> None:
    deliver(zone, 1)
    newest = deliver(zone, 2)
    other = deliver(zone, 3, key=Key("focus", "export", "2026-10"))
    assert zone.live() == [newest, other]
    assert zone.current(KEY) == newest
    assert zone.live("progress") == []


def test_appended_deliveries_all_stay_live_but_not_twice(zone: RawZone) -> None:
    for value in (1, 2, 1):
        deliver(zone, value, append=True)
    assert [pq.read_table(d.paths[0])["x"].to_pylist() for d in zone.live()] == [[2], [1]]


def test_what_replaces_takes_what_was_appended_before_it_with_it(zone: RawZone) -> None:
    for value in (1, 2):
        deliver(zone, value, append=True)
    with zone.staging(KEY) as staging:
        pq.write_table(pa.table({"x": [2]}), staging.next_path)
        staging.add(staging.next_path)
        assert staging.unchanged() is None  # those before it would stay live
        newest = staging.seal("prices")
    assert zone.live() == [newest]


def test_the_newest_wins_even_when_the_clock_went_back(zone: RawZone) -> None:
    first = deliver(zone, 1)
    marker = first.folder / MARKER
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    marker.write_text(marker.read_text().replace(first.pulled_at.isoformat(), tomorrow))
    second = deliver(zone, 2)
    assert zone.current(KEY) == second


def test_what_was_not_sealed_leaves_no_trace(zone: RawZone) -> None:
    with suppress(ZeroDivisionError), zone.staging(KEY) as staging:
        staging.next_path.write_bytes(b"half")
        raise ZeroDivisionError
    assert zone.deliveries() == []
    assert not [path for path in zone.root.rglob("*") if path.is_file()]


def test_a_damaged_parquet_file_is_refused_with_its_origin(zone: RawZone) -> None:
    with zone.staging(KEY) as staging:
        path = staging.next_path
        path.write_bytes(b"PAR1 and then nothing")
        with pytest.raises(InputError, match="s3://b/x is not a whole Parquet file"):
            staging.add(path, origin="s3://b/x")


def test_the_same_bytes_are_unchanged_whatever_the_files_are_called(zone: RawZone) -> None:
    first = deliver(zone, 1, 2)
    with zone.staging(KEY) as staging:
        for value in (2, 1):
            pq.write_table(pa.table({"x": [value]}), staging.next_path)
            staging.add(staging.next_path)
        assert staging.unchanged() == first


def test_what_is_only_in_the_past_is_not_unchanged(zone: RawZone) -> None:
    for append in (False, True):
        key = Key("focus", "export", f"{append}")
        past = deliver(zone, 1, key=key, append=append)
        deliver(zone, 2, key=key, append=append)
        with zone.staging(key) as staging:
            pq.write_table(pa.table({"x": [1]}), staging.next_path)
            staging.add(staging.next_path)
            assert staging.unchanged(append=append) == (past if append else None)


def test_bytes_that_were_replaced_are_new_when_they_are_appended_again(zone: RawZone) -> None:
    deliver(zone, 1, append=True)
    deliver(zone, 2)
    with zone.staging(KEY) as staging:
        pq.write_table(pa.table({"x": [1]}), staging.next_path)
        staging.add(staging.next_path)
        assert staging.unchanged(append=True) is None


def test_a_known_file_is_used_again_without_its_bytes(zone: RawZone) -> None:
    first = deliver(zone, 1)
    with zone.staging(KEY) as staging:
        assert staging.known("s3://b/1", "other") is None
        known = staging.known("s3://b/1", "1")
        assert known
        staging.reuse(*known)
        assert staging.fresh == ()
        assert staging.unchanged() == first
        staging.seal("focus")
    again = zone.current(KEY)
    assert again
    assert again.paths[0].stat().st_ino == first.paths[0].stat().st_ino
    assert again.files[0].etag == "1"


def test_a_file_that_moved_is_known_by_its_version_and_called_by_its_new_place(
    zone: RawZone,
) -> None:
    first = deliver(zone, 1)
    with zone.staging(KEY) as staging:
        assert staging.known("s3://moved/1", "1") is None
        assert staging.known("s3://moved/1", "other", moved=True) is None
        known = staging.known("s3://moved/1", "1", moved=True)
        assert known
        assert staging.reuse(*known).origin == "s3://moved/1"
        assert staging.unchanged() == first


def test_a_file_that_is_gone_is_neither_known_nor_unchanged(zone: RawZone) -> None:
    deliver(zone, 1).paths[0].unlink()
    with zone.staging(KEY) as staging:
        assert staging.known("s3://b/1", "1") is None
        pq.write_table(pa.table({"x": [1]}), staging.next_path)
        staging.add(staging.next_path)
        assert staging.unchanged() is None


def test_any_name_is_a_folder_below_the_zone(zone: RawZone) -> None:
    names = ["..", ".hidden", "a/b", "", "x" * 400, "x" * 399 + "y", "é ü", "s3://b/k?*", "%2E."]
    sealed = [deliver(zone, 1, key=Key("focus", name, "all")) for name in names]
    assert {d.key.unit for d in zone.live()} == set(names)
    assert all(d.folder.is_relative_to(zone.root / "focus") for d in sealed)
    assert all(zone.current(d.key) == d for d in sealed)


def test_superseded_files_go_and_their_markers_stay(zone: RawZone) -> None:
    first, second, third = (deliver(zone, value) for value in (1, 2, 3))
    zone.sweep(timedelta(days=1))
    assert (first.present, second.present) == (True, True)
    zone.sweep(timedelta(0), spare=[second.id])
    assert [d.present for d in (first, second, third)] == [False, True, True]
    assert len(zone.deliveries()) == 3


def test_a_sweep_counts_from_when_a_delivery_was_superseded(zone: RawZone) -> None:
    first, second, third = (deliver(zone, value) for value in (1, 2, 3))
    for delivery, age in ((first, 9), (second, 8)):
        marker = delivery.folder / MARKER
        past = (delivery.pulled_at - timedelta(days=age)).isoformat()
        marker.write_text(marker.read_text().replace(delivery.pulled_at.isoformat(), past))
    zone.sweep(timedelta(days=7))
    assert [d.present for d in (first, second, third)] == [False, True, True]


def test_a_sweep_never_touches_what_is_appended(zone: RawZone) -> None:
    found = [deliver(zone, value, append=True) for value in (1, 2)]
    zone.sweep(timedelta(0))
    assert all(delivery.present for delivery in found)


def test_a_folder_without_its_marker_does_not_exist_and_is_swept(zone: RawZone) -> None:
    torn = deliver(zone, 1)
    (torn.folder / MARKER).unlink()
    assert zone.deliveries() == []
    zone.sweep(timedelta(days=1))
    assert not torn.folder.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": {}}'])
def test_a_damaged_marker_is_named(zone: RawZone, text: str) -> None:
    marker = deliver(zone, 1).folder / MARKER
    marker.write_text(text)
    with pytest.raises(StorageError, match=f"cannot read {marker}"):
        zone.live()
