"""Progress that somebody writes down."""

from __future__ import annotations

import errno
import gzip
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError, InputError
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.raw import atomic_files
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured

HEAD = "observed_at,workload,run,epoch\n"
LINE = "2026-09-01T00:00:00Z,atlas-7b,atlas-t7,1.50\n"


def values(settings: Settings, column: str = "epoch") -> list[Any]:
    live = RawZone(settings.data / "raw").live("progress")
    tables = [pq.read_table(path) for delivery in live for path in delivery.paths]
    return [value for table in tables for value in table[column].to_pylist()]


def units(settings: Settings) -> list[str]:
    return [d.key.unit for d in RawZone(settings.data / "raw").live("progress")]


def said(settings: Settings) -> str:
    with pytest.raises(BreakevenError) as caught:
        pull(settings).raise_failures()
    return str(caught.value)


def test_a_csv_is_kept_as_text(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "epochs.csv").write_text(HEAD + LINE)
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    pull(settings).raise_failures()
    assert values(settings) == ["1.50"]
    assert units(settings) == ["epochs.csv"]


@pytest.mark.parametrize("name", ["run=x.csv", "run=x.jsonl", "run=x.parquet"])
def test_a_name_with_an_equals_sign_is_no_column(
    configured: Configured, tmp_path: Path, name: str
) -> None:
    """DuckDB takes `run=x` in a path for a column, in place of the one in the file."""
    row = {"observed_at": "2026-09-01", "workload": "w", "run": "r", "epoch": "2.5"}
    texts = {".csv": f"{','.join(row)}\n{','.join(row.values())}\n", ".jsonl": json.dumps(row)}
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / name)
    else:
        (tmp_path / name).write_text(texts[Path(name).suffix])
    settings = configured({"kind": "progress_file", "location": name})
    pull(settings).raise_failures()
    (delivery,) = RawZone(settings.data / "raw").live("progress")
    assert pq.read_table(delivery.paths[0]).to_pylist() == [row]
    with connection.in_memory() as backend:
        delivered_files.create_lines_view(backend, "lines", delivery.paths)
        read = backend.con.execute("FROM lines").fetchall()
    assert read == [tuple(row.values())]


def test_a_folder_may_mix_every_readable_kind(configured: Configured, tmp_path: Path) -> None:
    folder = tmp_path / "epochs"
    folder.mkdir()
    (folder / "a.csv").write_text(HEAD + LINE)
    (folder / "b.csv.gz").write_bytes(gzip.compress((HEAD + LINE).encode()))
    line = '{"observed_at": "2026-09-01T00:00:00Z", "workload": "w", "run": "r", "epoch": 1.50}\n'
    (folder / "c.jsonl").write_text(line)
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    table = pa.table(
        {"observed_at": ["2026-09-01"], "workload": ["w"], "run": ["r"], "epoch": [2.5]}
    )
    pq.write_table(table, folder / "e.parquet")
    settings = configured({"kind": "progress_file", "location": "epochs"})
    pull(settings).raise_failures()
    assert values(settings) == ["1.50", "1.50", "1.5", "1.5", 2.5]


def test_a_glob_brings_what_it_matches(configured: Configured, tmp_path: Path) -> None:
    for name in ("gpu", "trn"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "epochs.csv").write_text(HEAD + LINE)
        (tmp_path / name / "other.csv").write_text("a,b\n1,2\n")
    settings = configured({"kind": "progress_file", "location": "*/epochs.csv"})
    pull(settings).raise_failures()
    assert units(settings) == ["gpu/epochs.csv", "trn/epochs.csv"]


def test_a_changed_file_replaces_itself_alone(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEAD + LINE)
    (tmp_path / "b.csv").write_text(HEAD + LINE)
    entries = [{"kind": "progress_file", "location": f"{name}.csv"} for name in "ab"]
    settings = configured(*entries)
    pull(settings).raise_failures()
    (tmp_path / "b.csv").write_text(HEAD + LINE + LINE.replace("1.50", "2.00"))
    report = pull(settings)
    assert [result.new for result in report.results] == [0, 1, 0]
    assert values(settings) == ["1.50", "1.50", "2.00"]


