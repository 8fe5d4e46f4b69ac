"""Checks by their headers that local tables have the columns that a pull needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.files.store import FileEntry, Store
from ingest.source import Source
from ingest.sources.bill.data_exports import layout
from models import formats
from models.contract.errors import InputError
from models.intake import malformed_files, required_columns

TABLES = (".csv", ".csv.gz", ".parquet")
READ_DIRECTLY = ("focus", "cur2", "progress_file")
"""Kinds whose files the format reads as they are; other sources convert theirs."""


def refuse_missing_columns(source: Source, store: Store) -> None:
    """Raises `InputError` if a local file of a bill or of progress lacks a needed column.

    It names the first such file. Other kinds of sources convert their files: they are not checked.
    """
    if source.kind not in READ_DIRECTLY:
        return
    for entry in _tables(source, store):
        columns = columns_of(entry)
        if columns:
            required_columns.refuse_columns(formats.named(source.format), columns, entry.uri)


def _tables(source: Source, store: Store) -> Iterator[FileEntry]:
    """Yields the local tables that a pull of a source would read."""
    entries = store.entries()
    if source.group == "cost":
        entries = [
            entry for part in layout.export_parts(store.location, entries) for entry in part.entries
        ]
    yield from (entry for entry in entries if entry.suffix in TABLES)


def columns_of(entry: FileEntry) -> list[str]:
    """Returns the columns of a local table. Raises `InputError` for a damaged one."""
    if entry.suffix != ".parquet":
        return malformed_files.columns(Path(entry.uri))
    try:
        return list(pq.read_schema(entry.uri).names)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot read {entry.uri}",
            value="this is not a Parquet file",
            remedy=malformed_files.WHOLE,
        ) from error
