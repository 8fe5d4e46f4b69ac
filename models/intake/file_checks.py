"""Checks one delivered Parquet file against its format: columns, lines and totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ibis.backends.duckdb import Backend

from models import formats
from models.contract.errors import InputError
from models.formats import Format, line_faults
from models.intake import malformed_files
from models.intake.delivered_lines import DeliveredLines
from models.intake.reader_errors import reader_errors
from models.intake.required_columns import refuse_columns, refuse_repeated_columns
from models.intake.size_limits import refuse_large_parquet
from models.raw.delivery import File, Totals
from models.raw.staging import Staging


class CheckedFile(NamedTuple):
    """The result of checking a file: a bill's totals per account and month, columns with types."""

    totals: Totals
    columns: str


def check_file(backend: Backend, staging: Staging, format_name: str, file: File) -> CheckedFile:
    """Checks a delivered Parquet file; returns a bill's totals, and columns; or `InputError`."""
    form = formats.named(format_name)
    lines = lines_without_fault(backend, form, staging.folder, file)
    with reader_errors(origin_of(file)):
        return checked_totals(lines, form, file.rows)


def lines_without_fault(backend: Backend, form: Format, folder: Path, file: File) -> DeliveredLines:
    """Returns a file's rows after checking size, columns, and each row; or `InputError`.

    A column may be missing, or be there twice.
    """
    path, origin = folder / file.name, origin_of(file)
    refuse_large_parquet(path, origin)
    refuse_repeated_columns(path, origin)
    with reader_errors(origin):
        lines = DeliveredLines(backend, [path])
        refuse_columns(form, lines.schema.names, origin)
        if not file.rows:
            return lines
        if form.VIEW == "charges":  # builds read most of a bill's texts, of other files a few
            lines.read_texts()
        found = lines.answer(lambda table: line_faults.any_faulty(form.refusals(table)), form.NAME)
    if found:
        raise _first_fault(DeliveredLines(backend, [path], numbered=True), form, origin)
    return lines


def _first_fault(lines: DeliveredLines, form: Format, origin: str) -> InputError:
    """Returns the error for a file's first faulty row, with its place if known."""
    first = lines.answer(
        lambda table: form.refusals(table).order_by(line_faults.ROW_NUMBER).limit(1), form.NAME
    )
    fault = first[0]
    problem = fault["problem"]
    if place := _place(origin, fault):
        somewhere = (
            problem if line_faults.SOMEWHERE in problem else f"{problem} {line_faults.SOMEWHERE}"
        )
        problem = somewhere.replace(line_faults.SOMEWHERE, place)
    return InputError(
        f"{origin}: {problem}", value=malformed_files.shown(fault["value"]), remedy=fault["remedy"]
    )


def _place(origin: str, fault: dict[str, Any]) -> str:
    """Returns where a faulty row is: line number in CSV, else what the format says, or ""."""
    if line := malformed_files.line_of(Path(origin), fault[line_faults.ROW_NUMBER]):
        return f"on line {line}"
    return malformed_files.shown(fault.get(line_faults.PLACE) or "")


def checked_totals(lines: DeliveredLines, form: Format, rows: int) -> CheckedFile:
    """Returns a file's columns and, of a bill, its totals per account and month.

    There are no totals either where there are no `rows`.
    """
    sums = lines.answer(form.totals, form.NAME) if rows and form.VIEW == "charges" else []
    return CheckedFile(
        {
            str(row.pop("account")): {
                name: str(value) for name, value in row.items() if value is not None
            }
            for row in sums
        },
        lines.described,
    )


def origin_of(file: File) -> str:
    """Returns a delivered file's name for messages: where it came from, else its file name."""
    return file.origin or file.name
