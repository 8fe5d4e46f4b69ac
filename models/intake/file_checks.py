"""Checks one delivered Parquet file against its format: columns, lines, totals."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ibis.backends.duckdb import Backend

from models import formats
from models.contract.errors import CurrencyError, InputError
from models.formats import Format, line_faults
from models.intake import malformed_files
from models.intake.delivered_lines import DeliveredLines
from models.intake.reader_errors import reader_errors
from models.intake.required_columns import refuse_columns
from models.raw.delivery import File, Totals
from models.raw.staging import Staging


class CheckedFile(NamedTuple):
    """What was found of a file: its totals per account, and its columns with their types."""

    totals: Totals
    columns: str


def check_file(backend: Backend, staging: Staging, format_name: str, file: File) -> CheckedFile:
    """Checks one new file of a delivery. Raises `InputError` for the first line to be refused."""
    form = formats.named(format_name)
    lines = lines_without_fault(backend, form, staging.folder / file.name, origin_of(file))
    with reader_errors(origin_of(file)):
        return checked_totals(lines, form)


def lines_without_fault(backend: Backend, form: Format, path: Path, origin: str) -> DeliveredLines:
    """Returns the lines of one file; raises `InputError` if one of them must be refused."""
    with reader_errors(origin):
        lines = DeliveredLines(backend, [path])
        refuse_columns(form, lines.schema.names, origin)
        faults = lines.answer(lambda table: form.refusals(table).limit(1), form.NAME)
    if faults:
        raise _first_fault(DeliveredLines(backend, [path], numbered=True), form, origin)
    return lines


def _first_fault(lines: DeliveredLines, form: Format, origin: str) -> InputError:
    """The refusal of the first faulty line, with the number of the line in the user's file."""
    first = lines.answer(
        lambda table: form.refusals(table).order_by(line_faults.ROW_NUMBER).limit(1), form.NAME
    )
    fault = first[0]
    line = malformed_files.line_of(Path(origin), fault[line_faults.ROW_NUMBER])
    problem = fault["problem"]
    if line:
        problem = problem.replace(line_faults.SOMEWHERE, f"on line {line}")
    error = CurrencyError if "Currency" in problem else InputError
    return error(f"{origin}: {problem}", value=fault["value"], remedy=fault["remedy"])


def checked_totals(lines: DeliveredLines, form: Format) -> CheckedFile:
    """Returns the totals of the lines per account, and their columns; no totals without charges."""
    sums = lines.answer(form.totals, form.NAME) if form.VIEW == "charges" else []
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
    """Returns what the user calls a file: where it came from, else its own name."""
    return file.origin or file.name
