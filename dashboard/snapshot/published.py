"""Reads about the snapshot: its id and dates, the last pull, restated months, SQL of marts."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, read_row, read_rows
from models.contract.errors import MissingDataError


def snapshot() -> Row | None:
    """Reads the one row about the published snapshot (id, version, dates, settings), or None."""
    with suppress(MissingDataError):
        return read_row("SELECT * FROM snapshot")
    return None


def status_of_missing() -> int:
    """Returns the HTTP status for missing data: 404, or 503 while there is no snapshot at all."""
    return 404 if data_context().mark else 503


def settled_through() -> date | None:
    """Returns the last settled day of the published snapshot; None without one."""
    row = snapshot()
    return row["settled_through"] if row else None


def pulled_at() -> Row | None:
    """Reads one row: the newest time of a successful pull of any source; null if none succeeded."""
    return read_row("SELECT max(last_success) AS last_success FROM freshness")


def restated() -> list[Row]:
    """Reads the settled months whose bill AWS changed in the last 35 days of pulls, by how much."""
    return read_rows("SELECT * FROM late_changes ORDER BY month")


def sql(mart: str) -> str | None:
    """Reads the SQL text of a mart of the published snapshot; None if there is no such mart."""
    row = read_row("SELECT sql FROM queries WHERE mart = $mart", mart=mart)
    return str(row["sql"]) if row else None
