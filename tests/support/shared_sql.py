"""Compiled SQL that test processes share, with each other and with the next run.

Compiling takes Ibis ten seconds in each process. The folder bears a hash of all our code, so texts
of other code are never found, and go.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from models.config.loading import parse
from models.config.settings import Settings
from models.engine.sql import mart_sql, sql_cache
from models.engine.sql.sql_cache import SqlCache


@contextmanager
def shared_sql(parent: Path) -> Iterator[None]:
    """Begins with what others compiled, and leaves what was compiled meanwhile to others."""
    folder = parent / sql_cache.code()[:16]
    folder.mkdir(exist_ok=True)
    for outdated in set(parent.iterdir()) - {folder}:
        shutil.rmtree(outdated, ignore_errors=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sql_cache, "MOST", 100_000)
        with FileLock(folder / "lock"):
            SqlCache._process.update(SqlCache(folder)._stored)
            mart_sql.texts(_defaults(folder), SqlCache(folder))
            _save(folder)
        yield
        with FileLock(folder / "lock"):
            _save(folder)


def _save(folder: Path) -> None:
    cache = SqlCache(folder)
    cache._used = cache._stored | SqlCache._process
    cache.save()


def _defaults(folder: Path) -> Settings:
    return parse({}, home=folder)
