"""Tests run in copies of this process, over tables that are there instead of new builds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutation.anew import compile_anew
from benchmarks.mutation.forks import run_apart
from benchmarks.mutation.texts import Texts
from benchmarks.mutation.worlds import WORK, Worlds
from ingest import pull
from models.config.settings import Settings
from models.engine import build
from models.engine.warehouse.reader import Reader
from tests.support import some_marts
from tests.support.some_marts import Tables

SECONDS = 120
"""Of processor, beyond three times what the tests of one mutant take without it."""
Line = dict[str, Any]


class Children:
    """Runs tests in children; `owner` is the test or fixture that is at work."""

    def __init__(self, folder: Path) -> None:
        self.worlds, self.texts = Worlds(folder), Texts(folder / "none")
        self.queries = folder / "queries.jsonl"
        self.owner = ""

    def child(
        self,
        session: pytest.Session,
        items: list[pytest.Item],
        *,
        all_of_them: bool = False,
        anew: bool = False,
    ) -> tuple[str, str]:
        """Runs tests in a copy of this process; which of them failed, until the first or all.

        `anew`: their bills are pulled and reduced again.
        """
        items = sorted(items, key=session.items.index)
        usual = sum(self.worlds.outcome[item.nodeid][1] for item in items)
        status, failed = run_apart(
            session,
            items,
            partial(self._prepare, telling=all_of_them, anew=anew),
            most=None if all_of_them else SECONDS + 3 * int(usual),
            before=self._own,
        )
        return status, "\n".join(failed)

    def _own(self, item: pytest.Item) -> None:
        self.owner = item.nodeid

    def _prepare(self, *, telling: bool, anew: bool) -> None:
        compile_anew(self.texts)
        if not anew:
            self._build_from_kept(telling=telling)

    def _build_from_kept(self, *, telling: bool) -> None:
        """In a child: nothing is pulled, builds make again what changed; queries are told."""
        built: Counter[str] = Counter()
        of_folder: dict[Path, int] = {}
        read = Reader.rows

        def remade(settings: Settings, **_: object) -> None:
            world = self.worlds.built[self.owner][built[self.owner]]
            built[self.owner] += 1
            self.worlds.remade(world, self.texts)
            self.worlds.publish(settings)
            of_folder[settings.data / "snapshots"] = world

        def rows(
            reader: Reader,
            sql: str,
            parameters: Sequence[object] | Mapping[str, object] = (),
        ) -> list[Line]:
            self._tell_query(of_folder[reader._snapshots.folder], sql, parameters)
            return read(reader, sql, parameters)

        def some(settings: Settings, names: tuple[str, ...]) -> tuple[Tables, int]:
            remade(settings)
            world = of_folder[settings.data / "snapshots"]
            return self.worlds.tables(f"{WORK},kept.w{world}", names), 0

        build.build = remade  # type: ignore[assignment]
        some_marts.make_tables = some
        brought = pull.Report(())
        pull.pull = lambda *_, **__: brought
        if telling:
            Reader.rows = rows  # type: ignore[method-assign, assignment]

    def _tell_query(self, world: int, sql: str, parameters: object) -> None:
        try:
            told = json.dumps([self.owner, world, sql, parameters])
        except TypeError:
            told = json.dumps([self.owner, world, "", []])
        with self.queries.open("a", encoding="utf-8") as file:
            file.write(f"{told}\n")
