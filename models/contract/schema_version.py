"""The versions in which this program writes its files, and the refusal of newer ones.

A version grows when an earlier program could not read, or would misread, what is written.
"""

from __future__ import annotations

from models.contract.errors import StorageError

WAREHOUSE = 4
"""Of `warehouse.duckdb`. An older one is deleted and made again from the raw zone."""
SNAPSHOT = 2
"""Of a published snapshot. An older one is read if it has every column, else built again."""
CLOSE = 2
"""Of a closed month. An older one is read as it is; its file never changes."""
FIRST = 1
"""That of 0.1.0, whose files do not name it."""


def refuse_newer(what: str, found: int, ours: int) -> None:
    """Raises `StorageError` if a file's schema version is later than this program writes."""
    if found > ours:
        raise StorageError(
            f"{what} was written by a newer version of breakeven",
            value=f"schema {found}, this one reads up to {ours}",
            remedy="use that version; nothing was changed",
        )
