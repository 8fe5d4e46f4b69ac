"""The door while a delivery still arrives: a file is checked beside the fetching of the next.

What is found is what `intake.admit` would find of the same files at the end: it takes the results
from here, in the order of the files, and asks for what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from ibis.backends.duckdb import Backend

from models import intake, warehouse
from models.raw import File, Staging, Totals


@contextmanager
def opened(staging: Staging, format_name: str) -> Iterator[Mapping[str, Future[Totals]]]:
    """The totals of each file that has arrived, by its name; raises what is wrong with it.

    Left early, nothing more is checked.
    """
    found: dict[str, Future[Totals]] = {}
    beside = ThreadPoolExecutor(1)
    with ExitStack() as held:

        def checked(file: File) -> Totals:
            if not backends:
                backends.append(held.enter_context(warehouse.scratch()))
            return intake.checked(backends[0], staging, format_name, file)

        backends: list[Backend] = []
        staging.arrived = lambda file: found.setdefault(file.name, beside.submit(checked, file))
        try:
            yield found
        finally:
            beside.shutdown(cancel_futures=True)
