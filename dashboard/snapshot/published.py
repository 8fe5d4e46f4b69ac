"""Reads what the current snapshot is, when data was last pulled, and the SQL behind a mart."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

from dashboard.snapshot.rows import Row, read_row, read_rows
from models.contract.errors import MissingDataError


def snapshot() -> Row | None:
    """Reads id, version, dates and settings of the published snapshot; None without one."""
    with suppress(MissingDataError):
        return read_row("SELECT * FROM snapshot")
    return None


def settled_through() -> date | None:
    """Returns the last settled day of the published snapshot; None without one."""
    row = snapshot()
    return row["settled_through"] if row else None


def pulled_at() -> Row | None:
    """Reads a row with the newest `last_success` of all sources; null if none succeeded."""
    return read_row("SELECT max(last_success) AS last_success FROM freshness")


def restated() -> list[Row]:
    """Reads the settled months that AWS changed in the last 35 days of pulls."""
    return read_rows("SELECT * FROM late_changes ORDER BY month")


def sql(mart: str) -> str | None:
    """Reads the SQL behind a mart; None if there is no such mart."""
    row = read_row("SELECT sql FROM queries WHERE mart = $mart", mart=mart)
    return str(row["sql"]) if row else None
