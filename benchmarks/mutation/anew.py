"""Mutants that show before the marts: in what a pull and a build compute on their way to them.

Over kept tables nobody sees those. So tests beside them pull and build anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cache
from pathlib import Path

import pytest

from benchmarks.mutation.sample import ROOT
from benchmarks.mutation.standing import ours
from benchmarks.mutation.texts import Texts, takes_part
from models.config.settings import Settings
from models.engine.sql import mart_sql, sql_cache
from models.engine.sql.sql_cache import CompiledSql, SqlCache
from models.marts import Mart
from tests.support import shared_sql
from tests.support.marts import compiled_once

BUILDS = ("models.engine.", "models.formats.", "models.config.", "ingest.sources.")
"""Packages that compute before the marts, or between them."""


@cache
def takers(module: str) -> frozenset[str]:
    """The modules of a pull and of a build that take something from a module, but no mart of it."""
    builds = (name for name, each in [*sys.modules.items()] if _is_file_of_builds(name, each))
    return frozenset(name for name in builds if takes_part(module, name))


def _is_file_of_builds(name: str, module: object) -> bool:
    return name.startswith(BUILDS) and not hasattr(module, "__path__")


def beside(item: pytest.Item, file: str, module: str) -> bool:
    """Whether a test stands in a folder that mirrors the mutant's, or that of one of its takers."""
    files = [file, *(f"{name.replace('.', '/')}.py" for name in takers(module))]
    return any(folder in item.path.parents for folder in map(_folder_of_tests, files))


@cache
def _folder_of_tests(file: str) -> Path:
    """The nearest folder that there is."""
    mirrored = ROOT / "tests" / file
    return next(folder for folder in mirrored.parents if folder.is_dir())


def is_small(item: pytest.Item) -> bool:
    """Whether a test builds no more than a world of its own."""
    return not {"sample", "company"} & {*getattr(item, "fixturenames", ())}


def compile_anew(texts: Texts) -> None:
    """In a child: no text of SQL and no value is what it was before the mutant.

    Texts of marts in which the mutant has no hand are known as ever, unless it shows before them.
    """
    known = mart_sql._cached

    def mutated(
        mart: Mart, columns: Mapping[str, mart_sql.Columns], settings: Settings, cache: SqlCache
    ) -> CompiledSql:
        if mart.__name__ in texts.touched:
            return texts.made(mart, columns, settings)
        return known(mart, columns, settings, cache)

    compiled_once.forget()
    for function in _remembering():
        function.cache_clear()
    shared_sql.shared_sql = _nothing_shared  # type: ignore[assignment]
    if takers(texts.module):
        sql_cache.code = lambda: "a mutant's"  # type: ignore[assignment]
        SqlCache._process = {}
    mart_sql._cached = mutated
    mart_sql.is_compiled = lambda *_: True


@contextmanager
def _nothing_shared(_: Path) -> Iterator[None]:
    yield


def _remembering() -> Iterator[_lru_cache_wrapper[object]]:
    for module in ours("models"):
        for value in [*vars(module).values()]:
            if isinstance(value, _lru_cache_wrapper):
                yield value
