"""Writes an export: a mart or delivered rows, as CSV, JSON or Parquet."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from models.config.settings import Settings
from models.contract import schema
from models.documents.exports.extract import extract
from models.documents.exports.files import to_csv, to_json, to_parquet
from models.raw import atomic_files
from models.records.audit import audited

TEXTS = {"csv": to_csv, "json": to_json}


def write(settings: Settings, name: str, month: str | None, kind: str, output: Path | None) -> None:
    """Exports a mart, or (with an entry in the audit trail) delivered rows, to a file or stdout.

    The format is CSV, JSON or (to a file only) Parquet. A file is written whole or not at all.
    """
    about = {"table": name, "month": month, "format": kind, "file": str(output or "-")}
    delivered = name in schema.DELIVERED
    with (
        audited(settings.data, "export source rows", about) if delivered else nullcontext(),
        extract(name, settings, month) as rows,
    ):
        if output is None:
            with atomic_files.write_errors(Path("standard output")):
                TEXTS[kind](rows, sys.stdout.write)
                sys.stdout.flush()
        elif kind == "parquet":
            to_parquet(rows, output)
        else:
            with (
                atomic_files.replace_file(output) as draft,
                draft.open("w", encoding="utf-8") as file,
            ):
                TEXTS[kind](rows, file.write)
