"""The door of the raw zone: text becomes Parquet once, and what cannot be trusted is refused.

Nothing is given a type or a meaning here; `models.formats` does that. A delivery passes whole or
not at all.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from textwrap import shorten
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple

import duckdb
import ibis
import ibis.expr.schema as sch
import ibis.expr.types as ir
from ibis.backends.duckdb import Backend

from models import formats
from models.contract.errors import CurrencyError, InputError, StorageError
from models.engine.sql import rendering
from models.engine.sql.compiled_sql import unswept
from models.engine.warehouse import connection
from models.formats import Format, line_faults
from models.intake import malformed_files
from models.intake.malformed_files import Wrong
from models.raw import atomic_files
from models.raw.delivery import File, Totals
from models.raw.staging import Staging

NULL_TEXTS = "['', 'NULL']"
LONGEST = 160
"""Characters of an engine's own words that are passed on, where nobody has better ones."""
ASIDE = re.compile(r" (?:LINE \d+:|Possible|Try |The search space|Candidate functions).*")
"""Where an engine goes on about its own query and options."""
KIND = re.compile(r"^(?:[A-Z][A-Za-z ]* Error: )+")
Diagnose = Callable[[duckdb.Error], Wrong | None]
LINES = "delivered"
_SAID: dict[tuple[str, str, str], str] = {}
"""SQL by question, format and columns: hundreds of files ask the same."""
_SAYING = Lock()
"""Two files that arrive together would have the same said twice."""
_COLUMNS: dict[str, sch.Schema] = {}
"""Columns by how DuckDB describes them."""
BILLS = {"focus": "a FOCUS export", "cur2": "a Cost and Usage Report (CUR 2.0)"}
"""Exports that are easily taken for each other, as their owner calls them."""
FULL = ("No space left", "File too large", "Disk quota")


class Checked(NamedTuple):
    """What the door found of a file: its totals per account, and its columns with their types."""

    totals: Totals
    columns: str


def from_csv(source: Path, target: Path, *, origin: str = "") -> None:
    """A CSV file (plain or gzip), every value as text, as one Parquet file."""
    wrong = malformed_files.header(source)
    if wrong:
        raise _named(origin or str(source), wrong)
    _convert(
        "read_csv(?, all_varchar = true, header = true, auto_detect = true, delim = ',', "
        f"""quote = '"', escape = '"', nullstr = {NULL_TEXTS}, strict_mode = true, """
        "skip = 0, comment = '')",
        "*",
        source,
        target,
        origin or str(source),
        malformed_files.of_csv,
    )


def from_jsonl(source: Path, target: Path, *, origin: str = "") -> None:
    """A file of JSON objects (plain or gzip), one a line, every value as text, as Parquet.

    A JSON number is a double: `1.50` becomes `1.5`.
    """
    _convert(
        "read_json(?, format = 'newline_delimited', records = 'true', maximum_depth = 1, "
        "sample_size = -1)",
        "json_extract_string(COLUMNS(*), '$')",
        source,
        target,
        origin or str(source),
        malformed_files.of_jsonl,
    )


def admit(
    staging: Staging,
    format_name: str,
    *,
    empty: bool = False,
    early: Mapping[str, Future[Checked]] = MappingProxyType({}),
) -> Totals:
    """Checks what is new in a delivery against its format; returns its totals per account.

    A delivery without rows is refused, unless `empty` allows it and no rows are live. `early` is
    what `models.intake.concurrent_checks` says of files by name.
    Raises `InputError` with one line: the file, the value, the remedy.
    """
    form = formats.named(format_name)
    if not staging.rows and not (empty and not staging.live_rows):
        raise InputError(
            "no row was delivered", value=_called(staging), remedy="deliver it again, whole"
        )
    told = [early[file.name].result() for file in staging.files if file.name in early]
    left = [file for file in staging.files if file.name not in early]
    if left or not told:
        with connection.scratch() as backend:
            for file in left:
                if file in staging.fresh:
                    _faultless(backend, form, staging.folder / file.name, _origin(file))
            paths = [staging.folder / file.name for file in left]
            with _readable(_called(staging)):
                told.append(_summed(_Lines(backend, paths), form))
    if len({each.columns for each in told}) > 1:
        _refuse_unlike(staging)
    return _added([each.totals for each in told])


