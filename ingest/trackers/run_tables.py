"""Makes tables of what runs logged; a text that repeats in many rows is stored once.

The tags of a run are its whole config, and stand in the row of each value that it logged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from models.raw.staging import Staging


def encoded(schema: pa.Schema) -> pa.Schema:
    """Returns an Arrow schema whose string columns are dictionary-encoded."""
    text = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [one.with_type(text) if pa.types.is_string(one.type) else one for one in schema]
    )


def run_table(
    schema: pa.Schema, same: Mapping[str, object], values: Mapping[str, Sequence[object]]
) -> pa.Table:
    """Builds an Arrow table from columns of values and, for the other columns, repeated values.

    The repeated values are `same`. `schema` has its texts dictionary-encoded.
    """
    rows = len(next(iter(values.values())))
    columns = [
        pa.array(values[one.name], one.type)
        if one.name in values
        else _repeated(same[one.name], rows, one.type)
        for one in schema
    ]
    return pa.table(columns, schema=schema)


def _repeated(value: object, rows: int, kind: pa.DataType) -> pa.Array:
    if value is None:
        return pa.nulls(rows, kind)
    if pa.types.is_dictionary(kind):
        first = pa.repeat(pa.scalar(0, kind.index_type), rows)
        return pa.DictionaryArray.from_arrays(first, pa.array([value], kind.value_type))
    return pa.repeat(pa.scalar(value, kind), rows)


def read_tables(paths: Iterable[Path], schema: pa.Schema) -> pa.Table:
    """Reads Parquet files as one table; a column that an older file does not have is null."""
    texts = [one.name for one in schema if pa.types.is_dictionary(one.type)]
    tables = [pq.read_table(path, schema=schema, read_dictionary=texts) for path in paths]
    return pa.concat_tables(tables or [schema.empty_table()])


def delivered_rows(staging: Staging, schema: pa.Schema) -> pa.Table:
    """Returns the rows now live of the day that is being written; an empty table if none are."""
    live = staging.zone.current(staging.key)
    return read_tables(live.paths if live and live.present else (), schema)


def write_tables(tables: Sequence[pa.Table], schema: pa.Schema, path: Path) -> None:
    """Writes tables as one Parquet file, which is read back with plain strings, no dictionaries."""
    both = pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries()
    pq.write_table(both, path, compression="zstd", store_schema=False)
