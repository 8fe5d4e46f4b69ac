"""The tables of every warehouse that tests built, and what a mutant makes of them.

Kept once, each world in a schema of its own. A mutant's marts are then made over those tables: only
what reads something that changed is made again, so a mistake that changes nothing costs a query.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import duckdb
import ibis

from benchmarks.mutation.texts import Texts, inputs, takes_part
from models.config.settings import Settings
from models.engine import build, mart_runner, publication
from models.engine.allocations import division
from models.engine.context import BuildContext
from models.engine.inputs import feed_history
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse.snapshots import Snapshots
from models.marts import MARTS
from models.raw.zone import RawZone
from tests.support import some_marts
from tests.support.some_marts import Tables

REFUSED = -1
"""Instead of a world, where a test sees a build fail."""
BLOCK = "16384"
HELD = "SELECT table_name FROM duckdb_tables() WHERE schema_name = ?"
WORK = "memory.work"
STEPS = {
    next(mart.__name__ for mart in MARTS if inputs(mart) & {*step.fills}): step
    for step in mart_runner.STEPS
}
"""By the mart they come before."""


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
        self._divided: dict[int, bool] = {}
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
        self.backend = ibis.duckdb.from_connection(self.con)

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

        def some(settings: Settings, names: tuple[str, ...]) -> tuple[Tables, int]:
            reduced = kept(settings).reduced
            return self.tables(f"w{self.built[owner()][-1]}", names), reduced

        asked = some_marts.make_tables
        if self._known.exists():
            self.con.close()
        self.con = duckdb.connect(str(self._file), config={"default_block_size": BLOCK})
        build.build, some_marts.make_tables = kept, some
        try:
            yield
        finally:
            build.build, some_marts.make_tables = made, asked
            self.con.close()
        self.save()
        self._attach()

    def tables(self, path: str, names: tuple[str, ...]) -> Tables:
        """Rows of marts as they stand in the first schema of a path that has them."""
        self.con.execute(f"SET search_path = '{path}'")
        return {name: self.con.sql(f'FROM "{name}"').to_arrow_table() for name in names}

    def save(self) -> None:
        """For the next run."""
        kept = (self.settings, self.built, self.outcome, dict(SqlCache._process))
        self._known.write_bytes(pickle.dumps(kept))

    def divides(self, world: int) -> bool:
        """Whether jobs share machines there."""
        if world not in self._divided:
            held = {name for (name,) in self.con.execute(HELD, [f"w{world}"]).fetchall()}
            table = f'kept.w{world}."{division.STORE}"'
            found = division.STORE in held and self.con.execute(f"FROM {table} LIMIT 1").fetchone()
            self._divided[world] = bool(found)
        return self._divided[world]

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
        self, world: int, step: mart_runner.PythonStep, changed: set[str], texts: Texts
    ) -> set[str]:
        ours = takes_part(texts.module, step.run.__module__)
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
