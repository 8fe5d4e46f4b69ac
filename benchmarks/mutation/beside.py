"""A plugin of pytest that tries mutants with the tests beside them, and records nothing first.

They pull and build, but take from the stores of the tests every pull, and every mart whose text and
rows are as they were. Tests that need no build come first, then those beside the mutant that build,
then its chapter and the worked examples. What other tests would kill survives here: the score is
the least that it may be.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.mutation import machines
from benchmarks.mutation.anew import beside, compile_anew, is_small, takers
from benchmarks.mutation.children import Line
from benchmarks.mutation.forks import processor, run_apart
from benchmarks.mutation.likely_tests import calls, likeness
from benchmarks.mutation.mutants import Mutant
from benchmarks.mutation.sample import ROOT
from benchmarks.mutation.score import listed
from benchmarks.mutation.standing import standing
from benchmarks.mutation.texts import Texts
from models.config.loading import validated_settings
from models.config.settings import Settings
from tests.support import shared_sql, shared_worlds

MOST = (60, 60, 45)
"""Seconds of processor for tests without a build, those beside the mutant, and its chapter."""
BUILDS = {
    "tmp_path", "tmp_path_factory", "world", "atlas", "marts", "bill", "aws", "aws_server",
    "configured",
}  # fmt: skip
"""Fixtures of tests that may build."""


class Beside:
    """Tries mutants one after another; a line each is added to a file."""

    def __init__(self, folder: Path, wanted: list[Mutant]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.wanted, self.told = folder, wanted, folder / "beside.jsonl"
        self.texts = Texts(folder / "none")
        self.settings = validated_settings({}, home=folder)
        self.passes: dict[str, bool] = {}
        """Whether a test that killed passes in the same way without a mutant."""

    def lines(self) -> list[Line]:
        """Of every mutant tried so far."""
        written = self.told.read_text(encoding="utf-8") if self.told.exists() else ""
        return [json.loads(line) for line in written.splitlines()]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running the tests once."""
        cache = session.config.cache
        assert cache  # which the tests have among their plugins
        with shared_sql.shared_sql(cache.mkdir("compiled_sql")):
            self._try_all(session)
        return True

    def _try_all(self, session: pytest.Session) -> None:
        self.texts.known(self.settings)
        done = {line["name"] for line in self.lines()}
        for mutant in self.wanted:
            if mutant.name not in done:
                began, cpu = time.monotonic(), processor()
                line = {"name": mutant.name, "file": mutant.file, "line": mutant.line}
                line |= self._tried(mutant, session)
                line |= {"wall": round(time.monotonic() - began, 2)}
                line |= {"cpu": round(processor() - cpu, 2)}
                with self.told.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")

    def _tried(self, mutant: Mutant, session: pytest.Session) -> Line:
        module = sys.modules[mutant.file.removesuffix(".py").replace("/", ".")]
        self.texts.mutant(module)
        ran, over = 0, []
        for stage, items in enumerate(self._stages(mutant, session)):
            left = items
            while left := [item for item in left if self.passes.get(item.nodeid, True)]:
                line = self._once(mutant, module, session, left, MOST[stage])
                if line["status"] == "refused":
                    return line
                if line["status"] != "killed":
                    over += [] if line["status"] == "survived" else [f"{line['status']} {stage}"]
                    break
                if self._passes(session, line["test"]):
                    return line | {"ran": ran + len(left)}
                left = left[[item.nodeid for item in left].index(line["test"]) + 1 :]
            ran += len(items)
        return {"status": "survived", "ran": ran, "over": over}

    def _once(
        self,
        mutant: Mutant,
        module: ModuleType,
        session: pytest.Session,
        items: list[pytest.Item],
        most: int,
    ) -> Line:
        with ExitStack() as stack:
            try:
                stack.enter_context(standing(module, mutant.source(ROOT)))
                if machines.is_step(module.__name__):
                    stack.enter_context(machines.compiled_anew())
                    machines.divide_one(self.folder)
                list(self.texts.of(self.settings))
            except Exception as error:  # noqa: BLE001 - whatever a mutant breaks
                return {"status": "refused", "error": f"{type(error).__name__}: {error}"[:200]}
            status, failed = run_apart(session, items, self._prepare, most=most)
        return {"status": status, "test": "".join(failed)}

    def _passes(self, session: pytest.Session, test: str) -> bool:
        if test not in self.passes:
            touched, self.texts.touched = self.texts.touched, frozenset()
            chosen = [item for item in session.items if item.nodeid == test]
            status, _ = run_apart(session, chosen, self._prepare, most=sum(MOST))
            self.passes[test], self.texts.touched = status == "survived", touched
        return self.passes[test]

    def _prepare(self) -> None:
        """In a child: what no mutant changes is taken from the stores of the tests."""
        compile_anew(self.texts)
        shared, early = shared_worlds.step, bool(takers(self.texts.module))

        def step(
            name: str, settings: Settings, *, reads_sources: bool = False
        ) -> shared_worlds.Step:
            if early or name != "pull":
                return shared_worlds.Step(settings, None)
            return shared(name, settings, reads_sources=reads_sources)

        shared_worlds.step = step

    def _stages(self, mutant: Mutant, session: pytest.Session) -> Iterator[list[pytest.Item]]:
        """Tests that need no build, then those beside the mutant, then those of its chapter."""
        module = self.texts.module
        items = sorted(filter(is_small, session.items), key=lambda i: likeness(mutant.file, i))
        direct = [i for i in items if _names(i, module)]
        near = [i for i in items if beside(i, mutant.file, "") and i not in direct]
        by_hand = [i for i in items if calls(i, module) and i not in direct]
        plain = [i for i in (*direct, *near, *by_hand) if not _builds(i)]
        plain = list(dict.fromkeys([*plain, *direct]))
        yield plain
        yield [i for i in near if _builds(i)]
        if mutant.name not in listed():
            chapter = ROOT / "tests" / Path(*Path(mutant.file).parts[:3])
            wide = [i for i in items if chapter in i.path.parents or "tests/docs" in i.nodeid]
            wide += [i for i in items if beside(i, mutant.file, module)]
            yield [i for i in dict.fromkeys(wide) if i not in plain and i not in near]


def _builds(item: pytest.Item) -> bool:
    return bool(BUILDS & {*getattr(item, "fixturenames", ())})


def _names(item: pytest.Item, module: str) -> bool:
    """Whether a test's file takes something from the module itself."""
    used = vars(item.module).values()  # type: ignore[attr-defined]
    return any(module in (getattr(v, "__module__", ""), getattr(v, "__name__", "")) for v in used)