def checked(backend: Backend, staging: Staging, format_name: str, file: File) -> Checked:
    """What `admit` finds of one new file; raises what it would."""
    form = formats.named(format_name)
    lines = _faultless(backend, form, staging.folder / file.name, _origin(file))
    with _readable(_origin(file)):
        return _summed(lines, form)


def _refuse_unlike(staging: Staging) -> None:
    """Files that cannot be read as one table are no delivery, whole as each of them is."""
    with connection.scratch() as backend, _readable(_called(staging)):
        _Lines(backend, [staging.folder / file.name for file in staging.files])


def _added(told: Sequence[Totals]) -> Totals:
    """The sums of several files; a column that is null in all of an account's stays absent."""
    if len(told) == 1:
        return told[0]
    sums: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for totals in told:
        for account, amounts in totals.items():
            for name, amount in amounts.items():
                sums[account][name] += Decimal(amount)
    return {
        account: {name: f"{amount:f}" for name, amount in amounts.items()}
        for account, amounts in sums.items()
    }


def _origin(file: File) -> str:
    return file.origin or file.name


def _called(staging: Staging) -> str:
    """What its owner calls a delivery: the file, or the unit where it has several."""
    alone = len(staging.files) == 1
    return (staging.files[0].origin if alone else "") or staging.key.unit


def _convert(
    reader: str,
    columns: str,
    source: Path,
    target: Path,
    origin: str,
    diagnose: Callable[[Path], Wrong | None],
) -> None:
    quoted = str(target).replace("'", "''")
    with (
        connection.scratch() as backend,
        atomic_files.write_errors(target),
        _readable(origin, lambda _: diagnose(source)),
    ):
        # the same bytes in must be the same bytes out, or every pull would be a new delivery
        backend.con.execute("SET preserve_insertion_order = true")
        backend.con.execute(
            f"COPY (SELECT {columns} FROM {reader}) TO '{quoted}' "
            "(FORMAT parquet, COMPRESSION zstd)",
            [str(source)],
        )


def _faultless(backend: Backend, form: Format, path: Path, origin: str) -> _Lines:
    """The lines of one file, of which none is to be refused."""
    with _readable(origin):
        lines = _Lines(backend, [path])
        refuse_columns(form, lines.schema.names, origin)
        faults = lines.asked(lambda table: form.refusals(table).limit(1), form.NAME)
    if faults:
        raise _fault(_Lines(backend, [path], numbered=True), form, origin)
    return lines


def _fault(lines: _Lines, form: Format, origin: str) -> InputError:
    """The first line that is refused; what it lacks cannot be searched for, its number can."""
    first = lines.asked(
        lambda table: form.refusals(table).order_by(line_faults.ROW_NUMBER).limit(1), form.NAME
    )
    fault = first[0]
    line = malformed_files.line_of(Path(origin), fault[line_faults.ROW_NUMBER])
    problem = fault["problem"]
    if line:
        problem = problem.replace(line_faults.SOMEWHERE, f"on line {line}")
    error = CurrencyError if "Currency" in problem else InputError
    return error(f"{origin}: {problem}", value=fault["value"], remedy=fault["remedy"])


def refuse_columns(form: Format, columns: Collection[str], origin: str) -> None:
    """Raises `InputError` where a column is not there that every delivery of the format has."""
    absent = [name for name in form.REQUIRED if name not in columns]
    if len(absent) == len(form.REQUIRED):
        _refuse_other_kind(form, columns, origin)
    if absent:
        raise InputError(
            f"{origin}: required column missing",
            value=absent[0],
            remedy=_nearest(absent[0], columns),
        )


