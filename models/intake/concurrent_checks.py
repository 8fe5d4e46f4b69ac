"""The door while a delivery still arrives: files are checked beside the fetching of the next.

What is found is what `intake.admit` would find of the same files at the end: it takes the results
from here, in the order of the files, and asks for what is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue

from ibis.backends.duckdb import Backend

from models.engine.warehouse import connection
from models.intake import delivery_checks
from models.intake.delivery_checks import Checked
from models.raw.delivery import File
from models.raw.staging import Staging

AT_ONCE = min(4, os.cpu_count() or 1)
"""Files checked at a time, each by one thread: more of them take longer for one file in all."""


class Door:
    """The checks of one pull; `opened` makes it. A database serves one file after another.

    One is opened where none is idle, so a pull that brings nothing opens none.
    """

    def __init__(self, held: ExitStack) -> None:
        self._held = held
        self._idle: SimpleQueue[Backend] = SimpleQueue()
        self._beside = held.enter_context(ThreadPoolExecutor(AT_ONCE))

    @contextmanager
    def checking(
        self, staging: Staging, format_name: str
    ) -> Iterator[Mapping[str, Future[Checked]]]:
        """What is found of each file that has arrived, by its name; raises what is wrong with it.

        Left early, nothing more is checked.
        """
        found: dict[str, Future[Checked]] = {}

        def arrived(file: File) -> None:
            found[file.name] = self._beside.submit(self._checked, staging, format_name, file)

        staging.arrived = arrived
        try:
            yield found
        finally:
            wait([check for check in found.values() if not check.cancel()])

    def _checked(self, staging: Staging, format_name: str, file: File) -> Checked:
        backend = self._free()
        try:
            return delivery_checks.checked(backend, staging, format_name, file)
        finally:
            self._idle.put(backend)

    def _free(self) -> Backend:
        try:
            return self._idle.get_nowait()
        except Empty:
            backend = self._held.enter_context(connection.scratch())
            backend.con.execute("SET threads = 1")
            return backend


@contextmanager
def opened() -> Iterator[Door]:
    """A door for one pull."""
    with ExitStack() as held:
        yield Door(held)
