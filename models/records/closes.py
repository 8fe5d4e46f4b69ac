"""Stores closed months as JSON files `closes/<month>/<version>.json`, each written once.

They are next to the warehouse and do not depend on it. A close that was interrupted leaves at most
a draft with a hidden name, which is never read. Versions are never changed or removed; closing a
month again adds one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from models.contract import schema_version
from models.contract.errors import StorageError
from models.raw import atomic_files
from models.records.canonical_json import canonical_sha256
from models.records.statement import Statement, read

FOLDER = "closes"
Delivered = Mapping[str, Any]
"""A delivery as a close names it: key, id, format, fingerprint of its bytes, totals of a bill."""


@dataclass(frozen=True)
class Close:
    """One version of a closed month: its statement, who closed it and when, and its inputs.

    `closed_at` is UTC. It was computed from `deliveries`, `config` and `closes`.
    `notes` holds the conditions that were met, and how. `schema` is the version of its file.
    """

    statement: Statement
    version: int
    closed_by: str
    closed_at: str
    reason: str
    deliveries: tuple[Delivered, ...]
    config: Mapping[str, Any]
    closes: tuple[tuple[str, int], ...]
    notes: tuple[str, ...] = ()
    schema: int = schema_version.CLOSE

    @property
    def month(self) -> str:
        """Returns the closed month as `YYYY-MM`."""
        return self.statement.month

    @property
    def called(self) -> str:
        """Returns the name of a version of a closed month in messages: `2026-10 version 2`."""
        return f"{self.month} version {self.version}"

    def document(self) -> dict[str, Any]:
        """Converts a closed month to the JSON document of its file, with two SHA-256 sums.

        `seal` is the hash of the whole document, `sha256` that of the statement alone.
        """
        body = {
            "month": self.month,
            "version": self.version,
            "sha256": self.statement.sha256,
            "closed_by": self.closed_by,
            "closed_at": self.closed_at,
            "reason": self.reason,
            "notes": list(self.notes),
            "deliveries": [dict(delivered) for delivered in self.deliveries],
            "config": dict(self.config),
            "closes": [list(named) for named in self.closes],
            "statement": self.statement.document(),
        }
        if self.schema > schema_version.FIRST:  # the first one did not name itself
            body["schema"] = self.schema
        return body | {"seal": canonical_sha256(body)}


class Closes:
    """Reads and writes closed months in their folder, a JSON file for each version."""

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER

    def versions(self, month: str) -> list[Close]:
        """Reads every version of a closed month, oldest first; empty for any other month."""
        written = sorted(self.folder.glob("*/[0-9]*.json"))
        return [_read(path) for path in written if path.parent.name == month]

    def every(self) -> list[Close]:
        """Reads every version of every closed month, by month and version."""
        return [_read(path) for path in sorted(self.folder.glob("*/[0-9]*.json"))]

    def newest_versions(self, *, without: str = "") -> list[Close]:
        """Reads the newest version of each closed month, oldest month first.

        The month `without` is left out, if given.
        """
        return newest_versions(close for close in self.every() if close.month != without)

    def named(self) -> set[str]:
        """Returns the IDs of all deliveries that closed months were computed from."""
        return {str(one["id"]) for close in self.every() for one in close.deliveries}

    def last_written(self) -> datetime | None:
        """Returns when the newest close was written (UTC), by its file; None without one."""
        written = [path.stat().st_mtime for path in self.folder.glob("*/[0-9]*.json")]
        return datetime.fromtimestamp(max(written), UTC) if written else None

    def add(self, close: Close) -> Path:
        """Writes a new version of a closed month to its file, all or nothing; returns the path."""
        path = self.folder / close.month / f"{close.version:04}.json"
        atomic_files.create_json(path, close.document())
        return path


def newest_versions(closes: Iterable[Close]) -> list[Close]:
    """Returns the newest version of each month, from closes sorted by month and version."""
    return list({close.month: close for close in closes}.values())


def _read(path: Path) -> Close:
    """Reads a closed month from its file; `StorageError` if damaged, changed or newer."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = int(content.get("schema", schema_version.FIRST))
        schema_version.refuse_newer(f"{path}", found, schema_version.CLOSE)
        body = {name: value for name, value in content.items() if name != "seal"}
        statement = read(content["statement"])
        close = Close(
            statement=statement,
            version=int(content["version"]),
            deliveries=tuple(content["deliveries"]),
            closes=tuple((month, int(version)) for month, version in content["closes"]),
            notes=tuple(content["notes"]),
            schema=found,
            **{name: content[name] for name in ("closed_by", "closed_at", "reason", "config")},
        )
        sound = content["seal"] == canonical_sha256(body) and content["sha256"] == canonical_sha256(
            content["statement"]
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise StorageError(f"cannot read {path}", value=error, remedy=RESTORE) from None
    if not sound:
        raise StorageError(
            f"{path} is not as it was closed", value="its seal is broken", remedy=RESTORE
        )
    return close


RESTORE = "restore the file from your backup"
