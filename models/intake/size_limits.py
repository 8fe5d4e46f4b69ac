"""Refuses files that are small as delivered but huge when read, and would fill disk or memory."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from models.contract.errors import InputError
from models.intake.malformed_files import LARGEST_FIELD

LARGEST_EXPANSION = 200
"""Times its own size that a file may become; bills and logs become 10 to 40 times as large."""
CHUNK = 1 << 20
ROWS = 1 << 14
"""Rows of Parquet looked at together."""
CORRECT = "correct what writes it, then deliver it again"


def refuse_packed_bomb(source: Path, origin: str) -> None:
    """Raises `InputError` if a gzip file expands to more than 200 times its size.

    It reads on only until that much has come. Damaged gzip data is left to who reads the file next.
    """
    if not source.name.lower().endswith(".gz"):
        return
    left = LARGEST_EXPANSION * source.stat().st_size
    with suppress(EOFError, gzip.BadGzipFile, zlib.error), gzip.open(source) as file:
        while chunk := file.read(CHUNK):
            left -= len(chunk)
            if left < 0:
                raise _expands(origin)


def refuse_large_parquet(path: Path, origin: str) -> None:
    """Raises `InputError` if Parquet expands over 200 times or has a value over 1 MiB.

    Only columns with more than 1 MiB in a row group are read. A damaged file is left to DuckDB.
    """
    with suppress(pa.ArrowException, OSError):
        found = pq.read_metadata(path)
        groups = [found.row_group(place) for place in range(found.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > (
            LARGEST_EXPANSION * path.stat().st_size
        ):
            raise _expands(origin)
        for place, group in enumerate(groups):
            for column in (group.column(index) for index in range(group.num_columns)):
                if (
                    column.physical_type == "BYTE_ARRAY"
                    and column.total_uncompressed_size > LARGEST_FIELD
                    and _longest(path, place, column.path_in_schema) > LARGEST_FIELD
                ):
                    raise InputError(
                        f"{origin}: a value of {column.path_in_schema.partition('.')[0]}",
                        value="longer than 1 MiB",
                        remedy=CORRECT,
                    )


def _expands(origin: str) -> InputError:
    return InputError(
        f"{origin}: the file expands to more than {LARGEST_EXPANSION} times its size",
        remedy=CORRECT,
    )


def _longest(path: Path, group: int, column: str) -> int:
    """Returns the largest size in bytes of a value in one column of a Parquet row group."""
    with pq.ParquetFile(path, read_dictionary=[column]) as file:
        batches = file.iter_batches(ROWS, row_groups=[group], columns=[column])
        return max((_length(array) for batch in batches for array in batch.columns), default=0)


def _length(array: pa.Array) -> int:
    """Returns the bytes of the longest text in an Arrow array, however deep in lists and maps."""
    if pa.types.is_dictionary(array.type):
        return _length(array.dictionary)
    if pa.types.is_nested(array.type):
        inner = array.flatten()
        arrays = inner if isinstance(inner, list) else [inner]
        return max(map(_length, arrays), default=0)
    return pc.max(pc.binary_length(array)).as_py() or 0
