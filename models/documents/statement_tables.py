"""Writes the statement for programs: every row, sums to check, and the type of each column.

JSON is one document. CSV and Parquet are a zip with a file per table, `control_totals` (table,
column, rows, sum: what a reader must come to) and `columns` (table, column, type). In CSV a text
that a spreadsheet would take for a formula begins with an apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from models.contract.decimal_text import decimal_text
from models.documents.paper import Paper
from models.documents.spreadsheet_text import inert
from models.records.columns import tables_of
from models.records.statement import Row

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file within a zip: the same bytes whenever it is written."""
CONTROL = {"table": "string", "column": "string", "rows": "int64", "total": "decimal(38, 9)"}
DICTIONARY = {"table": "string", "column": "string", "type": "string"}


def to_json(paper: Paper) -> bytes:
    """Returns a month's statement, or its close, as JSON bytes with control totals and columns."""
    document_ = paper.close.document() if paper.close else {"statement": paper.statement.document()}
    totals = [_exact(row) for row in control_totals(paper)]
    document = {
        **document_,
        "stand": paper.status_line,
        "control_totals": totals,
        "columns": _columns(paper),
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def to_csv(paper: Paper) -> bytes:
    """Returns a statement as a zip of CSV files: its tables, control totals and column list."""
    return _zipped({f"{name}.csv": _csv(rows, of) for name, rows, of in _tables(paper)})


def to_parquet(paper: Paper) -> bytes:
    """Returns a statement as a zip of Parquet files: its tables, control totals, column list."""
    return _zipped({f"{name}.parquet": _parquet(rows, of) for name, rows, of in _tables(paper)})


def control_totals(paper: Paper) -> list[Row]:
    """Returns a row per decimal column of a statement: its sum, and its table's number of rows.

    Null adds nothing to a sum.
    """
    return [
        {
            "table": name,
            "column": column,
            "rows": len(rows),
            "total": sum((row[column] or Decimal(0) for row in rows), Decimal(0)),
        }
        for name, rows in paper.statement.tables.items()
        for column, dtype in tables_of(paper.statement.edition)[name].items()
        if dtype.startswith("decimal")
    ]


def _columns(paper: Paper) -> list[Row]:
    return [
        {"table": name, "column": column, "type": dtype}
        for name, columns in tables_of(paper.statement.edition).items()
        if name in paper.statement.tables
        for column, dtype in columns.items()
    ]


def _tables(paper: Paper) -> Iterator[tuple[str, Sequence[Row], Mapping[str, str]]]:
    known = tables_of(paper.statement.edition)
    for name, rows in paper.statement.tables.items():
        columns = known[name]
        yield name, [{column: row[column] for column in columns} for row in rows], columns
    yield "control_totals", control_totals(paper), CONTROL
    yield "columns", _columns(paper), DICTIONARY


def _csv(rows: Sequence[Row], columns: Mapping[str, str]) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(rows[0] if rows else columns)
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return buffer.getvalue().encode()


def _cell(value: Any) -> object:  # noqa: ANN401 - whatever a column holds
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, Mapping):
        return json.dumps({key: _exact(held) for key, held in value.items()}, ensure_ascii=False)
    if isinstance(value, str):
        return inert(value)
    return str(value).lower() if isinstance(value, bool) else value


def _parquet(rows: Sequence[Row], columns: Mapping[str, str]) -> bytes:
    shape = ibis.schema(dict(columns)).to_pyarrow()
    held = [
        {name: list(v.items()) if isinstance(v, dict) else v for name, v in row.items()}
        for row in rows
    ]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(held, schema=shape), buffer)
    return buffer.getvalue()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _exact(value: Any) -> Any:  # noqa: ANN401 - a row or a value
    if isinstance(value, Mapping):
        return {key: _exact(held) for key, held in value.items()}
    return decimal_text(value) if isinstance(value, Decimal) else value
