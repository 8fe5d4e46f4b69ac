"""Writes the rows of an export as CSV, JSON or Parquet.

JSON is an array of objects that all have every column: null is unknown, money a decimal string,
ratios and counts numbers, dates ISO. CSV writes the same values, with maps and lists as JSON text
and unknown as an empty field; a name that a spreadsheet would take for a formula begins with an
apostrophe. Parquet keeps the types. Money has no trailing zeros beyond the cent.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from models.contract.decimal_text import decimal_text
from models.contract.schema import NUMBERS
from models.documents.exports.extract import Extract
from models.documents.spreadsheet_text import inert
from models.raw import atomic_files

Write = Callable[[str], object]


def to_csv(extract: Extract, write: Write) -> None:
    """Passes exported rows as CSV text, header first, to a function that writes text."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(extract.schema.names)
    texts = {field.name for field in extract.schema if pa.types.is_string(field.type)}
    for row in plain_rows(extract):
        writer.writerow(_cell(value, name in texts) for name, value in row.items())
        write(buffer.getvalue())
        buffer.seek(0)
        buffer.truncate()
    write(buffer.getvalue())


def to_json(extract: Extract, write: Write) -> None:
    """Passes exported rows as a JSON array, one object a line, to a function that writes text."""
    write("[")
    for number, row in enumerate(plain_rows(extract)):
        write(("," if number else "") + "\n" + json.dumps(row, ensure_ascii=False))
    write("\n]\n")


def to_parquet(extract: Extract, path: Path) -> None:
    """Writes exported rows as a Parquet file, whole or not at all."""
    with atomic_files.replace_file(path) as draft:
        write_parquet(extract, draft)


def write_parquet(extract: Extract, to: Path | BinaryIO) -> None:
    """Writes exported rows as Parquet to a file or stream."""
    with pq.ParquetWriter(to, extract.schema) as writer:
        for batch in extract.batches:
            writer.write_batch(batch)


def plain_rows(extract: Extract) -> Iterator[dict[str, Any]]:
    """Yields exported rows as dicts for JSON: money as decimal text, dates as ISO text."""
    for batch in extract.batches:
        for row in batch.to_pylist():
            yield {name: _plain(name, value, extract.schema) for name, value in row.items()}


def _plain(name: str, value: object, columns: pa.Schema) -> object:
    if isinstance(value, Decimal):
        return _number(value) if name in NUMBERS else decimal_text(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list) and pa.types.is_map(columns.field(name).type):
        return {key: None if held is None else decimal_text(held) for key, held in value}
    return value


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _cell(value: object, text: bool) -> object:
    if value is None:
        return ""
    if text:
        return inert(str(value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value