def test_a_vanished_file_stays_live(configured: Configured, tmp_path: Path) -> None:
    path = tmp_path / "epochs.csv"
    path.write_text(HEAD + LINE)
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    pull(settings).raise_failures()
    path.unlink()
    pull(settings).raise_failures()
    assert values(settings) == ["1.50"]


def test_a_location_that_never_held_anything_is_an_error(
    configured: Configured, tmp_path: Path
) -> None:
    settings = configured({"kind": "progress_file", "location": "epochz.csv"})
    assert said(settings).startswith(
        f"progress_file: no progress file found: {tmp_path}/epochz.csv, which does not exist ("
    )
    (tmp_path / "empty").mkdir()
    settings = configured({"kind": "progress_file", "location": "empty"})
    assert said(settings).startswith(
        f"progress_file: no progress file found: {tmp_path}/empty (deliver one of "
    )


def test_a_negative_epoch_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "epochs.csv").write_text(HEAD + LINE.replace("1.50", "-1.5"))
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    assert said(settings).startswith(
        f"progress_file: {tmp_path}/epochs.csv: epoch is negative on line 2: -1.5"
    )
    assert not units(settings)


@pytest.mark.parametrize(
    ("column", "values", "value"),
    [
        ("loss", [[1.5]], "[1.5]"),
        ("loss", [datetime(2026, 9, 1, tzinfo=UTC)], "2026-09-01 00:00:00+00"),
        ("epoch", [True], "true"),
        ("epoch", [float("inf")], "inf"),
    ],
)
def test_what_is_no_number_in_parquet_is_refused(
    configured: Configured, tmp_path: Path, column: str, values: list[object], value: str
) -> None:
    line = {"observed_at": ["2026-09-01T00:00:00Z"], "workload": ["w"], "run": ["r"], "epoch": [1]}
    pq.write_table(pa.table(line | {column: values}), tmp_path / "epochs.parquet")
    settings = configured({"kind": "progress_file", "location": "epochs.parquet"})
    assert f"epochs.parquet: {column} cannot be read: {value}" in said(settings)
    assert not units(settings)


def test_an_unreadable_time_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "epochs.csv").write_text(HEAD + LINE.replace("2026-09-01T", "1 Sept "))
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    assert "1 Sept 00:00:00Z" in said(settings)


def test_a_file_that_cannot_be_read_is_named(
    configured: Configured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = atomic_files.sha256

    def broken(path: Path) -> str:
        if path.name != "epochs.csv":
            return sha256(path)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "epochs.csv").write_text("a\n")
    monkeypatch.setattr(atomic_files, "sha256", broken)
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    with pytest.raises(InputError, match=r"cannot read .*epochs.csv: Input/output error"):
        pull(settings).raise_failures()


@pytest.mark.parametrize("text", ["", "\n", "just words\n", 'a,"b\n1,2\n', "a,b\n1,2,3\n"])
def test_what_is_no_table_is_refused(configured: Configured, tmp_path: Path, text: str) -> None:
    (tmp_path / "epochs.csv").write_text(text)
    settings = configured({"kind": "progress_file", "location": "epochs.csv"})
    assert f"{tmp_path}/epochs.csv" in said(settings)
    assert "\n" not in said(settings)


@pytest.mark.parametrize("text", ["", "{", "[1]\n", '{"a": 1}\n{"a"'])
def test_what_is_no_json_line_is_refused(configured: Configured, tmp_path: Path, text: str) -> None:
    (tmp_path / "epochs.jsonl").write_text(text)
    settings = configured({"kind": "progress_file", "location": "epochs.jsonl"})
    assert f"{tmp_path}/epochs.jsonl" in said(settings)
