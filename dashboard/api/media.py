"""Writes rows in the format that `Accept` names: JSON, CSV, an Arrow stream or Parquet.

The rows are written as `breakeven export` writes them, so that a number is the same text in both.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping

import pyarrow as pa
from flask import request
from werkzeug.exceptions import NotAcceptable

from models.documents.exports.extract import Extract
from models.documents.exports.files import to_csv, to_json, write_parquet

JSON = "application/json"
CSV = "text/csv"
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"
ROWS_AT_ONCE = 1000
"""Rows converted to Python objects at a time, so that a page of 10,000 takes less memory."""


def extract_of(name: str, table: pa.Table) -> Extract:
    """Wraps a PyArrow table as an `Extract` of row batches, which the writers of exports take."""
    return Extract(name, table.schema, iter(table.to_batches(max_chunksize=ROWS_AT_ONCE)))


def json_page(extract: Extract, *, etag: str, after: str | None) -> bytes:
    """Returns rows as the bytes of a JSON document, with the mart, ETag and next page's address."""
    head = json.dumps({"mart": extract.name, "etag": etag, "next": after})
    buffer = io.StringIO()
    buffer.write(f'{head[:-1]}, "rows": ')
    to_json(extract, buffer.write)
    buffer.write("}\n")
    return buffer.getvalue().encode()


def csv_of(extract: Extract) -> bytes:
    """Returns rows as the bytes of a CSV file (RFC 4180), header first."""
    buffer = io.StringIO()
    to_csv(extract, buffer.write)
    return buffer.getvalue().encode()


def arrow_of(extract: Extract) -> bytes:
    """Returns rows as the bytes of an Arrow IPC stream, with the types of the mart."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, extract.schema) as writer:
        for batch in extract.batches:
            writer.write_batch(batch)
    return sink.getvalue()


def parquet_of(extract: Extract) -> bytes:
    """Returns rows as the bytes of a Parquet file, with the types of the mart."""
    sink = io.BytesIO()
    write_parquet(extract, sink)
    return sink.getvalue()


WRITERS: Mapping[str, Callable[[Extract], bytes]] = {
    CSV: csv_of,
    ARROW: arrow_of,
    PARQUET: parquet_of,
}
"""Media type → writer; JSON has a writer of its own, because it names the next page."""


def media_type() -> str:
    """Returns the media type that the request prefers, JSON by default; raises 406 if none fits."""
    accepted = request.accept_mimetypes
    best = accepted.best_match((JSON, *WRITERS)) if accepted else JSON
    if best is None:
        raise NotAcceptable(f"Accept: one of {', '.join((JSON, *WRITERS))}")
    return best
