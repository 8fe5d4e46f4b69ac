"""The only door to the published snapshot: a question in, plain rows out.

Each request reads the snapshot that is current by then, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from contextlib import suppress

from dashboard.snapshot.rows import Row, read_row, read_rows
from models.contract.errors import MissingDataError


def snapshot() -> Row | None:
    """What the current snapshot is; None when nothing is published yet."""
    with suppress(MissingDataError):
        return read_row("SELECT * FROM snapshot")
    return None


def pulled_at() -> Row | None:
    """When each source last delivered."""
    return read_row("SELECT max(last_success) AS last_success FROM freshness")


def restated() -> list[Row]:
    """Months that were settled and that AWS has changed since, in the last 35 days of pulls."""
    return read_rows("SELECT * FROM late_changes ORDER BY month")


def sql(mart: str) -> str | None:
    """The SQL behind a mart."""
    row = read_row("SELECT sql FROM queries WHERE mart = $mart", mart=mart)
    return str(row["sql"]) if row else None
