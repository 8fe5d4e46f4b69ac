"""Creates views of delivered Parquet files in breakeven's columns; copies no row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from ibis.backends.duckdb import Backend

from models import formats
from models.contract import schema
from models.contract.errors import StorageError
from models.engine.context import BuildContext
from models.engine.sql import delivered_sql
from models.engine.warehouse.table_columns import (
    AS_DELIVERED,
    duckdb_type,
    in_known_types,
    unbound,
)
from models.formats.allocations.intervals import FILE
from models.raw.delivery import Delivery

LINES = "delivered_lines"


def view_of(delivery: Delivery) -> str:
    """Returns the name of the table (charges, progress, prices, …) that has a delivery's rows."""
    return formats.named(delivery.format).VIEW


def create_view(context: BuildContext, view: str, deliveries: Sequence[Delivery]) -> None:
    """Creates a delivered table's view over Parquet files; drops equal rows, except of charges.

    Allocations are read with the day of their file, by which tag rules hold.
    """
    file = FILE if view == "allocations" else ""
    rows = read_all(context, view, deliveries, file=file)
    if rows and file:
        rows = f'SELECT * EXCLUDE ("{FILE}") FROM ({rows})'
    rows = rows or empty(context, view)
    if view != "charges":  # a sample or a price that two files hold was still seen once
        rows = f"SELECT DISTINCT * FROM ({rows})"
    context.backend.con.execute(f"CREATE OR REPLACE VIEW {view} AS {rows}")


def read_all(
    context: BuildContext,
    view: str,
    deliveries: Sequence[Delivery],
    made: delivered_sql.Reading = delivered_sql.rows,
    *,
    file: str = "",
) -> str:
    """Returns the SQL that reads or sums rows of deliveries in breakeven's columns; "" if no files.

    `made` says how. With `file` each line has its path in a column of that name.
    """
    parts = []
    for number, (form, paths) in enumerate(by_columns(deliveries)):
        source = f"{view}_lines_{number}"
        create_lines_view(context.backend, source, paths, file)
        lines = unbound(context.backend, source)
        parts.append(delivered_sql.delivered(context, made, lines, form))
    return " UNION ALL ".join(f"FROM ({part})" for part in parts)


def reducing_query(context: BuildContext, view: str, deliveries: Sequence[Delivery]) -> str:
    """Returns SQL that sums bill lines per day, account, SKU, run and more; "" without files."""
    return read_all(context, view, deliveries, delivered_sql.reduction)


def quoted(text: str) -> str:
    """Escapes a text for use between single quotes in SQL."""
    return text.replace("'", "''")


def create_lines_view(backend: Backend, name: str, paths: Iterable[Path], file: str = "") -> None:
    """Creates a DuckDB view of Parquet files, with their path if `file` names a column for it."""
    backend.con.execute(f"CREATE OR REPLACE VIEW {name} AS {read(backend, paths, file)}")


def create_numbered_lines_view(
    backend: Backend, name: str, deliveries: Sequence[Sequence[Path]]
) -> None:
    """Creates a DuckDB view of deliveries' lines, each with the number of its delivery (from 1).

    A delivery is given by its files. The number is in the column `DELIVERY_NUMBER`.
    """
    paths = [path for files in deliveries for path in files]
    of_files = [number for number, files in enumerate(deliveries, start=1) for _ in files]
    number = f"{of_files}[file_index::INTEGER + 1]" if len(deliveries) > 1 else "1"
    numbered = in_known_types(backend.con, _files(paths), f'{number} AS "{schema.DELIVERY_NUMBER}"')
    backend.con.execute(f"CREATE OR REPLACE VIEW {name} AS {numbered}")


def read(backend: Backend, paths: Iterable[Path], file: str = "") -> str:
    """Returns the SQL that reads Parquet files, with their path if `file` names a column for it."""
    return in_known_types(backend.con, _files(paths, file))


def _files(paths: Iterable[Path], file: str = "") -> str:
    listed = ", ".join(f"'{quoted(str(path))}'" for path in paths)
    path = f", filename = '{quoted(file)}'" if file else ""
    return f"read_parquet([{listed}], {AS_DELIVERED}{path})"


def by_columns(deliveries: Iterable[Delivery]) -> list[tuple[str, list[Path]]]:
    """Returns Parquet paths grouped by delivery format and schema: a list of (format, paths)."""
    groups: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for delivery in deliveries:
        for path in delivery.paths:
            found = columns_of(path)
            groups[delivery.format, str(found)].append(path)
    return [(form, paths) for (form, _), paths in groups.items()]


def columns_of(path: Path) -> pa.Schema:
    """Reads a delivered file's columns and types; `StorageError` if it is damaged."""
    try:
        return pq.read_schema(path).remove_metadata()
    except (pa.ArrowInvalid, OSError) as error:
        raise damaged(path, str(error)) from None


def refuse_lost(deliveries: Iterable[Delivery]) -> None:
    """Raises `StorageError` if files of deliveries are gone; it names the folders of them all."""
    gone = [delivery.folder for delivery in deliveries if not delivery.present]
    if gone:
        raw = gone[0].parents[3]
        raise StorageError(
            f"delivered files are gone from {raw}",
            value=", ".join(f"{folder.relative_to(raw)}" for folder in gone),
            remedy="run `breakeven ingest`; what it does not bring again restore from a backup, or "
            "delete the folders to count without it",
        )


def damaged(path: Path, words: str) -> StorageError:
    """Returns the error for a delivered Parquet file that cannot be read, in the reader's words."""
    return StorageError(
        f"cannot read {path}",
        value=words.splitlines()[0],
        remedy=f"delete {path.parent} and run `breakeven ingest`",
    )


def empty(context: BuildContext, view: str) -> str:
    """Returns the SQL of no rows with the columns of a delivered table."""
    return _empty(view, tuple(context.settings.tags.extra))


@cache
def _empty(view: str, extra: tuple[str, ...]) -> str:
    typed = schema.with_tags(schema.DELIVERED[view], extra)
    casts = ", ".join(
        f'CAST(NULL AS {duckdb_type(str(dtype))}) AS "{name}"' for name, dtype in typed.items()
    )
    return f"SELECT {casts} WHERE false"
