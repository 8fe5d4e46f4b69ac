"""Writes files atomically: a crash, a full disk or a second writer leaves only whole files."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

from models.contract.errors import StorageError

REMEDIES = {
    errno.ENOSPC: "free some space and run again; nothing half-written was kept",
    errno.EDQUOT: "raise the quota or free some space, then run again",
    errno.EROFS: "the file system is read-only: {elsewhere}",
    errno.EACCES: "give this user the right to write there, or {elsewhere}",
    errno.EPERM: "give this user the right to write there, or {elsewhere}",
    errno.ENOENT: "no folder can be made there: {elsewhere}",
    errno.EEXIST: "a file is where a folder is needed: {elsewhere}",
    errno.ENOTDIR: "a file is where a folder is needed: {elsewhere}",
    errno.EISDIR: "a folder has that name: give a file",
    errno.EFBIG: "the file size limit of this process is too small",
    errno.EBUSY: "a file that is mounted by itself cannot be replaced: mount its folder",
}
BESIDE_THE_WAREHOUSE, OF_THE_USER = "set `warehouse.path` elsewhere", "name another place"
"""What else helps, by who chose the place of a file."""


@contextmanager
def write_errors(path: Path, elsewhere: str = BESIDE_THE_WAREHOUSE) -> Iterator[None]:
    """Converts write errors in a `with` block (disk full, no permission, …) to `StorageError`.

    `elsewhere` is the remedy where nothing can be written at that place.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = path if error.filename is None else error.filename
        raise StorageError(
            f"cannot write {where}",
            value=error.strerror,
            remedy=REMEDIES[error.errno].format(elsewhere=elsewhere),
        ) from None


def replace_json(
    path: Path, document: Mapping[str, object], *, indent: int | None = 1, mode: int = 0o666
) -> None:
    """Writes a JSON document atomically, in place of any earlier one.

    `mode` is that of the file, less what the umask takes away.
    """
    text = json.dumps(document, indent=indent, sort_keys=True)
    with _draft(path, text, mode) as draft:
        draft.replace(path)


def create_json(path: Path, document: Mapping[str, object], *, mode: int = 0o666) -> None:
    """Writes a new JSON document atomically and flushes it; `StorageError` if the file exists.

    `mode` is that of the file, less what the umask takes away.
    """
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False)
    with _draft(path, text, mode) as draft:
        _link_new(draft, path)
        _sync_folder(path.parent)


@contextmanager
def _draft(path: Path, text: str, mode: int) -> Iterator[Path]:
    """Yields a file beside a target that holds a text, flushed to disk, and removes it after."""
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            draft.touch(mode=mode)
            with draft.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            yield draft
        finally:
            draft.unlink(missing_ok=True)


def _link_new(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise StorageError(
            f"cannot write {path}", value="it is there already", remedy="it is never replaced"
        ) from None


def _sync_folder(folder: Path) -> None:
    """Flushes a folder to disk, so that a new name in it survives a power cut."""
    held = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)


@contextmanager
def replace_file(path: Path, elsewhere: str = OF_THE_USER) -> Iterator[Path]:
    """Yields a temporary path to write to; it replaces the target if the block succeeds.

    A link is followed to its target. A device or a pipe is written to directly. `elsewhere` is the
    remedy where nothing can be written at that place.
    """
    if path.is_dir():
        raise StorageError(f"cannot write {path}", value="a folder", remedy="give a file")
    if path.exists() and not path.is_file():
        with write_errors(path, elsewhere):
            yield path
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise StorageError(
            f"cannot write {path}", value="no such folder", remedy=f"create {target.parent}"
        )
    with write_errors(path, elsewhere):
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Replaces an existing file's text all or nothing, and leaves its permissions as they are."""
    with replace_file(path) as draft:
        draft.touch(mode=0o600)
        draft.write_text(text, encoding="utf-8")
        shutil.copymode(path, draft)


def sha256(path: Path) -> str:
    """Returns the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
