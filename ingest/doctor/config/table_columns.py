"""Whether the tables of a folder have the columns that a pull would ask of them: headers alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.files.store import FileEntry, Store
from ingest.source import Source
from ingest.sources.data_exports import layout
from models import formats
from models.contract.errors import InputError
from models.intake import malformed_files, required_columns

TABLES = (".csv", ".csv.gz", ".parquet")
KEPT_AS_IT_IS = ("focus", "cur2", "progress_file")
"""Kinds whose files are what the format reads; others are made into it by their source."""


def check(source: Source, store: Store) -> None:
    """Raises `InputError` for the first local file that lacks a column, or is no Parquet."""
    if source.kind not in KEPT_AS_IT_IS:
        return
    for item in _tables(source, store):
        columns = _columns(item)
        if columns:
            required_columns.refuse_columns(formats.named(source.format), columns, item.uri)


def _tables(source: Source, store: Store) -> Iterator[FileEntry]:
    """Those that a pull would take; what a manifest names, AWS has written."""
    items = store.entries()
    if source.group == "cost":
        items = [
            item for part in layout.export_parts(store.location, items) for item in part.entries
        ]
    yield from (item for item in items if item.suffix in TABLES)


def _columns(item: FileEntry) -> list[str]:
    if item.suffix != ".parquet":
        return malformed_files.columns(Path(item.uri))
    try:
        return list(pq.read_schema(item.uri).names)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot read {item.uri}", value="this is no Parquet file", remedy=malformed_files.WHOLE
        ) from error
