"""Checks each downloaded file in a worker thread while the next one downloads.

The results are those that `delivery_checks` would find at the end: it takes them in the order of
the files, and checks the files that have none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue

from ibis.backends.duckdb import Backend

from models.engine.warehouse import connection
from models.intake import file_checks
from models.intake.file_checks import CheckedFile
from models.raw.delivery import File
from models.raw.staging import Staging

WORKERS = min(4, os.cpu_count() or 1)
"""Files checked at a time, each by one thread; more workers take longer for each file."""


class ConcurrentChecks:
    """Worker threads that check the downloaded files of one pull, each with a database.

    It is made by `concurrent_checks`. A database is opened when one is needed and none is idle, so
    a pull that brings nothing opens none.
    """

    def __init__(self, resources: ExitStack) -> None:
        self._resources = resources
        self._idle: SimpleQueue[Backend] = SimpleQueue()
        self._own: Backend | None = None
        self._workers = resources.enter_context(ThreadPoolExecutor(WORKERS))

    @contextmanager
    def checking(
        self, staging: Staging, format_name: str
    ) -> Iterator[Mapping[str, Future[CheckedFile]]]:
        """Checks files in worker threads as they arrive; yields a mapping of file name to future.

        The files are those that arrive in `staging`. A future has the `CheckedFile`, or raises the
        error of its file. On leaving, checks that have not begun are cancelled.
        """
        results: dict[str, Future[CheckedFile]] = {}

        def arrived(file: File) -> None:
            results[file.name] = self._workers.submit(self._check, staging, format_name, file)

        staging.arrived = arrived
        try:
            yield results
        finally:
            wait([result for result in results.values() if not result.cancel()])

    @contextmanager
    def database(self) -> Iterator[Backend]:
        """Yields the pull's own in-memory database with all threads; opens it on first use."""
        if self._own is None:
            self._own = self._resources.enter_context(connection.in_memory())
        yield self._own

    def _check(self, staging: Staging, format_name: str, file: File) -> CheckedFile:
        backend = self._idle_backend()
        try:
            return file_checks.check_file(backend, staging, format_name, file)
        finally:
            self._idle.put(backend)

    def _idle_backend(self) -> Backend:
        try:
            return self._idle.get_nowait()
        except Empty:
            backend = self._resources.enter_context(connection.in_memory())
            backend.con.execute("SET threads = 1")
            return backend


@contextmanager
def concurrent_checks() -> Iterator[ConcurrentChecks]:
    """Yields worker threads that check one pull's files, and stops them on leaving."""
    with ExitStack() as resources:
        yield ConcurrentChecks(resources)
