"""Which files a manifest makes the bill, wherever the export was copied to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from time import time

import pytest

from ingest.files.folder import Folder
from ingest.sources.bill.data_exports.layout import data_files, export_parts
from models.contract.errors import InputError

DATA = "x/data/BILLING_PERIOD=2026-09/x-00001.csv"
MANIFEST = "x/metadata/BILLING_PERIOD=2026-09/x-Manifest.json"
HOUR = 3600


def laid(root: Path, manifest: object, *, data_age: float = 2 * HOUR, age: float = HOUR) -> None:
    """An export of one file and its manifest, each written some seconds ago."""
    for path, text, ago in ((DATA, "a\n1\n", data_age), (MANIFEST, json.dumps(manifest), age)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        os.utime(root / path, (time() - ago, time() - ago))


def read(root: Path) -> list[str]:
    entries = Folder(root).entries()
    (part,) = export_parts(str(root), entries)
    by_path = {entry.path.lower(): entry for entry in entries}
    return [entry.path for entry in data_files(Folder(root), part, by_path, [])]


@pytest.mark.parametrize(
    "name",
    [f"s3://bills/exports/{DATA}", f"elsewhere/{DATA}", "data/billing_period=2026-09/x-00001.CSV"],
)
def test_a_file_is_found_below_its_export_by_the_end_of_its_name(tmp_path: Path, name: str) -> None:
    laid(tmp_path, {"dataFiles": [name]})
    (tmp_path / DATA).with_name("x-00002.csv").write_text("left by an earlier delivery")
    assert read(tmp_path) == [DATA]


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    laid(tmp_path, {"dataFiles": [f"s3://bills/exports/{DATA}", DATA, DATA.upper()]})
    assert read(tmp_path) == [DATA]


def test_a_manifest_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    laid(tmp_path, {})
    (tmp_path / MANIFEST).write_text("[" * 100_000)
    with pytest.raises(InputError, match="this manifest lists no dataFiles"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "line"),
    [
        (
            {"dataFiles": []},
            "this manifest names no file: the export is empty: {manifest} "
            "(wait for AWS to deliver, at most a day)",
        ),
        *(
            (
                damaged,
                "this manifest lists no dataFiles: {manifest} "
                "(deliver the export again, or remove the file)",
            )
            for damaged in ({}, [], {"dataFiles": "a"}, {"dataFiles": [1]}, None)
        ),
        (
            {"dataFiles": ["s3://b/x/data/BILLING_PERIOD=2026-09/x-00002.csv"]},
            "{manifest} names a file that does not exist: "
            "s3://b/x/data/BILLING_PERIOD=2026-09/x-00002.csv "
            "(the delivery may be under way: run again later; the last good state stays)",
        ),
    ],
)
def test_a_manifest_that_names_no_bill_is_refused(
    tmp_path: Path, manifest: object, line: str
) -> None:
    laid(tmp_path, manifest)
    with pytest.raises(InputError) as refused:
        read(tmp_path)
    assert str(refused.value) == line.format(manifest=tmp_path / MANIFEST)


@pytest.mark.parametrize(
    ("data_age", "age", "under_way"),
    [(60, 600, True), (60, 90, False), (2 * HOUR, 9 * HOUR, False), (600, 60, False)],
)
def test_data_newer_than_its_manifest_is_waited_for_an_hour(
    tmp_path: Path, data_age: float, age: float, under_way: bool
) -> None:
    """A minute apart is one write; data older than an hour was copied in another order."""
    laid(tmp_path, {"dataFiles": [DATA]}, data_age=data_age, age=age)
    if not under_way:
        assert read(tmp_path) == [DATA]
        return
    with pytest.raises(InputError, match="a delivery is under way: data is newer than its mani"):
        read(tmp_path)
