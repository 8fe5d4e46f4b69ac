"""The tables of every warehouse that tests built, and what a mutant makes of them.

Kept once, each world in a schema of its own. A mutant's marts are then made over those tables: only
what reads something that changed is made again, so a mistake that changes nothing costs a query.
"""

from __future__ import annotations

import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple, cast

import duckdb
import ibis
from ibis.backends.duckdb import Backend
from pydantic import BaseModel

from models.config.settings import Settings
from models.contract import schema
from models.engine import build, mart_runner, publication
from models.engine.context import BuildContext
from models.engine.inputs import feed_history, forecasts
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import CompiledSql, SqlCache
from models.engine.warehouse.snapshots import Snapshots
from models.marts import MARTS, SPEND_REDUCED, Mart
from models.raw.zone import RawZone

REFUSED = -1
"""Instead of a world, where a test sees a build fail."""
BLOCK = "16384"
HELD = "SELECT table_name FROM duckdb_tables() WHERE schema_name = ?"
WORK = "memory.work"


STEPS = dict(
    zip(
        ("capacity_blocks", "progress_steps", "break_even", "monthly_summary"),
        mart_runner.STEPS,
        strict=True,
    )
)
"""By the mart they come before."""


class Texts:
    """The SQL of marts as they are; and of a mutant, once for each question."""

    def __init__(self, folder: Path) -> None:
        self._memo = SqlCache(folder)
        self._known: dict[str, dict[str, CompiledSql]] = {}
        self._mutated: dict[tuple[str, str], list[tuple[Watched, CompiledSql]]] = {}
        self.touched: frozenset[str] = frozenset()
        self.mark = object()
        """One for each mutant."""
        self.drawn = False
        """Whether forecasts are the mutant's."""

    def known(self, settings: Settings) -> dict[str, CompiledSql]:
        """Of every mart. Asked for before the mutant stands."""
        asked = repr((settings.today, settings.tags, settings.cost, settings.baseline))
        if asked not in self._known:
            self._known[asked] = mart_sql.texts(settings, self._memo)
        return self._known[asked]

    def mutant(self, module: ModuleType) -> None:
        """From now on the marts that the module has a hand in are another's."""
        self._mutated, self.mark = {}, object()
        self.touched = touched(module)
        self.drawn = ".marts." not in module.__name__

    def of(self, settings: Settings) -> Iterator[tuple[Mart, CompiledSql, bool]]:
        """Every mart in order, and whether its text is the mutant's."""
        known = self.known(settings)
        columns = mart_sql.input_columns(settings)
        moved: set[str] = set()
        for mart in (SPEND_REDUCED, *MARTS):
            name = mart.__name__
            said = known[name]
            if name in self.touched or moved & inputs(mart):
                said = self._made(mart, columns, settings)
            if said.columns != known[name].columns:
                moved.add(name)
                _contract(name, said, settings)
            columns[name] = said.columns
            yield mart, said, said.text != known[name].text

    def _made(
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


@cache
def _reached(name: str) -> frozenset[str]:
    """A module, and the modules of marts that it takes something from."""
    others = re.findall(r"from (models\.marts\.\w+) import", inspect.getsource(sys.modules[name]))
    return frozenset({name}).union(*(_reached(other) for other in others))


class Asked(NamedTuple):
    """A query of a test."""

    test: str
    world: int
    sql: str
    parameters: tuple[object, ...]


class Worlds:
    """Kept in a file, read by many processes; what a mutant makes stands in memory."""

    def __init__(self, folder: Path) -> None:
        self._known, self._file = folder / "known.pickle", folder / "worlds.duckdb"
        self.settings: list[Settings] = []
        self.built: dict[str, list[int]] = {}
        """The worlds of a test, and of a fixture by its file and name, in order."""
        self.outcome: dict[str, tuple[bool, float]] = {}
        """Whether a test passes, and its seconds of processor."""
        self.asked: dict[int, list[Asked]] = {}
        """Of each world, what tests ask of its snapshot."""
        self._stands: tuple[int, object, set[str]] | None = None
        """The world last remade, the mutant's mark, and what was not as before."""
        self._contents: dict[tuple[int, str], object] = {}
        self._answers: dict[Asked, object] = {}
        if self._known.exists():
            kept = pickle.loads(self._known.read_bytes())
            self.settings, self.built, self.outcome, memo = kept
            SqlCache._process.update(memo)
            self._attach()

    def _attach(self) -> None:
        """In one thread, for this process forks."""
        self.con = duckdb.connect(":memory:", config={"threads": 1})
        self.con.execute("SET TimeZone = 'UTC'")
        self.con.execute("SET preserve_insertion_order = false")
        self.con.execute(f"ATTACH '{self._file}' AS kept (READ_ONLY)")
        self._connected()

    def _connected(self) -> None:
        self.backend = cast(Backend, SimpleNamespace(con=self.con))

    @contextmanager
    def keeping(self, owner: Callable[[], str]) -> Iterator[None]:
        """While it lasts, every build is kept as its owner's."""
        made = build.build

        def kept(settings: Settings, **how: object) -> build.Built:
            mine = self.built.setdefault(owner(), [])
            mine.append(REFUSED)
            built = made(settings, **how)  # type: ignore[arg-type]
            mine[-1] = self._keep(settings)
            return built

        if self._known.exists():
            self.con.close()
        self.con = duckdb.connect(str(self._file), config={"default_block_size": BLOCK})
        build.build = kept
        try:
            yield
        finally:
            build.build = made
            self.con.close()
        self.save()
        self._attach()

    def save(self) -> None:
        """For the next run."""
        kept = (self.settings, self.built, self.outcome, SqlCache._process)
        self._known.write_bytes(pickle.dumps(kept))

    def _keep(self, settings: Settings) -> int:
        world = len(self.settings)
        self.con.execute(f"ATTACH '{settings.warehouse_file}' AS built (READ_ONLY)")
        names = self.con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'built' UNION ALL "
            "SELECT view_name FROM duckdb_views() WHERE database_name = 'built' AND NOT internal"
        ).fetchall()
        self.con.execute(f"DROP SCHEMA IF EXISTS w{world} CASCADE")
        self.con.execute(f"CREATE SCHEMA w{world}")
        for (name,) in names:
            self.con.execute(f'CREATE TABLE w{world}."{name}" AS FROM built."{name}"')
        self.con.execute("DETACH built")
        self._keep_published(world, settings)
        self.settings.append(settings)
        self._complete(world)
        return world

    def _keep_published(self, world: int, settings: Settings) -> None:
        snapshot = Snapshots(settings.data / "snapshots").current()
        self.con.execute(f"ATTACH '{snapshot}' AS published (READ_ONLY)")
        for name in publication.published_tables():
            self.con.execute(f'CREATE TABLE w{world}."{name}" AS FROM published."{name}"')
        self.con.execute("DETACH published")

    def _complete(self, world: int) -> None:
        """Marts that a build needs on its way only, and does not keep."""
        self.con.execute(f"SET search_path = 'w{world}'")
        self._connected()
        held = {name for (name,) in self.con.execute(HELD, [f"w{world}"]).fetchall()}
        settings = self.settings[world]
        live = RawZone(settings.data / "raw").live()
        context = BuildContext(settings, self.backend, SqlCache(settings.data), live=live)
        feed_history.fill_feed_history(context)
        for name, said in mart_sql.texts(settings, context.sql_cache).items():
            if name in STEPS and not held >= set(STEPS[name].fills):
                STEPS[name].run(context)
            if name not in held:
                self.con.execute(f'CREATE TABLE "{name}" AS {said.text}')
        self.con.execute("SET search_path = 'main'")

    def remade(self, world: int, texts: Texts) -> set[str]:
        """Makes what the mutant changes; the published tables that are not as they were.

        A child finds what its parent made last, and need not make it again.
        """
        if self._stands and self._stands[0] == world and self._stands[1] is texts.mark:
            return self._stands[2]
        self._stands = None
        settings = self.settings[world]
        self.con.execute("SET search_path = 'memory.main'")
        self.con.execute(f"DROP SCHEMA IF EXISTS {WORK} CASCADE")
        self.con.execute(f"CREATE SCHEMA {WORK}")
        self.con.execute(f"SET search_path = '{WORK},kept.w{world}'")
        changed: set[str] = set()
        for mart, said, other in texts.of(settings):
            name = mart.__name__
            if name in STEPS:
                changed |= self._step(world, STEPS[name], changed, texts)
            if other or changed & inputs(mart):
                self.con.execute(f'CREATE OR REPLACE TABLE {WORK}."{name}" AS {said.text}')
                changed |= self._changed(world, name)
        changed &= set(publication.published_tables())
        self._stands = world, texts.mark, changed
        return changed

    def noticed(self, world: int, texts: Texts) -> set[str]:
        """The tests whose queries have other rows there; and "" for whoever asks otherwise."""
        if not self.remade(world, texts):
            return set()
        asked = self.asked.get(world, [])
        return {""} | {one.test for one in asked if self._answer(one) != self._known_answer(one)}

    def _known_answer(self, one: Asked) -> object:
        if one not in self._answers:
            self.con.execute(f"SET search_path = 'kept.w{one.world}'")
            self._answers[one] = self._answer(one)
            self.con.execute(f"SET search_path = '{WORK},kept.w{one.world}'")
        return self._answers[one]

    def _answer(self, one: Asked) -> object:
        return sorted(map(repr, self.con.execute(one.sql, one.parameters).fetchall()))

    def _step(
        self, world: int, step: mart_runner.Step, changed: set[str], texts: Texts
    ) -> set[str]:
        ours = texts.drawn and step.run is forecasts.fill_forecasts
        if not ours and not changed & step.reads:
            return set()
        settings = self.settings[world]
        step.run(BuildContext(settings, self.backend, SqlCache(settings.data)))
        return set().union(*(self._changed(world, name) for name in step.fills))

    def _changed(self, world: int, name: str) -> set[str]:
        """The table's name if its rows are others than they were; else its rows are forgotten."""
        if (world, name) not in self._contents:
            self._contents[world, name] = self._content(f'kept.w{world}."{name}"')
        if self._content(f'{WORK}."{name}"') != self._contents[world, name]:
            return {name}
        self.con.execute(f'DROP TABLE {WORK}."{name}"')
        return set()

    def _content(self, table: str) -> object:
        told = f"SELECT count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT) FROM {table} AS t"
        return self.con.execute(told).fetchone()

    def publish(self, settings: Settings) -> None:
        """The world last remade, as a build would."""
        snapshots = Snapshots(settings.data / "snapshots")
        snapshots.publish(self.backend, publication.published_tables())
