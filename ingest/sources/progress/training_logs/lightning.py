"""Fetches what Lightning's CSVLogger logged: `metrics.csv` in a folder per version.

Lightning adds `lightning_logs/version_<n>` by itself, and a new version each time that a run starts
again. So the versions below one folder are one run by default, and of a step that several of them
logged the newest counts; `path` says otherwise. Lightning writes a row per line, and may be writing
one: a last line without its end is read when it is whole.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from ingest.files.run_folders import RunFolder, RunFolderOptions
from ingest.files.store import FileEntry, Store
from ingest.source import FetchContext, Options
from ingest.sources.progress.training_logs.feed import TrainingLogs
from ingest.sources.progress.training_logs.logged_values import (
    EarlierRun,
    LoggedValues,
    beginning,
    table_of,
)
from ingest.trackers import merged_folders
from ingest.trackers.merged_folders import Run
from models.config.metrics.tracker_metrics import LightningMetrics
from models.contract.errors import InputError
from models.engine.warehouse.scratch import scratch
from models.intake import malformed_files, text_to_parquet

VERSION = re.compile(r"version_(\d+)")
BLOCK = 1 << 16
"""Bytes that are looked through at a time for the last line end."""
SHOWN = 5
"""Columns that a notice names."""
PREFIX = "="
"""Goes before the names of logged columns, so that none is a name of the query."""
LOGGED = """
WITH lines AS (
    SELECT row_number() OVER () - 1 AS entry, "step" AS step_text, {columns}
    FROM read_parquet(?)
)
SELECT
    entry, substr(name, 2) AS metric, text, step_text,
    TRY_CAST(step_text AS DOUBLE) AS number,
    CASE WHEN number = floor(number) THEN TRY_CAST(number AS BIGINT) END AS step,
    TRY_CAST(text AS DOUBLE) AS value
FROM (UNPIVOT lines ON {unpivoted} INTO NAME name VALUE text)
"""
"""A row for each value of some columns of a `metrics.csv` that was read as text, in its order."""
WRONG = "FROM ({logged}) WHERE step IS NULL OR value IS NULL LIMIT 1"
ROWS = "SELECT entry, step, metric, value FROM ({logged})"


class LightningOptions(RunFolderOptions):
    """Options of a source of Lightning's logs: location, run and workload names, columns."""

    metrics: LightningMetrics = LightningMetrics()


@dataclass(frozen=True)
class Lightning(TrainingLogs):
    """The feed of Lightning's logs: folders of runs with versions at one location."""

    kind: ClassVar[str] = "lightning"
    format: ClassVar[str] = "lightning"
    accepts: ClassVar[type[Options]] = LightningOptions
    file_name: ClassVar[str] = "metrics.csv"
    added: ClassVar[re.Pattern[str]] = re.compile(r"lightning_logs|version_\d+")

    def read(self, store: Store, folder: RunFolder, earlier: EarlierRun) -> LoggedValues:
        """Reads the mapped columns of one version's `metrics.csv`."""
        (log,) = folder.files
        with TemporaryDirectory(prefix="breakeven-") as own:
            draft, wide = Path(own, self.file_name), Path(own, "wide.parquet")
            store.download(log, draft, Event())
            whole = _cut_half_line(draft)
            text_to_parquet.csv_to_parquet(draft, wide, origin=log.uri)
            columns = malformed_files.columns(draft)
            rows = self._rows(log, draft, wide, columns)
        steps = rows["step"]
        return LoggedValues(
            rows,
            (pc.min(steps).as_py(), pc.max(steps).as_py()) if rows.num_rows else None,
            part=_version(folder.uri),
            notices=list(self._notices(log, columns, whole=whole)),
        )

    def remarks(self, context: FetchContext) -> Iterator[str]:
        """Yields a notice if versions of a run begin at the same step: each may be its own run."""
        if self.options.path:
            return
        begun: defaultdict[Run, dict[str, int]] = defaultdict(dict)
        for first in map(beginning, self.paths(context)):
            folder = self.folder_of(first["file"])
            begun[first["run_name"], first["Tags"]][folder] = first["step"]
        yield from merged_folders.notices(begun, "lightning_logs/{run}")

    def _rows(self, log: FileEntry, draft: Path, wide: Path, columns: list[str]) -> pa.Table:
        """Returns a row per mapped value. Raises `InputError` for the first that is no number."""
        mapped = [name for name in columns if name in self.options.metrics.meanings]
        if "step" not in columns:
            raise _unreadable(log, "it has no column step")
        if not mapped:
            return table_of([])
        logged, file = _query(mapped), [str(wide)]
        with scratch(ordered=True) as backend:
            rows = backend.con.sql(ROWS.format(logged=logged), params=file).to_arrow_table()
            if rows["step"].null_count or rows["value"].null_count:
                wrong = backend.con.sql(WRONG.format(logged=logged), params=file)
                raise _wrong_value(log, draft, wrong.to_arrow_table().to_pylist()[0])
        return rows

    def _notices(self, log: FileEntry, columns: list[str], *, whole: bool) -> Iterator[str]:
        if not whole:
            yield f"{log.uri}: its last line is not whole yet, and left out until it is"
        loss = self.options.metrics.loss
        if loss and loss not in columns:
            others = [name for name in columns if name not in ("step", "epoch")]
            shown = ", ".join(others[:SHOWN]) + (", …" if len(others) > SHOWN else "")
            yield f"{log.uri} has no column {loss}: `metrics.loss` may be one of {shown or 'none'}"


def _query(columns: list[str]) -> str:
    """Returns SQL that turns a `metrics.csv`'s columns into one row per value."""
    names = {_quoted(name): _quoted(PREFIX + name) for name in columns}
    renamed = ", ".join(f"{name} AS {prefixed}" for name, prefixed in names.items())
    return LOGGED.format(columns=renamed, unpivoted=", ".join(names.values()))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _version(folder: str) -> int:
    found = VERSION.fullmatch(folder.rpartition("/")[2])
    return int(found[1]) if found else 0


def _cut_half_line(draft: Path) -> bool:
    """Cuts off a file's last line if it has no line end; returns whether it had one."""
    with draft.open("r+b") as file:
        end = size = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - BLOCK)
            file.seek(start)
            if (found := file.read(end - start).rfind(b"\n")) >= 0:
                file.truncate(start + found + 1)
                return start + found + 1 == size
            end = start
    return True


def _wrong_value(log: FileEntry, draft: Path, row: dict[str, object]) -> InputError:
    """Returns the error for a value or step that is no number, with its line."""
    line = malformed_files.line_of(draft, int(str(row["entry"])))
    if row["step"] is None:
        problem, text = "step is not a whole number", row["step_text"]
    else:
        problem, text = f"{row['metric']} is not a number", row["text"]
    given = malformed_files.shown(str(text)) if text is not None else "nothing"
    return _unreadable(log, f"line {line}: {problem}: {given}")


def _unreadable(log: FileEntry, value: str) -> InputError:
    return InputError(f"cannot read {log.uri}", value=value, remedy="deliver what Lightning wrote")
