"""The door of the raw zone: text becomes Parquet once, and what cannot be trusted is refused.

Nothing is given a type or a meaning here; `models.formats` does that. A delivery passes whole or
not at all.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import ibis.expr.types as ir
from ibis.backends.duckdb import Backend

from models import disk, formats, warehouse
from models.errors import CurrencyError, InputError, StorageError
from models.formats import Format
from models.raw import Staging, Totals

NULL_TEXTS = "['', 'NULL']"
LONGEST = 240
"""Characters of an engine's own words that are passed on."""
FULL = ("No space left", "File too large", "Disk quota")


def from_csv(source: Path, target: Path, *, origin: str = "") -> None:
    """A CSV file (plain or gzip), every value as text, as one Parquet file."""
    _convert(
        "read_csv(?, all_varchar = true, header = true, auto_detect = true, delim = ',', "
        f"""quote = '"', escape = '"', nullstr = {NULL_TEXTS}, strict_mode = true, """
        "skip = 0, comment = '')",
        "*",
        source,
        target,
        origin or str(source),
    )


def from_jsonl(source: Path, target: Path, *, origin: str = "") -> None:
    """A file of JSON objects (plain or gzip), one a line, every value as text, as Parquet.

    A JSON number is a double: `1.50` becomes `1.5`.
    """
    _convert(
        "read_json(?, format = 'newline_delimited', maximum_depth = 1, sample_size = -1)",
        "json_extract_string(COLUMNS(*), '$')",
        source,
        target,
        origin or str(source),
    )


def admit(staging: Staging, format_name: str, *, empty: bool = False) -> Totals:
    """Checks what is new in a delivery against its format; returns its totals per account.

    A delivery without rows is refused, unless `empty` allows it and no rows are live.
    Raises `InputError` with one line: the file, the value, the remedy.
    """
    form = formats.named(format_name)
    if not staging.rows and not (empty and not staging.live_rows):
        origin = staging.files[0].origin if staging.files else staging.key.unit
        raise InputError("no row was delivered", value=origin, remedy="deliver it again, whole")
    with warehouse.scratch() as backend:
        for file in staging.fresh:
            _admit_file(backend, form, staging.folder / file.name, file.origin or file.name)
        return _totals(backend, form, [staging.folder / file.name for file in staging.files])


def _convert(reader: str, columns: str, source: Path, target: Path, origin: str) -> None:
    quoted = str(target).replace("'", "''")
    with warehouse.scratch() as backend, disk.writing(target), _readable(origin):
        # the same bytes in must be the same bytes out, or every pull would be a new delivery
        backend.con.execute("SET preserve_insertion_order = true")
        backend.con.execute(
            f"COPY (SELECT {columns} FROM {reader}) TO '{quoted}' "
            "(FORMAT parquet, COMPRESSION zstd)",
            [str(source)],
        )


def _admit_file(backend: Backend, form: Format, path: Path, origin: str) -> None:
    with _readable(origin):
        lines = _lines(backend, [path])
        absent = [name for name in form.REQUIRED if name not in lines.columns]
        if absent:
            raise InputError(
                f"{origin}: required column missing",
                value=absent[0],
                remedy=_nearest(absent[0], lines.columns),
            )
        faults = form.refusals(lines).limit(1).to_pyarrow().to_pylist()
    if faults:
        fault = faults[0]
        error = CurrencyError if "Currency" in fault["problem"] else InputError
        raise error(f"{origin}: {fault['problem']}", value=fault["value"], remedy=fault["remedy"])


def _nearest(name: str, found: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(found), n=1, cutoff=0.6)
    advice = f"{close[0]} is there: rename it" if close else "export it too"
    return f"{advice}, then deliver again"


def _totals(backend: Backend, form: Format, paths: list[Path]) -> Totals:
    if form.VIEW != "charges":
        return {}
    with _readable(str(paths[0].parent)):
        sums = form.totals(_lines(backend, paths)).to_pyarrow().to_pylist()
    return {
        str(row.pop("account")): {
            name: str(value) for name, value in row.items() if value is not None
        }
        for row in sums
    }


def _lines(backend: Backend, paths: Iterable[Path]) -> ir.Table:
    return backend.read_parquet([str(path) for path in paths], union_by_name=True)


@contextmanager
def _readable(origin: str) -> Iterator[None]:
    """DuckDB's refusal to read a file, or to write its copy, as one line."""
    try:
        yield
    except duckdb.Error as error:  # the bare class too: a damaged page raises nothing narrower
        raise _refused(origin, error) from None


def _refused(origin: str, error: duckdb.Error) -> StorageError | InputError:
    said = " ".join(str(error).split())[:LONGEST]
    if any(word in said for word in FULL) or isinstance(error, duckdb.OutOfMemoryException):
        return StorageError(
            f"cannot keep {origin}", value=said, remedy="free some space and run again"
        )
    return InputError(
        f"cannot read {origin}", value=said, remedy="check the file and deliver it again, whole"
    )
