"""Copies files into a delivery as Parquet; unchanged ones are reused from the live delivery.

The next files download in worker threads while one is converted, made durable and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, takewhile
from pathlib import Path
from threading import Event

from ingest.files.store import CONVERTERS, FileEntry, Store
from models.raw import atomic_files
from models.raw.delivery import Delivery, File
from models.raw.staging import Staging

CHUNK = 1 << 18
"""Bytes of one read. With a buffer four times as large each read allocates anew: half the speed."""
AT_ONCE = 4
"""Files downloaded at a time: S3 gives one connection only a part of a machine's bandwidth."""


def copy_file(store: Store, entry: FileEntry, staging: Staging) -> None:
    """Copies one file into a delivery as Parquet; an unchanged file is reused, not fetched."""
    copy_files(store, [entry], staging)


def copy_files(
    store: Store, entries: Iterable[FileEntry], staging: Staging, *, once: bool = False
) -> list[tuple[str, str]]:
    """Copies files into a delivery as Parquet; returns (original, duplicate) pairs with `once`.

    With `once`, a file with the same content as an earlier one is left out. Each pair returned is
    the address of the file that counts, then that of its copy.
    """
    marked = [(entry, store.fingerprint(entry)) for entry in entries]
    known = [staging.known(entry.uri, version, moved=True) for entry, version in marked]
    first: dict[str, str] = {}
    copies = []
    with _downloads(store, staging.folder) as download:
        drafts = [
            None if old else download(entry) for (entry, _), old in zip(marked, known, strict=True)
        ]
        for (entry, fingerprint), old, draft in zip(marked, known, drafts, strict=True):
            digest = _convert(staging, entry, *draft.result()) if draft else _digest(old)
            if once and digest in first:
                staging.next_path.unlink(missing_ok=True)
                copies.append((first[digest], entry.uri))
                continue
            first[digest] = entry.uri
            if draft:
                path = staging.next_path
                file = staging.add(path, origin=entry.uri, etag=fingerprint, sha256=digest)
                staging.arrived(file)
            elif old:
                staging.reuse(*old)
    return copies


def write_chunks(chunks: Iterable[bytes], target: Path, stop: Event) -> str:
    """Writes chunks of bytes to a file until `stop` is set; returns the SHA-256 of the bytes."""
    digest = sha256()
    with atomic_files.write_errors(target), target.open("wb") as file:
        for chunk in takewhile(lambda _: not stop.is_set(), chunks):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _digest(old: tuple[Delivery, File] | None) -> str:
    return old[1].sha256 if old else ""


@contextmanager
def _downloads(
    store: Store, folder: Path
) -> Iterator[Callable[[FileEntry], Future[tuple[Path, str]]]]:
    """Yields a function that downloads a file in a thread; leaving the block ends all downloads."""
    stop, numbers = Event(), count()

    def download(entry: FileEntry) -> tuple[Path, str]:
        draft = folder / f"fetched-{next(numbers):05}{entry.suffix}"
        return draft, store.download(entry, draft, stop)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        try:
            yield lambda entry: threads.submit(download, entry)
        finally:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)


def _convert(staging: Staging, entry: FileEntry, draft: Path, digest: str) -> str:
    """Converts a downloaded file to the delivery's next Parquet file; returns its SHA-256."""
    target = staging.next_path
    convert = CONVERTERS[entry.suffix]
    if convert is None:
        draft.replace(target)
        return digest
    convert(draft, target, origin=entry.uri)
    draft.unlink()
    return atomic_files.sha256(target)
