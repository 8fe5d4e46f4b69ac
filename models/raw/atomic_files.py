"""Writing to the disk so that a crash, a full disk or a second writer leaves whole files only."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

from models.contract.errors import StorageError

REMEDIES = {
    errno.ENOSPC: "free some space and run again; nothing half-written was kept",
    errno.EDQUOT: "raise the quota or free some space, then run again",
    errno.EROFS: "the file system is read-only: set `warehouse.path` elsewhere",
    errno.EACCES: "give this user the right to write there, or set `warehouse.path` elsewhere",
    errno.EPERM: "give this user the right to write there, or set `warehouse.path` elsewhere",
    errno.ENOENT: "no folder can be made there: set `warehouse.path` elsewhere",
    errno.EEXIST: "a file stands where a folder is needed: set `warehouse.path` elsewhere",
    errno.ENOTDIR: "a file stands where a folder is needed: set `warehouse.path` elsewhere",
    errno.EISDIR: "a folder has that name: give a file",
    errno.EFBIG: "the file size limit of this process is too small",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns the operating system's refusal to write into one clear line."""
    try:
        yield
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = path if error.filename is None else error.filename
        raise StorageError(
            f"cannot write {where}", value=error.strerror, remedy=REMEDIES[error.errno]
        ) from None


def replace(path: Path, document: Mapping[str, object]) -> None:
    """Writes a JSON document; readers see the old one or the new one, never a part."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with draft.open("w", encoding="utf-8") as file:
                json.dump(document, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def create(path: Path, document: Mapping[str, object]) -> None:
    """Writes a JSON document that is not there yet: whole, durable, never over another one.

    Raises `StorageError` where a file of that name stands.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with draft.open("w", encoding="utf-8") as file:
                json.dump(document, file, indent=1, sort_keys=True, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            _named_once(draft, path)
            _settle(path.parent)
        finally:
            draft.unlink(missing_ok=True)


def _named_once(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise StorageError(
            f"cannot write {path}", value="it is there already", remedy="it is never replaced"
        ) from None


def _settle(folder: Path) -> None:
    """A new name in a folder survives a power cut once the folder itself is on the disk."""
    held = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A draft to write to, which takes the name of `path` only when nothing went wrong.

    Follows a link to its target; a device or a pipe is written to as it is.
    """
    if path.is_dir():
        raise StorageError(f"cannot write {path}", value="a folder", remedy="give a file")
    if path.exists() and not path.is_file():
        with writing(path):
            yield path
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise StorageError(
            f"cannot write {path}", value="no such folder", remedy=f"create {target.parent}"
        )
    with writing(path):
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
