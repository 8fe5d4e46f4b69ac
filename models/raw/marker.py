"""Writes and reads `_delivery.json`, the marker that makes a delivery exist."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from models.contract.errors import StorageError
from models.raw import atomic_files
from models.raw.delivery import Delivery, File
from models.raw.delivery_key import Key

MARKER = "_delivery.json"


def write_marker(delivery: Delivery) -> None:
    """Writes a delivery's marker file atomically; only then do readers see the delivery."""
    document = asdict(delivery) | {"pulled_at": delivery.pulled_at.isoformat()}
    del document["folder"]
    atomic_files.replace_json(delivery.folder / MARKER, document)


def read_marker(marker: Path) -> Delivery:
    """Reads a delivery from its marker file. Raises `StorageError` if the file is damaged."""
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
