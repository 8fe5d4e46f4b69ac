"""Event files of TensorBoard by hand: any value at any time, and bytes that no writer writes."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import google_crc32c

from ingest.sources.progress.tensorboard.events import EVENT

FIXTURES = Path(__file__).parents[2] / "fixtures" / "tensorboard"
NAME = "events.out.tfevents.1761000000.trn1.1.0"


def seconds(moment: str) -> float:
    """Seconds since 1970 of a time such as `20T01:00` of October 2025."""
    return datetime.fromisoformat(f"2025-10-{moment}").replace(tzinfo=UTC).timestamp()


def framed(content: bytes) -> bytes:
    """A record of TFRecord: length and content, each with its checksum."""
    length = struct.pack("<Q", len(content))
    return length + _checksum(length) + content + _checksum(content)


def _checksum(content: bytes) -> bytes:
    plain = google_crc32c.value(content)
    return struct.pack("<I", ((plain >> 15 | plain << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def version() -> bytes:
    """The first record of every event file."""
    return framed(EVENT(wall_time=1.0, file_version=b"brain.Event:2").SerializeToString())


def event(moment: str | float, step: int, **values: Any) -> bytes:  # noqa: ANN401
    """The record of one event; a value is a number, or the fields of a tensor."""
    at = seconds(moment) if isinstance(moment, str) else moment
    made = EVENT(wall_time=at, step=step)
    for tag, value in values.items():
        field = "tensor" if isinstance(value, dict) else "simple_value"
        made.summary.value.add(tag=tag.encode(), **{field: value})
    return framed(made.SerializeToString())


def write(folder: Path, *records: bytes, name: str = NAME) -> Path:
    """An event file of these records in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(version() + b"".join(records))
    return path
