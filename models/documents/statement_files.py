"""Writes the statement of a month in each file format: xlsx, pdf, csv, json, parquet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.documents import statement_tables
from models.documents.paper import Paper, paper
from models.documents.pdf.statement_pdf import document
from models.documents.workbook.statement_workbook import workbook
from models.raw import atomic_files
from models.records.audit import audited

KINDS: Mapping[str, Callable[[Paper], bytes]] = {
    "xlsx": workbook,
    "pdf": document,
    "csv": statement_tables.to_csv,
    "json": statement_tables.to_json,
    "parquet": statement_tables.to_parquet,
}
ENDS = {"csv": "csv.zip", "parquet": "parquet.zip"}
"""The end of a file's name, where it is not the form's."""


def name(of: Paper, kind: str) -> str:
    """Returns the file name of a month's statement: `savings-2026-10-v1.xlsx`, or with `-draft`."""
    stand = f"v{of.close.version}" if of.close else "draft"
    return f"savings-{of.statement.month}-{stand}.{ENDS.get(kind, kind)}"


def write(
    settings: Settings, month: str | None, kind: str, output: Path | None, version: int | None
) -> None:
    """Exports a month's statement (xlsx, pdf, csv, …) to a file or stdout; the audit trail has it.

    A file is written whole or not at all.
    """
    if month is None:
        raise ConfigError("a statement needs a month", remedy="--month YYYY-MM")
    about = {"month": month, "version": version, "format": kind, "file": str(output or "-")}
    with audited(settings.data, "export statement", about, role="finance"):
        _write(KINDS[kind](paper(settings, month, version)), output)


def _write(content: bytes, output: Path | None) -> None:
    if output is None:
        with atomic_files.write_errors(Path("standard output")):
            sys.stdout.write(content.decode())
        return
    with atomic_files.replace_file(output) as draft:
        draft.write_bytes(content)
