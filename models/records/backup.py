"""Writes a backup of what cannot be recreated, while everything runs: one file, `.tar.zst`.

It contains closes, the audit trail, ledgers and journals, tokens (as hashes), the config without
its secrets, and the markers of deliveries; with `raw` their files too, from which `verify` computes
a close again. Closes are read before the markers that they name. The last member lists the SHA-256
of the others. The warehouse and snapshots are left out: a build recreates them.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
from filelock import FileLock

from models.config.settings import Settings
from models.raw import atomic_files
from models.raw.marker import MARKER, read_marker
from models.records import audit, tokens
from models.records.closes import FOLDER

ABOUT, SUMS, CONFIG, DATA = "backup.json", "sha256.json", "breakeven.toml", "data"
RAW = "raw"
SCHEMA = 1
SUFFIX = ".tar.zst"
TOKENS = (tokens.FILE,)


class Archive:
    """A backup that is being written: its tar file, and the SHA-256 of each member."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.sums: dict[str, str] = {}

    def add(self, name: str, content: bytes) -> None:
        """Adds a member from bytes to the backup, and records its SHA-256."""
        self._add(name, len(content), io.BytesIO(content))
        self.sums[name] = sha256(content).hexdigest()

    def add_file(self, name: str, path: Path) -> None:
        """Adds a file to the backup, and records its SHA-256; skips one deleted meanwhile."""
        with suppress(FileNotFoundError), path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
            file.seek(0)
            self._add(name, os.fstat(file.fileno()).st_size, file)
            self.sums[name] = digest

    def _add(self, name: str, size: int, content: io.BufferedIOBase) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = size, 0o600, int(datetime.now(UTC).timestamp())
        self._tar.addfile(member, content)


def back_up(settings: Settings, target: Path, config: str | None, *, raw: bool) -> int:
    """Backs up what a build cannot recreate (closes, audit trail, …); returns how many files.

    `config` is the text of the config without secrets, if there is a file.
    """
    about = {"schema": SCHEMA, "version": version("breakeven"), "raw": raw}
    with (
        audit.audited(settings.data, "backup", {"file": str(target), "raw": raw}),
        _writing(target) as archive,
    ):
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        archive.add(ABOUT, _json({**about, "made_at": made_at}))
        if config is not None:
            archive.add(CONFIG, config.encode())
        for path in _unchanging(settings.data, raw=raw):
            archive.add_file(f"{DATA}/{path.relative_to(settings.data).as_posix()}", path)
        for name, content in _growing(settings.data):
            archive.add(f"{DATA}/{name}", content)
        count = len(archive.sums)
        archive.add(SUMS, _json(dict(archive.sums)))
    return count


@contextmanager
def _writing(target: Path) -> Iterator[Archive]:
    with atomic_files.replace_file(target) as draft:
        draft.touch(mode=0o600)
        with (
            pa.output_stream(str(draft), compression="zstd") as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            yield Archive(tar)


def _unchanging(data: Path, *, raw: bool) -> Iterator[Path]:
    """Yields paths of write-once files: closes, delivery markers, delivered files if asked."""
    yield from sorted(data.glob(f"{FOLDER}/*/[0-9]*.json"))
    markers = sorted(data.glob(f"{RAW}/*/*/*/*/{MARKER}"))
    yield from markers
    if raw:
        for marker in markers:
            yield from read_marker(marker).paths


def _growing(data: Path) -> Iterator[tuple[str, bytes]]:
    """Yields (name, bytes) of audit trail, logs (up to the last whole line), and tokens."""
    with FileLock(data / audit.LOCK, mode=0o600):  # the trail and its head belong together
        held = [(name, (data / name).read_bytes()) for name in (audit.FILE, audit.HEAD)]
    yield from held
    for path in sorted(data.glob("*.jsonl")):
        if path.name not in (audit.FILE, *TOKENS):
            whole, end, _ = path.read_bytes().rpartition(b"\n")
            yield path.name, whole + end
    for path in (data / name for name in TOKENS):
        if path.is_file():
            yield path.name, path.read_bytes()


def _json(document: dict[str, object] | dict[str, str]) -> bytes:
    return json.dumps(document, indent=1, sort_keys=True).encode()
