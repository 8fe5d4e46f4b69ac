"""Checks a file of allocations line by line, and divides it by account, cluster and UTC day.

Values stay as they were written, without blanks around them; the format `allocations` gives them
their types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.allocations.allocation import DAY
from ingest.allocations.labels import without_people
from ingest.billing_months import midnight
from ingest.files.store import CONVERTERS, FileEntry
from models.contract.errors import InputError
from models.contract.schema import ALLOCATIONS
from models.engine.warehouse.scratch import scratch
from models.formats import fields, line_faults
from models.formats.allocations import stated
from models.intake.delivered_lines import DeliveredLines
from models.intake.malformed_files import line_of, shown
from models.intake.reader_errors import reader_errors
from models.intake.required_columns import (
    refuse_columns,
    refuse_misspelt,
    refuse_repeated_columns,
)
from models.intake.size_limits import refuse_large_parquet

Key = tuple[str, date]
OBJECT = "write a JSON object of keys and values"
ACCOUNT = re.compile(r"\d{12}")
MOST_DIGITS = 4300
"""Python reads no longer numbers; a label may be one."""


@dataclass(frozen=True)
class StatedFile:
    """The checked lines of one file of allocations, as a table per cluster and UTC day.

    A cluster is `account/cluster` where all lines of its day name their account: it is another
    than the cluster of that name elsewhere. `version` changes when the bytes of the file do.
    """

    origin: str
    version: str
    rows: int
    parts: dict[Key, pa.Table]


def read_stated_file(entry: FileEntry, draft: Path, version: str, *, keep_user: bool) -> StatedFile:
    """Checks a downloaded file of allocations and divides it by cluster and UTC day.

    Names of people are dropped unless `keep_user`. Raises `InputError`, which names line and value.
    """
    converted = draft.with_name("converted.parquet")
    convert = CONVERTERS[entry.suffix]
    if convert:
        convert(draft, converted, origin=entry.uri)
    else:
        draft.rename(converted)
    refuse_large_parquet(converted, entry.uri)
    if not convert:
        refuse_repeated_columns(converted, entry.uri)
    _write_as_plain_text(converted)
    with scratch() as backend, reader_errors(entry.uri):
        lines = DeliveredLines(backend, [converted], numbered=True)
        refuse_columns(stated, lines.schema.names, entry.uri)
        refuse_misspelt(ALLOCATIONS, lines.schema.names, entry.uri)
        faults = lines.answer(_first_fault, stated.NAME)
        if faults:
            raise _refusal(entry, draft, faults[0])
        intervals = lines.answer(_intervals, stated.NAME)
    table = pq.read_table(converted)
    if not keep_user and "labels" in table.column_names:
        clean = _texts(_without_people(entry, draft, table["labels"].to_pylist()))
        table = table.set_column(table.column_names.index("labels"), "labels", clean)
    rows = _rows_by_key(intervals, entry.modified)
    parts = {key: table.take(at) for key, at in rows.items()}
    return StatedFile(entry.uri, version, table.num_rows, parts)


def _write_as_plain_text(file: Path) -> None:
    """Rewrites a Parquet file: nested values become JSON, text loses its outer spaces.

    A blank after a comma is of no machine's id: ` i-1` would have held nothing.
    """
    with suppress(pa.ArrowException, OSError):  # what is no Parquet is refused by DuckDB
        table = pq.read_table(file)
        for at, column in enumerate(table.schema):
            table = table.set_column(at, column.name, _plain(table.column(at)))
        pq.write_table(table, file)


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Converts a column to a type that Arrow can filter: nested to JSON, text trimmed."""
    if pa.types.is_nested(values.type):
        return _texts(values.to_pylist(maps_as_pydicts="lossy"))
    if pa.types.is_binary_view(values.type):
        return values.cast(pa.binary())
    of_words = pa.types.is_dictionary(values.type) and values.type.value_type == pa.string()
    if of_words or pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return pc.utf8_trim_whitespace(values)
    return values


def _first_fault(lines: ir.Table) -> ir.Table:
    return stated.refusals(lines).order_by(line_faults.ROW_NUMBER).limit(1)


def _intervals(lines: ir.Table) -> ir.Table:
    """Returns cluster, account, start and end per line; an open end is the observation time."""
    return lines.select(
        row=lines[line_faults.ROW_NUMBER],
        cluster=fields.text(lines, "cluster"),
        account=fields.text(lines, "account"),
        start=fields.timestamp(lines, "held_from"),
        end=ibis.coalesce(
            fields.timestamp(lines, "held_to"), fields.timestamp(lines, "observed_at")
        ),
    ).order_by("row")


def _rows_by_key(intervals: list[dict[str, Any]], written: datetime) -> dict[Key, list[int]]:
    """Maps (cluster, UTC day) to the numbers of the lines whose intervals touch that day.

    A cluster's lines of a day are apart by account if all of them name one.

    What has neither an end nor a time of observation was held until the file was written, at most
    until now: the clock of a file may be wrong.
    """
    written = min(written, datetime.now(UTC))
    accounts_by_day: dict[Key, dict[int, str | None]] = {}
    for each in intervals:
        start = each["start"].replace(tzinfo=UTC)
        end = each["end"].replace(tzinfo=UTC) if each["end"] else written
        for day in _days(start, end):
            accounts_by_day.setdefault((each["cluster"], day), {})[each["row"]] = each["account"]
    rows: dict[Key, list[int]] = {}
    for (cluster, day), accounts in accounts_by_day.items():
        named = all(ACCOUNT.fullmatch(account or "") for account in accounts.values())
        for row, account in accounts.items():
            unit = f"{account}/{cluster}" if named else cluster
            rows.setdefault((unit, day), []).append(row)
    return rows


def _days(start: datetime, end: datetime) -> Iterator[date]:
    day = start.date()
    while start < end and midnight(day) < end:
        yield day
        day += DAY


def _without_people(
    entry: FileEntry, draft: Path, labels: Sequence[str | None]
) -> Iterator[dict[str, str] | None]:
    """Yields each line's labels (dict or null) without those that name a person.

    Refuses JSON that DuckDB reads and Python does not: a comma too many, hundreds of levels.
    """
    for row, text in enumerate(labels):
        try:
            held = json.loads(text, parse_int=_number) if text and text != "NULL" else None
        except (ValueError, RecursionError):
            fault = {line_faults.ROW_NUMBER: row, "problem": "labels cannot be read"}
            raise _refusal(entry, draft, fault | {"value": text, "remedy": OBJECT}) from None
        yield held and without_people(held, keep_user=False)


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _texts(values: Iterable[object]) -> pa.Array:
    """Converts values to a column of JSON texts; null or empty values become null."""
    texts = [json.dumps(one, default=str) if one else None for one in values]
    return pa.array(texts, pa.string())


def _refusal(entry: FileEntry, draft: Path, fault: dict[str, Any]) -> InputError:
    place = _place(draft, fault[line_faults.ROW_NUMBER])
    problem = fault["problem"].replace(f" {line_faults.SOMEWHERE}", "")
    return InputError(
        f"{entry.uri}: {place}: {problem}", value=shown(fault["value"]), remedy=fault["remedy"]
    )


def _place(draft: Path, row: int) -> str:
    """Says where a row is: `line 12` of a text file, `row 12` of Parquet."""
    line = line_of(draft, row)
    if line is None and draft.is_file() and draft.name.endswith((".jsonl", ".ndjson")):
        with draft.open("rb") as file:
            written = (number for number, text in enumerate(file, 1) if text.strip())
            line = next(islice(written, row, None), None)
    return f"line {line}" if line else f"row {row + 1}"
