"""Compiles the marts' SQL in a process of its own, while a first build reduces the bill.

Ibis takes seconds of one core for it, once per version of our code. The texts come back by the
cache's file. Where that process fails, whoever needs a text compiles it, as ever.

    python -m models.engine.sql.compiling_apart < settings
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from models.config.settings import Settings
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import SqlCache

COMMAND = (sys.executable, "-P", "-m", "models.engine.sql.compiling_apart")


@contextmanager
def compiling_apart(settings: Settings, cache: SqlCache) -> Iterator[Callable[[], None]]:
    """Compiles the marts' SQL beside a build unless cached; yields a function that waits for it.

    With texts of this version in the cache, or a single core, no process is started.
    """
    if mart_sql.is_compiled(settings, cache) or (os.cpu_count() or 1) < 2:
        yield lambda: None
        return
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def texts_ready() -> None:
        process.wait()
        cache.read_again()

    try:
        if process.stdin:
            with suppress(BrokenPipeError), process.stdin as given:
                pickle.dump(settings, given)
        yield texts_ready
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Compiles the marts' SQL for the settings on standard input, and saves it in the cache."""
    settings: Settings = pickle.load(sys.stdin.buffer)
    cache = SqlCache(settings.data)
    mart_sql.texts(settings, cache)
    cache.save()


if __name__ == "__main__":
    main()
