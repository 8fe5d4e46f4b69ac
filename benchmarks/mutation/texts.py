"""The SQL of every mart as it is, and what a mutant makes of it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import cast

import ibis
from pydantic import BaseModel

from models.config.settings import Settings
from models.contract import schema
from models.engine import publication
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import CompiledSql, SqlCache
from models.marts import MARTS, SPEND_REDUCED, Mart

RULES = (
    "models.marts.", "models.contract.rules.", "models.forecast.", "models.engine.allocations.",
)  # fmt: skip
STEPS = "models.marts.cost.shared_machines"
"""A package that is itself taken: the division of machines runs all of its modules."""
texts_of = mart_sql.texts
"""As it is before a child puts a mutant's in its place."""


class Texts:
    """The SQL of marts as they are; and of a mutant, once for each question."""

    def __init__(self, folder: Path) -> None:
        self._memo = SqlCache(folder)
        self._known: dict[str, dict[str, CompiledSql]] = {}
        self._mutated: dict[tuple[str, str], list[tuple[Watched, CompiledSql]]] = {}
        self.touched: frozenset[str] = frozenset()
        self.mark = object()
        """One for each mutant."""
        self.module = ""

    def known(self, settings: Settings) -> dict[str, CompiledSql]:
        """Of every mart. Asked for before the mutant stands."""
        asked = repr((settings.today, settings.tags, settings.cost, settings.baseline))
        if asked not in self._known:
            self._known[asked] = texts_of(settings, self._memo)
        return self._known[asked]

    def mutant(self, module: ModuleType) -> None:
        """From now on the marts that the module has a hand in are another's."""
        self._mutated, self.mark = {}, object()
        self.touched = touched(module)
        self.module = module.__name__

    def of(self, settings: Settings) -> Iterator[tuple[Mart, CompiledSql, bool]]:
        """Every mart in order, and whether its text is the mutant's."""
        known = self.known(settings)
        columns = mart_sql.input_columns(settings)
        moved: set[str] = set()
        for mart in (SPEND_REDUCED, *MARTS):
            name = mart.__name__
            said = known[name]
            if name in self.touched or moved & inputs(mart):
                said = self.made(mart, columns, settings)
            if said.columns != known[name].columns:
                moved.add(name)
                _contract(name, said, settings)
            columns[name] = said.columns
            yield mart, said, said.text != known[name].text

    def made(
        self, mart: Mart, columns: Mapping[str, Mapping[str, str]], settings: Settings
    ) -> CompiledSql:
        """Compiled once for all settings that are alike in what the mart asks of them."""
        about = mart.__name__, repr([columns[name] for name in sorted(inputs(mart))])
        known = self._mutated.setdefault(about, [])
        for watched, said in known:
            if watched.alike(settings):
                return said
        watched = Watched(settings)
        said = mart_sql.compile_mart(mart, columns, cast(Settings, watched))
        known.append((watched, said))
        return said


class Watched:
    """Settings, or a part of them, that remember what was asked of them."""

    def __init__(self, settings: object) -> None:
        self._settings = settings
        self._parts: dict[str, Watched] = {}
        self._asked: dict[str, object] = {}

    def __getattr__(self, name: str) -> object:
        value = getattr(self._settings, name)
        if isinstance(value, BaseModel):
            return self._parts.setdefault(name, Watched(value))
        self._asked[name] = value
        return value

    def alike(self, settings: object) -> bool:
        """Whether other settings would have answered the same."""
        return all(getattr(settings, name) == value for name, value in self._asked.items()) and all(
            part.alike(getattr(settings, name)) for name, part in self._parts.items()
        )


def _contract(name: str, said: CompiledSql, settings: Settings) -> None:
    """As a build checks it."""
    published = publication.derived_tables()
    if name in published:
        wanted = publication.shape(schema.with_tags(published[name], settings.tags.extra))
        if publication.shape(ibis.schema(said.columns)) != wanted:
            raise AssertionError(f"{name} breaks its contract")


@cache
def inputs(mart: Mart) -> frozenset[str]:
    """The tables that a mart reads."""
    return frozenset(inspect.signature(mart).parameters) - {"settings"}


def touched(module: ModuleType) -> frozenset[str]:
    """The marts that the module makes, or has a hand in."""
    return frozenset(
        mart.__name__
        for mart in (SPEND_REDUCED, *MARTS)
        if module.__name__ in _reached(mart.__module__)
    )


def takes_part(module: str, other: str) -> bool:
    """Whether a module has a hand in what another does."""
    return module in _reached(other)


@cache
def _reached(name: str) -> frozenset[str]:
    """A module, and the modules with rules of the method that it takes something from."""
    source, values = inspect.getsource(sys.modules[name]), vars(sys.modules[name]).values()
    others = {*re.findall(r"from (models\.[\w.]+) import", source)}
    others |= {value.__name__ for value in values if isinstance(value, ModuleType)}
    ours = {other for other in others - {name} if other.startswith(RULES)}
    # a package only names its modules: whoever takes one of them has that module itself
    modules = {other for other in ours if other == STEPS or not _is_package(other)}
    return frozenset({name}).union(*map(_reached, modules))


def _is_package(name: str) -> bool:
    return hasattr(sys.modules[name], "__path__")
