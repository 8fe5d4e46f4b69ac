"""Checks each downloaded file in a worker thread while the next one downloads.

The results are those that `delivery_checks` would find at the end: it takes them in the order of
the files, and checks the files that have none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from models.engine.warehouse.scratch import keeping, scratch
from models.intake import file_checks
from models.intake.file_checks import CheckedFile
from models.raw.delivery import File
from models.raw.staging import Staging

WORKERS = min(4, os.cpu_count() or 1)
"""Files checked at a time, each by one thread; more workers take longer for each file."""


class ConcurrentChecks:
    """Worker threads that check the downloaded files of one pull, each with a database."""

    def __init__(self, workers: ThreadPoolExecutor) -> None:
        self._workers = workers

    @contextmanager
    def checking(
        self, staging: Staging, format_name: str
    ) -> Iterator[Mapping[str, Future[CheckedFile]]]:
        """Checks files in worker threads as they arrive; yields a map of file name to its future.

        The files are those that arrive in `staging`. A future has the `CheckedFile`, or raises the
        error of its file. On leaving, checks that have not begun are cancelled.
        """
        results: dict[str, Future[CheckedFile]] = {}

        def arrived(file: File) -> None:
            results[file.name] = self._workers.submit(_check, staging, format_name, file)

        staging.arrived = arrived
        try:
            yield results
        finally:
            wait([result for result in results.values() if not result.cancel()])


def _check(staging: Staging, format_name: str, file: File) -> CheckedFile:
    with scratch(threads=1) as backend:
        return file_checks.check_file(backend, staging, format_name, file)


@contextmanager
def concurrent_checks() -> Iterator[ConcurrentChecks]:
    """Yields a pool of worker threads that check a pull's files; stops them afterwards.

    DuckDB stays open for them and for whatever else borrows a `scratch` database meanwhile.
    """
    with keeping(), ThreadPoolExecutor(WORKERS) as workers:
        yield ConcurrentChecks(workers)
