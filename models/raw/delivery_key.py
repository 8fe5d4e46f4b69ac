"""Defines the key of a delivery (source, unit, period) and the folder of a key."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

LONGEST_NAME = 200
"""Characters of a folder name; file systems stop at 255 bytes."""


@dataclass(frozen=True, order=True)
class Key:
    """A delivery's source, unit and period; a newer delivery of the same key replaces older ones.

    Example: source `focus`, unit `export-1`, period `2026-09`. Each source says what its units and
    periods are: an export and billing months, an account-region and UTC days, a path and `all`.
    """

    source: str
    unit: str
    period: str

    @property
    def path(self) -> Path:
        """Returns the folder of a key, relative to the raw zone, with names escaped."""
        return Path(*(_folder_name(part) for part in (self.source, self.unit, self.period)))


def _folder_name(part: str) -> str:
    """Makes any text a safe folder name: no separators, never hidden or `..`, never too long."""
    name = {"": "_", "_": "%5F"}.get(part) or quote(part, safe="@=+, ")
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 17]}-{sha256(part.encode()).hexdigest()[:16]}"
