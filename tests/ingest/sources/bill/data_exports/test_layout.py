"""Which files are the bill, from their names alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingest.files.store import FileEntry
from ingest.sources.bill.data_exports import layout
from models.contract.errors import InputError

NOON = datetime(2026, 10, 31, 12, tzinfo=UTC)


def parts(*paths: str, location: str = "s3://bills/exports") -> dict[tuple[str, str], list[str]]:
    items = [FileEntry(path, f"s3://bills/exports/{path}", 1, NOON) for path in paths]
    return {
        (part.unit, part.period): [item.path for item in part.entries]
        or [part.manifest.path if part.manifest else ""]
        for part in layout.export_parts(location, items)
    }


def test_the_manifest_of_the_month_stands_before_those_of_its_executions() -> None:
    folder = "x/metadata/BILLING_PERIOD=2026-09"
    of_month = f"{folder}/x-Manifest.json"
    for paths in (
        (of_month, f"{folder}/zz/x-Manifest.json"),
        (f"{folder}/aa/x-Manifest.json", of_month),
    ):
        assert parts(*paths) == {("x", "2026-09"): [of_month]}


def test_an_export_that_now_keeps_its_executions_has_left_the_manifest_of_the_month_behind() -> (
    None
):
    folder = "x/metadata/BILLING_PERIOD=2026-09"
    minutes = {
        "x-Manifest.json": 0,
        "2026-09-20T01/x-Manifest.json": 60,
        "2026-09-21T01/x-Manifest.json": 50,
    }

    def read(moved: dict[str, int]) -> list[str]:
        items = [
            FileEntry(f"{folder}/{path}", path, 1, NOON + timedelta(minutes=late))
            for path, late in moved.items()
        ]
        return [part.manifest.uri for part in layout.export_parts("x", items) if part.manifest]

    assert read(minutes) == ["2026-09-21T01/x-Manifest.json"]
    assert read({**minutes, "x-Manifest.json": 90}) == ["x-Manifest.json"]
    assert read({**minutes, "x-Manifest.json": 49}) == ["x-Manifest.json"]


def test_an_export_at_the_location_itself_has_its_last_name() -> None:
    found = parts("metadata/billing_period=2026-09/x-Manifest.json", location="s3://bills/a/x")
    assert list(found) == [("x", "2026-09")]


def test_beside_manifests_a_month_without_and_loose_files_are_left_out() -> None:
    manifest = "x/metadata/BILLING_PERIOD=2026-09/x-Manifest.json"
    stale = "x/data/BILLING_PERIOD=2026-09/old.parquet"
    copied = "copy/BILLING_PERIOD=2026-09/a.csv"
    later = "x/data/BILLING_PERIOD=2026-10/a.parquet"
    paths = (manifest, stale, "stray.csv", "notes.zip", copied, later)
    assert list(parts(*paths)) == [("x", "2026-09")]
    items = [FileEntry(path, path, 1, NOON) for path in paths]
    assert [(part.unit, part.period) for part in layout.left_out("s3://bills/exports", items)] == [
        ("copy", "2026-09"),
        ("exports", "all"),
        ("x", "2026-10"),
    ]


def test_without_manifests_the_data_folders_are_the_months() -> None:
    found = parts("x/data/BILLING_PERIOD=2026-09/a.parquet", "y/billing_period=2026-09/b.csv")
    assert list(found) == [("x", "2026-09"), ("y", "2026-09")]


def test_a_month_that_is_none_is_no_month() -> None:
    assert list(parts("x/BILLING_PERIOD=2026-13/a.csv")) == [("exports", "all")]


def test_only_the_newest_execution_counts_without_a_manifest() -> None:
    month = "x/data/BILLING_PERIOD=2026-09"
    newest = [f"{month}/2026-09-03T06:00:00.000Z-bb/{name}.csv" for name in "ab"]
    assert parts(f"{month}/2026-09-02T06:00:00.000Z-aa/a.csv", *newest) == {
        ("x", "2026-09"): newest
    }


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(InputError, match="no export found: s3://bills/exports"):
        parts("README.md")
