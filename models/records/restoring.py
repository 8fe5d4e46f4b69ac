"""Restores a backup into a folder that has none of its files: whole, or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from models.contract.errors import StorageError
from models.contract.schema_version import refuse_newer
from models.raw import atomic_files
from models.records import audit
from models.records.backup import ABOUT, CONFIG, DATA, RAW, SCHEMA, SUMS, TOKENS
from models.records.closes import FOLDER

NAMES = (FOLDER, RAW, audit.HEAD, *TOKENS)
"""What of the warehouse's folder a backup has, besides trails, ledgers and journals (`*.jsonl`)."""
PREFIX = ".restore-"
"""How the temporary folders of restores begin."""
DAMAGED = "use another copy of the backup"


def unpack(file: Path, folder: Path) -> dict[str, Any]:
    """Unpacks a backup into an empty folder and checks every hash; returns its `about` document.

    Raises `StorageError` for a file that is not a whole backup, or one of a newer version.
    """
    try:
        with (
            pa.input_stream(str(file), compression="zstd") as packed,
            tarfile.open(fileobj=packed, mode="r|") as tar,
        ):
            for member in tar:
                _unpack(tar, member, folder)
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        refuse_newer(str(file), int(about["schema"]), SCHEMA)
        _refuse_strange(about["made_at"], folder / DATA)
        _check_sums(file, folder)
    except (OSError, tarfile.TarError, ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"{file} is not a whole backup", value=_reason(error), remedy=DAMAGED
        ) from None
    return dict(about)


def _unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Writes one member below a folder; `ValueError` for anything but a plain file inside it."""
    name = PurePosixPath(member.name)
    content = tar.extractfile(member) if member.isfile() else None
    if content is None or name.is_absolute() or ".." in name.parts:
        raise ValueError(f"{member.name} is not a file of a backup")
    path = folder / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with content, atomic_files.write_errors(path), path.open("wb") as file:
        shutil.copyfileobj(content, file)


def _refuse_strange(made_at: str, data: Path) -> None:
    """Raises `ValueError` unless `made_at` is a time and `data` has only files that backups have.

    Such as `web.json`: whoever made it would know the key that signs sessions.
    """
    datetime.fromisoformat(made_at)
    if not data.is_dir():
        raise ValueError("it has no files of a warehouse")
    for name in sorted(path.name for path in data.iterdir()):
        if name not in NAMES and not name.endswith(".jsonl"):
            raise ValueError(f"{DATA}/{name} is not a file of a backup")


def _check_sums(file: Path, folder: Path) -> None:
    sums = json.loads((folder / SUMS).read_text(encoding="utf-8"))
    there = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    } - {SUMS}
    for name in sorted({*sums, *there}):
        if name not in there or atomic_files.sha256(folder / name) != sums.get(name):
            raise StorageError(f"{file} is damaged", value=name, remedy=DAMAGED)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def restore(unpacked: Path, data: Path) -> int:
    """Moves unpacked files to the warehouse's folder; `StorageError` if one exists there.

    They get their names there when all are on its file system, which may be another one and full.
    `StorageError` where one of them is there already: a restore never replaces anything.
    """
    found = sorted((unpacked / DATA).iterdir())
    for each in found:
        if (data / each.name).exists():
            raise StorageError(
                f"{data} is not empty", value=each.name, remedy="restore into an empty folder"
            )
    files = [path for path in (unpacked / DATA).rglob("*") if path.is_file()]
    with atomic_files.write_errors(data):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with scratch(data) as near:
            for path in files:
                target = near / path.relative_to(unpacked / DATA)
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.move(path, target)
            for each in found:
                (near / each.name).rename(data / each.name)
    return len(files)


def write_config(unpacked: Path, path: Path) -> bool:
    """Writes the config of a backup where there is none yet; returns whether it did."""
    if path.exists() or not (unpacked / CONFIG).is_file():
        return False
    with atomic_files.write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_files.replace_file(path.absolute()) as draft:
            shutil.copyfile(unpacked / CONFIG, draft)
    return True


@contextmanager
def scratch(place: Path) -> Iterator[Path]:
    """Yields a new temporary folder in a folder, and deletes it; deletes leftovers first.

    A restore that was cut off leaves its folder, which may hold all delivered files. It is known by
    its lock: one that still runs holds that of its own. The place is the warehouse's folder, once a
    config says where: a config alone may lie where nobody can write, as in a container.
    `StorageError` where nothing can be made.
    """
    with atomic_files.write_errors(place):
        place.mkdir(parents=True, exist_ok=True)
        for left in place.glob(f"{PREFIX}*"):
            with suppress(OSError), _locked(left):
                shutil.rmtree(left)
        made = tempfile.TemporaryDirectory(prefix=PREFIX, dir=place)
    with made as name, ExitStack() as held:
        with suppress(OSError):  # some network drives know no locks
            held.enter_context(_locked(Path(name)))
        yield Path(name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder; `OSError` if another process, or another caller, has it."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)
