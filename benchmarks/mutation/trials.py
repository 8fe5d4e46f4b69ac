"""A plugin of pytest that tries mutants with the tests, instead of running the tests once."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Container, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

from benchmarks.mutation import machines
from benchmarks.mutation.anew import beside, is_small, takers
from benchmarks.mutation.children import Children, Line
from benchmarks.mutation.forks import processor
from benchmarks.mutation.likely_tests import calls, likeness
from benchmarks.mutation.mutants import Mutant
from benchmarks.mutation.sample import ROOT
from benchmarks.mutation.standing import standing
from benchmarks.mutation.worlds import REFUSED, Asked
from tests.support import shipped_prices

AT_ONCE = (1, 4, 1000)
"""How many tests a child runs: the likeliest first."""


class Mutation(Children):
    """A plugin of pytest: keeps the worlds, then tries the mutants with the same tests."""

    def __init__(self, folder: Path, wanted: list[Mutant]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.wanted, self.folder, self.told = wanted, folder, folder / "mutants.jsonl"
        self.checked = folder / "checked.json"
        super().__init__(folder)
        self.untold: set[str] = set()
        """Tests that ask with what JSON has no word for."""
        self.kills: Counter[tuple[str, str]] = Counter()
        self.anew: dict[str, bool] = {}
        """Whether a test that killed by a build of its own passes without a mutant."""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """What is built in a fixture that outlives the test belongs to the fixture."""
        outer = self.owner
        if fixturedef.scope != "function":
            self.owner = f"{fixturedef.baseid}::{fixturedef.argname}{_which(request)}"
        try:
            return (yield)
        finally:
            self.owner = outer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running the tests once."""
        if new := [item for item in session.items if item.nodeid not in self.worlds.outcome]:
            with self.worlds.keeping(lambda: self.owner):
                self._record(new)
        shipped_prices.delivered()  # no child can pull them: its pulls bring nothing
        for settings in self.worlds.settings:
            self.texts.known(settings)
        usable = self._same(session, [item for item in session.items if self._usable(item)])
        for line in self.lines():
            self.kills[line["file"], line.get("test", "")] += 1
        done = {line["name"] for line in self.lines()}
        for mutant in self.wanted:
            if mutant.name not in done:
                self._tell(mutant, session, usable)
        return True

    def _record(self, items: list[pytest.Item]) -> None:
        for item, after in zip(items, [*items[1:], None], strict=True):
            self.owner, failed, began = item.nodeid, item.session.testsfailed, time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            passed = item.session.testsfailed == failed
            self.worlds.outcome[item.nodeid] = passed, time.process_time() - began
            if after and after.path != item.path:  # no fixture of a file is kept by half
                self.worlds.save()

    def _usable(self, item: pytest.Item) -> bool:
        """Tests of a build that is refused need a real one, and are left out."""
        return self.worlds.outcome[item.nodeid][0] and REFUSED not in self._worlds_of(item)

    def _same(self, session: pytest.Session, items: list[pytest.Item]) -> list[pytest.Item]:
        """Those that pass over kept tables too: no mutant may die of how it is tried."""
        known = json.loads(self.checked.read_text("utf-8")) if self.checked.exists() else {}
        if new := [item for item in items if item.nodeid not in known]:
            _, failed = self.child(session, new, all_of_them=True)
            known |= {item.nodeid: item.nodeid not in failed.split("\n") for item in new}
            self.checked.write_text(json.dumps(known), encoding="utf-8")
        if wrong := [nodeid for nodeid, passes in known.items() if not passes]:
            print("left out, for they fail over kept tables:", *wrong, sep="\n")
        queries = self.queries.read_text("utf-8") if self.queries.exists() else ""
        for line in dict.fromkeys(queries.splitlines()):
            test, world, sql, parameters = json.loads(line)
            self.untold |= set() if sql else {test}
            asked = Asked(test, world, sql, tuple(parameters))
            self.worlds.asked.setdefault(world, []).extend([asked] if sql else [])
        return [item for item in items if known[item.nodeid]]

    def lines(self) -> list[Line]:
        """Of every mutant tried so far."""
        written = self.told.read_text(encoding="utf-8") if self.told.exists() else ""
        return [json.loads(line) for line in written.splitlines()]

    def _tell(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> None:
        began, cpu = time.monotonic(), processor()
        line = {"name": mutant.name, "file": mutant.file, "line": mutant.line}
        line |= self._tried(mutant, session, items)
        line |= {"wall": round(time.monotonic() - began, 2), "cpu": round(processor() - cpu, 2)}
        with self.told.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _tried(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> Line:
        """`killed` by a test, `refused` before any, `survived` those that ran, `slow`, `broken`."""
        module = sys.modules[mutant.file.removesuffix(".py").replace("/", ".")]
        self.texts.mutant(module)
        line = self._once(mutant, module, session, items)
        while line.get("anew") and not self._passes_anew(session, str(line["test"])):
            line = self._once(mutant, module, session, items)
        return line

    def _once(
        self, mutant: Mutant, module: ModuleType, session: pytest.Session, items: list[pytest.Item]
    ) -> Line:
        with ExitStack() as stack:
            try:
                stack.enter_context(standing(module, mutant.source(ROOT)))
                stack.enter_context(self._division())
                for settings in self.worlds.settings[:1]:
                    list(self.texts.of(settings))
            except Exception as error:  # noqa: BLE001 - whatever a mutant breaks
                return {"status": "refused", "error": f"{type(error).__name__}: {error}"[:200]}
            return self._against(mutant, session, items)

    @contextmanager
    def _division(self) -> Iterator[None]:
        """A mutant of the division of machines is compiled there, which no mart shows."""
        if not machines.is_step(self.texts.module):
            yield
            return
        with machines.compiled_anew():
            machines.divide_one(self.folder)
            yield

    def _passes_anew(self, session: pytest.Session, test: str) -> bool:
        """Whether a test passes without the mutant: none may die of how it is tried."""
        if test not in self.anew:
            chosen = [item for item in session.items if item.nodeid == test]
            self.anew[test] = self.child(session, chosen, anew=True) == ("survived", "")
        return self.anew[test]

    def _against(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> Line:
        ran = 0
        for chosen, anew in self._batches(mutant, session, self._likeliest(mutant, items)):
            status, test = self.child(session, chosen, anew=anew)
            ran += len(chosen)
            if status != "survived":
                self.kills[mutant.file, test] += 1
                return {"status": status, "test": test, "ran": ran} | ({"anew": 1} if anew else {})
        return {"status": "survived", "ran": ran}

    def _batches(
        self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]
    ) -> Iterator[tuple[list[pytest.Item], bool]]:
        """Tests to run in one child, and whether they pull and build anew."""
        found = self._noticing(items)
        for size in AT_ONCE:
            if chosen := [item for _, item in zip(range(size), found, strict=False)]:
                yield chosen, False
        usable = {item.nodeid for item in items}
        anew = [item for item in session.items if self._tells_anew(mutant, item, usable)]
        if anew := self._likeliest(mutant, anew):
            yield anew, True

    def _tells_anew(self, mutant: Mutant, item: pytest.Item, usable: Container[str]) -> bool:
        """Whether a test may see, of a build of its own, what it cannot see over kept tables."""
        passed = self.worlds.outcome[item.nodeid][0] and self.anew.get(item.nodeid, True)
        if not passed or not is_small(item):
            return False
        module, worlds = self.texts.module, self._worlds_of(item)
        if machines.is_step(module) and any(map(self.worlds.divides, worlds)):
            return True
        return bool(takers(module) or item.nodeid not in usable) and (
            beside(item, mutant.file, module) or calls(item, module)
        )

    def _likeliest(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        return sorted(
            items,
            key=lambda item: (
                "sample" in getattr(item, "fixturenames", ()),
                "simulator" in item.nodeid,
                -self.kills[mutant.file, item.nodeid],
                *likeness(mutant.file, item),
                self.worlds.outcome[item.nodeid][1],
            ),
        )

    def _noticing(self, items: list[pytest.Item]) -> Iterator[pytest.Item]:
        """The tests that see other rows, or may; `untold` is what they ask then."""
        telling = {one.test for asked in self.worlds.asked.values() for one in asked}
        telling -= self.untold
        seen: dict[int, set[str] | None] = {}
        for item in items:
            worlds = self._worlds_of(item)
            if not worlds and calls(item, self.texts.module):
                yield item
            name = item.nodeid if item.nodeid in telling else ""
            for world in worlds:
                if world not in seen:
                    seen[world] = self._seen(world)
                if (found := seen[world]) is None or name in found:
                    yield item
                    break

    def _seen(self, world: int) -> set[str] | None:
        """Who notices; None: everybody, for the build fails."""
        try:
            return self.worlds.noticed(world, self.texts)
        except duckdb.CatalogException as error:
            sys.exit(f"world {world} was not kept whole: {error}")
        except Exception:  # noqa: BLE001 - whatever a mutant breaks
            return None

    def _worlds_of(self, item: pytest.Item) -> list[int]:
        names = getattr(item, "fixturenames", ())
        drawn = getattr(getattr(item, "callspec", None), "indices", {})
        asked = {f"{name}[{drawn[name]}]" if name in drawn else name for name in names}
        shared = [
            found
            for owner, found in self.worlds.built.items()
            for base, _, name in [owner.rpartition("::")]
            if name in asked and item.nodeid.startswith(base)
        ]
        return sum(shared, self.worlds.built.get(item.nodeid, []))


def _which(request: pytest.FixtureRequest) -> str:
    """Of a fixture with parameters, the one that is made."""
    return f"[{getattr(request, 'param_index', 0)}]" if hasattr(request, "param") else ""
