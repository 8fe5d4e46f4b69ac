"""Checks a whole delivery before it is sealed: it is accepted, or refused with one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from decimal import Decimal
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq

from models import formats
from models.contract.errors import InputError
from models.engine.warehouse.scratch import scratch
from models.intake.delivered_lines import DeliveredLines
from models.intake.file_checks import CheckedFile, checked_totals, lines_without_fault
from models.intake.reader_errors import reader_errors
from models.raw.delivery import Totals
from models.raw.staging import Staging


def check_delivery(
    staging: Staging,
    format_name: str,
    *,
    empty: bool = False,
    early: Mapping[str, Future[CheckedFile]] = MappingProxyType({}),
) -> Totals:
    """Checks a delivery's new files; returns a bill's dollars per account, month; or `InputError`.

    The error is one line: the file, the value, the remedy. A delivery without rows is refused,
    unless `empty` allows it and no rows are live. `early` holds by name the results of files that
    were checked while others were downloaded.
    """
    form = formats.named(format_name)
    if not staging.rows and not (empty and not staging.live_rows):
        raise InputError(
            "no row was delivered", value=_display_name(staging), remedy="deliver it again, whole"
        )
    _refuse_maps_beside_text(staging)
    checked = [early[file.name].result() for file in staging.files if file.name in early]
    others = [file for file in staging.files if file.name not in early]
    if others or not checked:
        with scratch() as backend:
            fresh = [file for file in others if file in staging.fresh]
            read = [lines_without_fault(backend, form, staging.folder, file) for file in fresh]
            paths = [staging.folder / file.name for file in others]
            rows = sum(file.rows for file in others)
            with reader_errors(_display_name(staging)):
                lines = read[0] if len(paths) == len(read) == 1 else DeliveredLines(backend, paths)
                checked.append(checked_totals(lines, form, rows))
    if len({each.columns for each in checked}) > 1:
        _refuse_mixed_columns(staging)
    if format_name in formats.READ_WHOLE and len(checked) > 1:
        return _totals_of_whole(staging, form)
    return _sum_totals([each.totals for each in checked])


def _totals_of_whole(staging: Staging, form: formats.Format) -> Totals:
    """Returns dollars per account and month of all files of a delivery, read as one bill.

    Example: a discount in a file of its own is in the net figures of the others, and no dollars.
    """
    with scratch() as backend, reader_errors(_display_name(staging)):
        lines = DeliveredLines(backend, [staging.folder / file.name for file in staging.files])
        return checked_totals(lines, form, staging.rows).totals


def _refuse_mixed_columns(staging: Staging) -> None:
    """Raises `InputError` if a delivery's files cannot be read together as one table.

    Files may be readable each by itself and still not together.
    """
    with scratch() as backend, reader_errors(_display_name(staging)):
        DeliveredLines(backend, [staging.folder / file.name for file in staging.files])


def _refuse_maps_beside_text(staging: Staging) -> None:
    """Raises `InputError` if a column is a map in one of a delivery's files and text in another.

    They cannot be read together: no engine makes a map of a text. A list counts as a map.
    """
    held: dict[str, bool] = {}
    for file in staging.files if len(staging.files) > 1 else ():
        with suppress(pa.ArrowException, OSError):  # a damaged file is refused by what follows
            for column in pq.read_schema(staging.folder / file.name):
                if pa.types.is_null(column.type):
                    continue
                nested = pa.types.is_nested(column.type)
                if held.setdefault(column.name, nested) != nested:
                    raise InputError(
                        f"{_display_name(staging)}: the column {column.name} is a map or list in "
                        "one file and none in another",
                        value=file.origin or file.name,
                        remedy="write all files with one type of it",
                    )


def _sum_totals(found: Sequence[Totals]) -> Totals:
    """Returns the sums of several files' control totals, per account and column.

    A column without a sum in any of them stays absent.
    """
    if len(found) == 1:
        return found[0]
    sums: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for totals in found:
        for account, amounts in totals.items():
            for name, amount in amounts.items():
                sums[account][name] += Decimal(amount)
    return {
        account: {name: f"{amount:f}" for name, amount in amounts.items()}
        for account, amounts in sums.items()
    }


def _display_name(staging: Staging) -> str:
    """Returns a delivery's name for error messages: its only file's origin, else its unit."""
    alone = len(staging.files) == 1
    return (staging.files[0].origin if alone else "") or staging.key.unit
