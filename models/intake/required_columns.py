"""Refuses files without the columns that their format requires, or with one of them twice."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from models import formats
from models.contract.errors import InputError
from models.formats import Format
from models.intake.malformed_files import ONCE, repeated_column, shown

BILLS = {"focus": "a FOCUS export", "cur2": "a Cost and Usage Report (CUR 2.0)"}
"""Exports that are easily confused, as their owner calls them."""
SIMILARITY = 0.8
"""How alike two names must be for one to be the other, misspelt: `acclerators`, not `note`."""


def refuse_columns(form: Format, columns: Collection[str], origin: str) -> None:
    """Raises `InputError` for a missing column, or one spelt unlike the known column it means."""
    absent = [name for name in form.REQUIRED if name not in columns]
    if len(absent) == len(form.REQUIRED):
        _refuse_other_bill(form, columns, origin)
    if absent:
        raise InputError(
            f"{origin}: required column missing",
            value=absent[0],
            remedy=_nearest(absent[0], columns),
        )
    _refuse_other_spelling(formats.KNOWN_COLUMNS.get(form.NAME, ()), columns, origin)
    refuse_misspelt(formats.UNLIKE_OTHERS.get(form.NAME, ()), columns, origin)


def refuse_repeated_columns(path: Path, origin: str) -> None:
    """Raises `InputError` if a Parquet file has a column twice; skips unreadable files."""
    with suppress(pa.ArrowException, OSError):
        if twice := repeated_column(pq.read_schema(path).names):
            raise InputError(f"{origin}: a column appears twice", value=shown(twice), remedy=ONCE)


def _refuse_other_spelling(known: Collection[str], columns: Collection[str], origin: str) -> None:
    """Raises `InputError` for a column that equals a missing one but for case, signs or plural."""
    lacking = {_plain(name): name for name in known if name not in columns}
    for name in columns:
        if name not in known and _plain(name) in lacking:
            raise _misspelt(name, lacking[_plain(name)], origin)


def refuse_misspelt(known: Collection[str], columns: Collection[str], origin: str) -> None:
    """Raises `InputError` for an unknown column whose name is nearly that of a missing one."""
    lacking = [name for name in known if name not in columns]
    for name in columns:
        close = difflib.get_close_matches(name.casefold(), lacking, n=1, cutoff=SIMILARITY)
        if close and name not in known:
            raise _misspelt(name, close[0], origin)


def _misspelt(name: str, meant: str, origin: str) -> InputError:
    return InputError(
        f"{origin}: unknown column",
        value=shown(name),
        remedy=f"did you mean {meant}? rename it, then deliver again",
    )


def _plain(name: str) -> str:
    """Returns a column name without case, signs and plurals, so `Epochs` equals `epoch`."""
    words = re.findall("[a-z0-9]+", name.casefold())
    return "".join(word if word == "s" else word.removesuffix("s") for word in words)


def _refuse_other_bill(form: Format, columns: Collection[str], origin: str) -> None:
    """Raises `InputError` if a bill is of another kind (FOCUS, CUR 2.0, …) than configured."""
    for kind, called in BILLS.items():
        if kind != form.NAME and set(formats.named(kind).REQUIRED) <= set(columns):
            raise InputError(
                f"{origin}: not {BILLS.get(form.NAME, form.NAME)}",
                value=f"it is {called}",
                remedy=f'set kind = "{kind}" in this [[sources]] entry, then ingest again',
            )


def _nearest(name: str, found: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(found), n=1, cutoff=0.6)
    advice = f"{shown(close[0])} is there: rename it" if close else "export it too"
    return f"{advice}, then deliver again"
