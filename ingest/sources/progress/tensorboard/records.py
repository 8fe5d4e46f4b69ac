"""Splits a TFRecord file, as TensorBoard's event files are, into its records.

A record is its length (8 bytes, little-endian), a checksum of the length, the bytes, and a checksum
of these: CRC-32C, masked as TensorFlow does. The reader of the package `tensorboard` computes it
byte by byte in Python, and ends in silence where a file is damaged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import google_crc32c

from ingest.sources.progress.tensorboard.left_out import LeftOut
from models.contract.errors import InputError

HEAD, FOOT = struct.Struct("<QI"), struct.Struct("<I")
LENGTH = 8
LARGEST = 1 << 26
"""Bytes of a record that is read: a larger one is a graph or a video, and would fill the memory."""


def records(path: Path, uri: str, left_out: LeftOut) -> Iterator[bytes]:
    """Yields the sound records of a TFRecord file in order; the others are `left_out`.

    Raises `InputError` for a file of another kind: its first bytes are no length with a checksum.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        while (start := file.tell()) < size:
            head = file.read(HEAD.size)
            where = f"{uri} from byte {start:,} on"
            if len(head) == HEAD.size and _masked_checksum(head[:LENGTH]) != HEAD.unpack(head)[1]:
                if not start:
                    raise not_an_event_file(uri, "it does not begin with a record")
                left_out.add("rest of a file", "that is not a record", where)
                return
            if len(head) < HEAD.size or (end := _end(start, head)) > size:
                left_out.add(
                    "record",
                    "cut off at the end (it is being written, or its writer was killed)",
                    where,
                )
                return
            content = _content(file, start, end, uri, left_out)
            if content is not None:
                yield content


def not_an_event_file(uri: str, why: str) -> InputError:
    """Builds the error for a file that is named like an event file and is none."""
    remedy = "deliver what the writer of TensorBoard, PyTorch or tensorboardX wrote"
    return InputError(f"{uri} is not an event file", value=why, remedy=remedy)


def _end(start: int, head: bytes) -> int:
    return start + HEAD.size + int(HEAD.unpack(head)[0]) + FOOT.size


def _content(file: BinaryIO, start: int, end: int, uri: str, left_out: LeftOut) -> bytes | None:
    """Returns a TFRecord record's bytes; None, and counted as left out, if too large or damaged."""
    length = end - start - HEAD.size - FOOT.size
    where = f"{uri} at byte {start:,}"
    if length > LARGEST:
        left_out.add("record", f"of over {LARGEST >> 20} MiB", where)
        file.seek(end)
        return None
    content = file.read(length)
    if FOOT.unpack(file.read(FOOT.size))[0] != _masked_checksum(content):
        left_out.add("record", "with a wrong checksum", where)
        return None
    return content


def _masked_checksum(content: bytes) -> int:
    """Returns TFRecord's masked CRC-32C of some bytes."""
    checksum = int(google_crc32c.value(content))
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
