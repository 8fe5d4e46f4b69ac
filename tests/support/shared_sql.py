"""Compiled SQL that test processes share, with each other and with the next run.

Compiling every mart takes Ibis five seconds. So each text is compiled once and written to a file
that all processes read. Their folder bears a hash of all our code: texts of other code are never
read, and go.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from models.config.loading import validated_settings
from models.engine.sql import mart_sql, sql_cache
from models.engine.sql.sql_cache import CompiledSql, SqlCache


class SharedTexts(dict[str, CompiledSql]):
    """Compiled texts by key: those of this process, and behind them a file for each."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - as a dictionary has it
        """The text of this process or of another one."""
        if key not in self and (file := self._folder / key).exists():
            text, columns = json.loads(file.read_text(encoding="utf-8"))
            super().__setitem__(key, CompiledSql(text, dict(columns)))
        return super().get(key, default)

    def __setitem__(self, key: str, compiled: CompiledSql) -> None:
        """Remembers a text, here and for others."""
        if key not in self:
            self._folder.mkdir(exist_ok=True)  # a run over other code may have swept it
            draft = self._folder / f".{key}.{os.getpid()}"
            draft.write_text(json.dumps([compiled.text, [*compiled.columns.items()]]), "utf-8")
            draft.replace(self._folder / key)
        super().__setitem__(key, compiled)


@contextmanager
def shared_sql(parent: Path) -> Iterator[None]:
    """Begins with what others compiled, and gives them at once what this process compiles."""
    folder = parent / sql_cache.code()[:16]
    folder.mkdir(exist_ok=True)
    for outdated in set(parent.iterdir()) - {folder}:
        shutil.rmtree(outdated, ignore_errors=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sql_cache, "MOST", 100_000)
        patched.setattr(SqlCache, "_process", SharedTexts(folder))
        with FileLock(folder / "lock"):
            mart_sql.texts(validated_settings({}, home=folder), SqlCache(folder))
        yield
