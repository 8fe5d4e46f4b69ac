"""What a delivery is: its key, its files, and the marker that makes it exist."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from models.contract.errors import StorageError
from models.raw import atomic_files

MARKER = "_delivery.json"
MONTH = re.compile(r"\d{4}-\d{2}")
LONGEST_NAME = 200
"""Characters of a folder name; file systems stop at 255 bytes."""
Totals = Mapping[str, Mapping[str, str]]
"""`billing account|sub-account|month` → column → sum as decimal text."""


@dataclass(frozen=True, order=True)
class Key:
    """What a delivery is the newest word about."""

    source: str
    unit: str
    period: str

    @property
    def path(self) -> Path:
        """Its folder, relative to the raw zone; any character and length is allowed in a name."""
        return Path(*(_folder_name(part) for part in (self.source, self.unit, self.period)))


@dataclass(frozen=True)
class File:
    """One delivered Parquet file. `origin` is where it came from, `etag` what that was then."""

    name: str
    sha256: str
    rows: int
    size: int
    origin: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Delivery:
    """One complete delivery; `pulled_at` is UTC."""

    key: Key
    id: str
    format: str
    pulled_at: datetime
    files: tuple[File, ...]
    append: bool = False
    totals: Totals = field(default_factory=dict)
    request_ids: tuple[str, ...] = ()
    folder: Path = Path()

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same bytes, whatever the files are called."""
        return fingerprint(self.files)

    @property
    def paths(self) -> list[Path]:
        """Its Parquet files."""
        return [self.folder / file.name for file in self.files]

    @property
    def rows(self) -> int:
        """Rows in all its files."""
        return sum(file.rows for file in self.files)

    def may_hold(self, months: Collection[str]) -> bool:
        """Whether lines of these billing months may be in it; a folder's period says nothing."""
        return self.key.period in months or not MONTH.fullmatch(self.key.period)

    @property
    def present(self) -> bool:
        """False once its files were cleared away and only the marker is left."""
        return all(path.is_file() for path in self.paths)


def fingerprint(files: Iterable[File]) -> str:
    """SHA-256 over the files' own hashes, in order of hash."""
    return sha256(",".join(sorted(file.sha256 for file in files)).encode()).hexdigest()


def write(delivery: Delivery) -> None:
    """Writes the marker, whole or not at all: from this moment the delivery exists."""
    document = asdict(delivery) | {"pulled_at": delivery.pulled_at.isoformat()}
    del document["folder"]
    atomic_files.replace(delivery.folder / MARKER, document)


def read(marker: Path) -> Delivery:
    """The delivery a marker describes. Raises `StorageError` if it is damaged."""
    try:
        found = json.loads(marker.read_text(encoding="utf-8"))
        return Delivery(
            key=Key(**found["key"]),
            id=found["id"],
            format=found["format"],
            pulled_at=datetime.fromisoformat(found["pulled_at"]),
            files=tuple(File(**file) for file in found["files"]),
            append=found["append"],
            totals=found["totals"],
            request_ids=tuple(found["request_ids"]),
            folder=marker.parent,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"cannot read {marker}", value=error, remedy="delete its folder and ingest again"
        ) from None


def _folder_name(part: str) -> str:
    """`part` as one folder name: no separators, never hidden or `..`, never too long."""
    name = quote(part, safe="@=+, ") or "_"
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 17]}-{sha256(part.encode()).hexdigest()[:16]}"