def _refuse_other_kind(form: Format, columns: Collection[str], origin: str) -> None:
    """Raises `InputError` where a bill is one of another kind, told by all that it must have."""
    for kind, called in BILLS.items():
        if kind != form.NAME and set(formats.named(kind).REQUIRED) <= set(columns):
            raise InputError(
                f"{origin}: not {BILLS.get(form.NAME, form.NAME)}",
                value=f"it is {called}",
                remedy=f'set kind = "{kind}" in this [[sources]] entry, then ingest again',
            )


def _nearest(name: str, found: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(found), n=1, cutoff=0.6)
    advice = f"{close[0]} is there: rename it" if close else "export it too"
    return f"{advice}, then deliver again"


def _summed(lines: _Lines, form: Format) -> Checked:
    sums = lines.asked(form.totals, form.NAME) if form.VIEW == "charges" else []
    return Checked(
        {
            str(row.pop("account")): {
                name: str(value) for name, value in row.items() if value is not None
            }
            for row in sums
        },
        lines.described,
    )


class _Lines:
    """The delivered lines of some files; those of one backend are forgotten for the next.

    What Ibis would find out and say again for each of hundreds of alike files is remembered.
    """

    def __init__(self, backend: Backend, paths: Iterable[Path], *, numbered: bool = False) -> None:
        self._con = backend.con
        files = ", ".join("'{}'".format(str(path).replace("'", "''")) for path in paths)
        self._con.execute(
            f"CREATE OR REPLACE TEMP VIEW {LINES} AS "
            f"FROM read_parquet([{files}], union_by_name = true, "
            f"{line_faults.ROW_NUMBER} = {numbered})"
        )
        self.described = str(self._con.execute(f"DESCRIBE {LINES}").fetchall())
        if self.described not in _COLUMNS:
            _COLUMNS[self.described] = backend.table(LINES).schema()
        self.schema = _COLUMNS[self.described]

    def asked(self, question: Callable[[ir.Table], ir.Table], about: str) -> list[dict[str, Any]]:
        """The answer's rows."""
        mark = (question.__qualname__, about, self.described)
        with _SAYING, unswept():
            if mark not in _SAID:
                _SAID[mark] = rendering.sql(question(ibis.table(self.schema, name=LINES)))
        cursor = self._con.execute(_SAID[mark])
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _damaged(error: duckdb.Error) -> Wrong | None:
    """A damaged page of Parquet raises the bare class, or one of these; a value does not."""
    kinds = (duckdb.OperationalError, duckdb.InvalidInputException, duckdb.InternalError)
    if type(error) is duckdb.Error or isinstance(error, kinds):
        return Wrong("a part of this Parquet file is damaged", malformed_files.WHOLE)
    return None


@contextmanager
def _readable(origin: str, diagnose: Diagnose = _damaged) -> Iterator[None]:
    """The reader's refusal of a file, or to write its copy, as one line about the user's file."""
    try:
        yield
    except duckdb.Error as error:  # the bare class too: a damaged page raises nothing narrower
        raise _refused(origin, error, diagnose) from None


def _refused(origin: str, error: duckdb.Error, diagnose: Diagnose) -> StorageError | InputError:
    said = KIND.sub("", ASIDE.sub("", " ".join(str(error).split())))
    if any(word in said for word in FULL) or isinstance(error, duckdb.OutOfMemoryException):
        return StorageError(
            f"cannot keep {origin}",
            value=shorten(said, LONGEST, placeholder=" …"),
            remedy="free some space and run again",
        )
    spoken = Wrong(shorten(said, LONGEST, placeholder=" …"), malformed_files.CORRECT)
    return _named(origin, diagnose(error) or spoken)


def _named(origin: str, wrong: Wrong) -> InputError:
    return InputError(f"cannot read {origin}", value=wrong.said, remedy=wrong.remedy)
