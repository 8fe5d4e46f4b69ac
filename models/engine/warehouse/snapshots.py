"""Publishes snapshots: DuckDB files, and a pointer file that names the current one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from ibis.backends.duckdb import Backend

from models.contract import schema_version
from models.contract.errors import MissingDataError, StorageError
from models.engine.warehouse.connection import (
    connect,
    quoted_path,
    storage_errors,
    transaction,
)
from models.engine.warehouse.schema_versions import refuse_newer_snapshot, write_version
from models.raw import atomic_files

POINTER = "current.json"
KEPT_SNAPSHOTS = 3
KEPT_SECONDS = 3600


class Snapshots:
    """Publishes snapshots to a folder, finds the current one and runs queries on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pointed_to: tuple[tuple[int, int], Path] | None = None

    def current(self) -> Path | None:
        """Returns the file of the current snapshot; None before the first build."""
        pointer = self.folder / POINTER
        try:
            found = pointer.stat()
            written = found.st_ino, found.st_mtime_ns
            if self._pointed_to is None or self._pointed_to[0] != written:
                name = json.loads(pointer.read_text(encoding="utf-8"))["file"]
                self._pointed_to = written, self.folder / Path(name).name
            return self._pointed_to[1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(
                f"cannot read {pointer}",
                value=error.strerror,
                remedy="run it as its owner, or delete it and run `breakeven build`",
            ) from None
        except (ValueError, KeyError, TypeError):
            raise StorageError(
                f"{pointer} is damaged: it names no snapshot",
                remedy="`breakeven build` writes it anew",
            ) from None

    def answer(self, query: str) -> object:
        """Runs a query on the current snapshot and returns its rows; None if that is not possible.

        Raises `StorageError` for a snapshot of a newer version, which must not be replaced.
        """
        try:
            path = self.current()
            if path is None or not path.is_file():
                return None
            connection = connect(path, read_only=True)
        except StorageError:
            return None
        try:
            refuse_newer_snapshot(connection, path)
            return connection.execute(query).fetchall()
        except (duckdb.Error, ValueError):  # whatever is wrong with it, a new one replaces it
            return None
        finally:
            connection.close()

    def publish(self, backend: Backend, tables: Iterable[str]) -> Path:
        """Copies tables to a new snapshot file, points readers at it and deletes old snapshots."""
        with atomic_files.write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            for stale in self.folder.glob(".*.draft*"):
                stale.unlink()
        number = max((int(file.stem) for file in self._files()), default=0) + 1
        target = self.folder / f"{number:06}.duckdb"
        draft = self.folder / f".{number:06}.draft"
        with storage_errors(draft):
            _copy(backend, tables, draft)
        draft.replace(target)
        atomic_files.replace_json(self.folder / POINTER, {"file": target.name})
        self._tidy(target)
        return target

    def _files(self) -> list[Path]:
        return sorted(file for file in self.folder.glob("*.duckdb") if file.stem.isdigit())

    def _tidy(self, current: Path) -> None:
        """Deletes snapshots over an hour old, except the newest three and the current one."""
        now = datetime.now(UTC).timestamp()
        for file in self._files()[:-KEPT_SNAPSHOTS]:
            if file != current and now - file.stat().st_mtime > KEPT_SECONDS:
                file.unlink(missing_ok=True)


def current_snapshot(snapshots: Snapshots) -> Path:
    """Returns the current snapshot's file; `MissingDataError` before the first build."""
    path = snapshots.current()
    if path is None:
        raise MissingDataError(
            "nothing is published yet", remedy="run `breakeven ingest`, then `breakeven build`"
        )
    return path


def snapshot_version(path: Path) -> str:
    """Returns a text that identifies a snapshot, even if it reuses another's file name."""
    with suppress(OSError):
        found = path.stat()
        return f"{path} {found.st_ino} {found.st_mtime_ns}"
    return str(path)


def _copy(backend: Backend, tables: Iterable[str], target: Path) -> None:
    """Copies tables to a new file in one transaction, so that the disk is waited for only once.

    It has no log beside it: a draft that was not finished is nobody's to recover.
    """
    con = backend.con
    con.execute(f"ATTACH '{quoted_path(target)}' AS published (RECOVERY_MODE 'no_wal_writes')")
    try:
        with transaction(con):
            for table in tables:
                con.execute(
                    f'CREATE TABLE published."{table}" AS SELECT * FROM "{table}" ORDER BY ALL'
                )
            write_version(con, "published.", schema_version.SNAPSHOT)
    finally:
        con.execute("DETACH published")
