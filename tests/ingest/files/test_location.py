"""Where a `location` points to: S3, a path beside the config, or nowhere that can be read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.files.copying import copy_files
from ingest.files.folder import Folder, describe_location
from ingest.files.location import FileOptions, open_store
from ingest.files.store import TABLES, FileEntry, select_readable
from models.config.loading import validated_settings
from models.contract.errors import ConfigError, InputError
from models.raw.delivery_key import Key
from models.raw.zone import RawZone


def opened(location: str, home: Path) -> str:
    return open_store(FileOptions(location=location), validated_settings({}, home=home)).location


def test_a_path_is_relative_to_the_config_and_s3_has_no_slash_at_its_end(tmp_path: Path) -> None:
    assert opened("bills/*.csv", tmp_path) == str(tmp_path / "bills/*.csv")
    assert opened("/bills", tmp_path) == "/bills"
    assert opened("s3://bills/exports//", tmp_path) == "s3://bills/exports"


@pytest.mark.parametrize("location", [".", "data", ".."])
def test_a_location_that_holds_the_warehouse_is_refused(tmp_path: Path, location: str) -> None:
    """Else each pull would deliver what the pull before it wrote."""
    with pytest.raises(ConfigError) as refused:
        opened(location, tmp_path)
    assert str(refused.value) == (
        f"this location holds the warehouse itself: {location} "
        "(put the files into a folder of their own)"
    )


def test_an_address_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        opened("https://bills.example/a.csv", tmp_path)
    assert str(refused.value) == (
        "unknown location: https://bills.example/a.csv (s3://bucket/prefix or a path)"
    )


def test_two_stars_that_are_no_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        opened("logs/**.csv", tmp_path)
    assert str(refused.value) == (
        "** stands for whole folders: logs/**.csv (write it as in logs/**/*.csv)"
    )
    (tmp_path / "a**.csv").write_text("x")
    assert opened("a**.csv", tmp_path) == str(tmp_path / "a**.csv")


@pytest.mark.parametrize("location", ["s3://", "s3:///", "s3:///exports"])
def test_a_location_in_s3_without_a_bucket_is_refused(tmp_path: Path, location: str) -> None:
    with pytest.raises(ConfigError) as refused:
        opened(location, tmp_path)
    assert str(refused.value) == f"no bucket in location: {location} (s3://bucket/prefix)"


def test_a_location_that_does_not_exist_is_called_so_but_a_glob_is_not(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    assert describe_location(Folder(missing)) == f"{missing}, which does not exist"
    assert describe_location(Folder(tmp_path)) == str(tmp_path)
    assert describe_location(Folder(tmp_path / "*.csv")) == str(tmp_path / "*.csv")


def test_a_file_that_goes_away_meanwhile_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    entry = FileEntry("a.csv", str(path), 1, datetime(2026, 10, 31, tzinfo=UTC))
    for read in (Folder(tmp_path).read, Folder(tmp_path).fingerprint):
        with pytest.raises(InputError) as refused:
            read(entry)
        assert str(refused.value) == (
            f"cannot read {path}: No such file or directory (check the file, run again)"
        )


def test_a_spreadsheet_among_the_files_is_refused_and_a_note_is_left_out(tmp_path: Path) -> None:
    for name in ("a.csv", "note.txt", "b.XLSX"):
        (tmp_path / name).write_text("x")
    entries = {entry.path: entry for entry in Folder(tmp_path).entries()}
    readable = [entries["a.csv"], entries["note.txt"]]
    assert select_readable(readable, (".csv",)) == readable[:1]
    with pytest.raises(InputError) as refused:
        select_readable(entries.values(), (".csv", ".parquet"))
    assert str(refused.value) == (
        f"cannot read this kind of file: {tmp_path}/b.XLSX (deliver one of .csv, .parquet)"
    )


@pytest.mark.parametrize("name", ["a.csv.zst", "A.CSV.BZ2", "a.parquet.gz", "a.tsv.gz", "a.xls"])
def test_data_compressed_in_a_way_that_is_not_read_is_refused(tmp_path: Path, name: str) -> None:
    for path in (name, "a.csv.gz", "note.txt.gz"):
        (tmp_path / path).write_text("x")
    with pytest.raises(InputError, match=f"cannot read this kind of file: .*/{name}"):
        select_readable(Folder(tmp_path).entries(), TABLES)
    (tmp_path / name).unlink()
    readable = select_readable(Folder(tmp_path).entries(), TABLES)
    assert [entry.path for entry in readable] == ["a.csv.gz"]


def test_an_unchanged_file_is_linked_and_a_changed_one_is_copied_anew(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name in ("a.csv", "b.csv"):
        (source / name).write_text(f"n\n{name}\n")
    zone, key, inodes = RawZone(tmp_path / "raw"), Key("bill", "in", "all"), []
    for text in ("n\nb.csv\n", "n\nother\n"):
        (source / "b.csv").write_text(text)
        with zone.staging(key) as staging:
            copy_files(Folder(source), Folder(source).entries(), staging)
            delivered = staging.seal("focus")
        inodes.append([path.stat().st_ino for path in delivered.paths])
    first, second = inodes
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_a_copy_of_a_file_counts_once_where_that_is_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name, text in (("a.csv", "n\n1\n"), ("b.csv", "n\n2\n"), ("c.csv", "n\n1\n")):
        (source / name).write_text(text)
    entries = Folder(source).entries()
    with RawZone(tmp_path / "raw").staging(Key("bill", "in", "all")) as staging:
        left_out = copy_files(Folder(source), entries, staging, once=True)
        assert left_out == [(f"{source}/a.csv", f"{source}/c.csv")]
        assert [Path(file.origin).name for file in staging.files] == ["a.csv", "b.csv"]


def test_a_name_too_long_for_any_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*xxx: File name too long"):
        Folder(tmp_path / ("x" * 300)).entries()
