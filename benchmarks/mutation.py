"""How many small mistakes in what a number means would a test notice?

    .venv/bin/python benchmarks/mutation.py --sample 300

A sample of the `mutants` of `models/marts`, `models/forecast.py` and `models/draws.py`, drawn by
`SEED`. First the tests run as they are, and every table of every warehouse they build is kept. A
mutant of a mart is then run over those tables: where it gives the same rows, the test that built
them cannot tell, and is not run. Of the others the likeliest run in a child of this process, until
one fails. One line a mutant is added to `mutants.jsonl`; one that stands there is not tried again.
The folder is only good for the tests and the models that it was made from.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import pickle
import random
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import duckdb
import pytest
from mutants import Mutant, mutants

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from models import build, compiled, engines  # noqa: E402
from models.compiled import Compiled, Said  # noqa: E402
from models.marts import MARTS, SPEND_REDUCED, Mart  # noqa: E402
from models.settings import Settings  # noqa: E402
from models.spark import Cluster  # noqa: E402

SEED = 3
TESTS = ("tests/models/test_method.py", "tests/models/marts", "tests/models/test_forecast.py")
PLAIN = ("models/forecast.py", "models/draws.py")
"""Not marts: only tests of the forecast can tell."""
SECONDS = 120
AT_ONCE = (2, 6, 8)
"""How many tests a child runs: the likeliest first."""


def sampled(size: int, only: str) -> list[Mutant]:
    """The first `size` of all mutants in the order drawn: a larger sample holds the smaller."""
    marts = sorted((ROOT / "models" / "marts").glob("[a-z]*.py"))
    files = [*(str(file.relative_to(ROOT)) for file in marts), *PLAIN]
    every = [mutant for file in files for mutant in mutants(ROOT, file)]
    random.Random(SEED).shuffle(every)
    names = set(filter(None, only.split(",")))
    return [m for m in every if m.name in names] if names else every[:size]


class Worlds:
    """The tables of every warehouse that a test built, each in a schema of its own."""

    def __init__(self, folder: Path) -> None:
        self._known, self._file = folder / "known.pickle", folder / "worlds.duckdb"
        self.open(read_only=self._known.exists())
        self.settings: list[Settings] = []
        self.built: dict[str, list[int]] = {}
        """The worlds of a test, and of a fixture by its file and name."""
        self.outcome: dict[str, tuple[bool, float]] = {}
        if self._known.exists():
            kept = pickle.loads(self._known.read_bytes())
            self.settings, self.built, self.outcome, memo = kept
            Compiled._process.update(memo)

    def open(self, *, read_only: bool) -> None:
        """In one thread, for this process forks; to read, beside others that read."""
        self.con = duckdb.connect(str(self._file), read_only, config={"threads": 1})
        self.con.execute("SET TimeZone = 'UTC'")

    def keep(self, owner: str, settings: Settings) -> None:
        """Every table of the warehouse just built."""
        world = len(self.settings)
        self.con.execute(f"ATTACH '{settings.warehouse_file}' AS built (READ_ONLY)")
        names = self.con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'built' UNION ALL "
            "SELECT view_name FROM duckdb_views() WHERE database_name = 'built' AND NOT internal"
        ).fetchall()
        self.con.execute(f"CREATE OR REPLACE SCHEMA w{world}")
        for (name,) in names:
            self.con.execute(f'CREATE TABLE w{world}."{name}" AS FROM built."{name}"')
        self.con.execute("DETACH built")
        self.settings.append(settings)
        self.built.setdefault(owner, []).append(world)

    def save(self) -> None:
        """For the next run."""
        self.con.close()
        self.open(read_only=True)
        kept = (self.settings, self.built, self.outcome, Compiled._process)
        self._known.write_bytes(pickle.dumps(kept))

    def differ(self, world: int, marts: Sequence[Mart], texts: Texts) -> bool:
        """Whether one of the mutated marts has other rows in this world."""
        settings = self.settings[world]
        for mart in marts:
            now, before = texts.mutated(mart, settings), texts.known(settings)[mart.__name__]
            if now.columns != before.columns:
                return True
            if now.text != before.text and self._rows(world, now) != self._rows(world, before):
                return True
        return False

    def _rows(self, world: int, said: Said) -> object:
        self.con.execute(f"USE w{world}")
        told = f"SELECT count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT) FROM ({said.text}) AS t"
        try:
            return self.con.execute(told).fetchone()
        except duckdb.Error as error:
            return str(error)


class Texts:
    """The SQL of marts: as they are, once; as mutated, once a mutant and question."""

    def __init__(self, folder: Path) -> None:
        self._memo = Compiled(folder)
        self._known: dict[str, dict[str, Said]] = {}
        self._mutated: dict[str, Said] = {}

    def known(self, settings: Settings) -> dict[str, Said]:
        """Of every mart. Asked for before the mutant stands."""
        asked = repr(engines._asked(settings)) + repr(settings.tags)
        if asked not in self._known:
            self._known[asked] = engines.texts(settings, self._memo)
        return self._known[asked]

    def mutated(self, mart: Mart, settings: Settings) -> Said:
        """Of one that is changed."""
        columns = engines.inputs(settings)
        columns |= {name: said.columns for name, said in self.known(settings).items()}
        inputs = [columns.get(name, settings.today) for name in inspect.signature(mart).parameters]
        asked = f"{mart.__name__} {inputs} {engines._asked(settings)}"
        if asked not in self._mutated:
            self._mutated[asked] = engines._made(mart, columns, settings)
        return self._mutated[asked]

    def forget(self) -> None:
        """The next mutant is another."""
        self._mutated = {}


@contextmanager
def standing(module: ModuleType, source: str) -> Iterator[None]:
    """The module's functions and constants are the mutant's, wherever they were imported."""
    before = dict(vars(module))
    mutated = dict(before)
    exec(compile(ast.parse(source), str(module.__file__), "exec", dont_inherit=True), mutated)
    codes = dict(_codes(before, mutated))
    others = [vars(m) for n, m in list(sys.modules.items()) if n.startswith("models")]
    plain = [
        (names, name, before[name], value)
        for name, value in mutated.items()
        if not isinstance(value, FunctionType | type | ModuleType) and not name.startswith("__")
        for names in others
        if name in before and names.get(name) is before[name]
    ]
    originals = {function: function.__code__ for function in codes}
    for function, code in codes.items():
        function.__code__ = code
    for names, name, _, new in plain:
        names[name] = new
    try:
        yield
    finally:
        for function, code in originals.items():
            function.__code__ = code
        for names, name, old, _ in plain:
            names[name] = old


def _codes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[FunctionType, Any]]:
    for name, new in after.items():
        old = before.get(name)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType) and new is not old:
            yield old, new.__code__
        if isinstance(new, type) and isinstance(old, type) and new is not old:
            yield from _codes(dict(vars(old)), dict(vars(new)))


def touched(module: ModuleType) -> list[Mart]:
    """The marts that the module makes, or has a hand in."""
    functions = [value for value in vars(module).values() if isinstance(value, FunctionType)]
    own = {id(function) for function in functions if function.__module__ == module.__name__}
    return [
        mart
        for mart in (SPEND_REDUCED, *MARTS)
        if own & {id(value) for value in vars(sys.modules[mart.__module__]).values()}
    ]


class Mutation:
    """A plugin of pytest: keeps the worlds, then tries the mutants with the same tests."""

    def __init__(self, folder: Path, wanted: list[Mutant]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.wanted = folder, wanted
        self.worlds, self.texts = Worlds(folder), Texts(folder / "none")
        self.told = folder / "mutants.jsonl"
        self.owner = ""
        self.kills: Counter[tuple[str, str]] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        """What is built in a fixture that outlives the test belongs to the fixture."""
        outer = self.owner
        if fixturedef.scope != "function":
            self.owner = f"{fixturedef.baseid}::{fixturedef.argname}"
        try:
            return (yield)
        finally:
            self.owner = outer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running the tests once."""
        if new := [item for item in session.items if item.nodeid not in self.worlds.outcome]:
            self._record(new)
        passed = [i for i in session.items if self.worlds.outcome[i.nodeid][0]]
        for settings in self.worlds.settings:
            self.texts.known(settings)
        for line in self._lines():
            self.kills[line["file"], line.get("test", "")] += 1
        done = {line["name"] for line in self._lines()}
        for mutant in self.wanted:
            if mutant.name not in done:
                self._tell(mutant, session, passed)
        return True

    def _record(self, items: list[pytest.Item]) -> None:
        made = build.build

        def kept(
            settings: Settings, *, wait: float = 0, cluster: Cluster | None = None
        ) -> build.Built:
            built = made(settings, wait=wait, cluster=cluster)
            self.worlds.keep(self.owner, settings)
            return built

        self.worlds.con.close()
        self.worlds.open(read_only=False)
        build.build = kept
        for item, after in zip(items, [*items[1:], None], strict=True):
            self.owner, failed, began = item.nodeid, item.session.testsfailed, time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            passed = item.session.testsfailed == failed
            self.worlds.outcome[item.nodeid] = passed, time.process_time() - began
        build.build = made
        self.worlds.save()

    def _lines(self) -> list[dict[str, Any]]:
        written = self.told.read_text(encoding="utf-8") if self.told.exists() else ""
        return [json.loads(line) for line in written.splitlines()]

    def _tell(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> None:
        began = time.monotonic()
        line: dict[str, object] = {"name": mutant.name, "file": mutant.file, "what": mutant.what}
        line |= self._tried(mutant, session, items)
        line["seconds"] = round(time.monotonic() - began, 1)
        with self.told.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _tried(
        self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]
    ) -> dict[str, Any]:
        """`killed` by a test, `refused` before any, `survived` those that ran, `slow`."""
        module = sys.modules[mutant.file.removesuffix(".py").replace("/", ".")]
        self.texts.forget()
        try:
            with standing(module, mutant.source(ROOT)):
                return self._against(mutant, touched(module), session, items)
        except Exception as error:  # noqa: BLE001 - whatever a mutant breaks
            return {"status": "refused", "error": f"{type(error).__name__}: {error}"[:200]}

    def _against(
        self, mutant: Mutant, marts: list[Mart], session: pytest.Session, items: list[pytest.Item]
    ) -> dict[str, Any]:
        found = self._noticing(mutant, marts, self._likeliest(mutant, items))
        ran = 0
        for size in AT_ONCE:
            chosen = [item for _, item in zip(range(size), found, strict=False)]
            if not chosen:
                break
            status, test = _child(session, chosen, {mart.__name__ for mart in marts})
            ran += len(chosen)
            if status != "survived":
                self.kills[mutant.file, test] += 1
                return {"status": status, "test": test, "ran": ran}
        return {"status": "survived", "ran": ran, "texts": len(self.texts._mutated)}

    def _likeliest(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        """What killed before, then what is named like the file, then one of each file in turn."""
        seen: Counter[Path] = Counter()
        turn: dict[str, int] = {}
        for item in sorted(items, key=lambda item: self.worlds.outcome[item.nodeid][1]):
            turn[item.nodeid] = seen[item.path]
            seen[item.path] += 1
        return sorted(
            items,
            key=lambda item: (
                "sample" in getattr(item, "fixturenames", ()),
                -self.kills[mutant.file, item.nodeid],
                Path(mutant.file).stem not in item.nodeid,
                turn[item.nodeid],
            ),
        )

    def _noticing(
        self, mutant: Mutant, marts: list[Mart], items: list[pytest.Item]
    ) -> Iterator[pytest.Item]:
        """The tests in one of whose worlds the mutant has other rows."""
        other: dict[int, bool] = {}
        for item in items:
            if mutant.file in PLAIN:
                yield from [item] if "forecast" in item.nodeid else []
                continue
            for world in self._worlds_of(item):
                if world not in other:
                    other[world] = self.worlds.differ(world, marts, self.texts)
                if other[world]:
                    yield item
                    break

    def _worlds_of(self, item: pytest.Item) -> list[int]:
        names = getattr(item, "fixturenames", ())
        shared = [
            found
            for owner, found in self.worlds.built.items()
            for base, _, name in [owner.rpartition("::")]
            if name in names and item.nodeid.startswith(base)
        ]
        return sum(shared, self.worlds.built.get(item.nodeid, []))


def _child(session: pytest.Session, items: list[pytest.Item], marts: set[str]) -> tuple[str, str]:
    """Runs tests in a copy of this process; which of them failed first, if one did."""
    items = sorted(items, key=session.items.index)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _run(session, items, marts, writing)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        test = pipe.read()
    _, ended = os.waitpid(child, 0)
    factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    for left in factory.getbasetemp().iterdir():
        shutil.rmtree(left, ignore_errors=True)
    if os.waitstatus_to_exitcode(ended):
        return "slow", ""
    return ("killed", test) if test else ("survived", "")


def _run(session: pytest.Session, items: list[pytest.Item], marts: set[str], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    said, reduced = Compiled.said, SPEND_REDUCED.__name__ in marts

    def marked(self: Compiled, about: tuple[object, ...], compile_: Callable[[], Said]) -> Said:
        ours = about[1] in marts if about[0] == "mart" else about[0] == "reduction" and reduced
        return said(self, (*about, "mutated") if ours else about, compile_)

    Compiled.said = marked  # type: ignore[method-assign]
    session.testsfailed = 0
    for item, after in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed:
            os.write(writing, item.nodeid.encode())
            return


def main() -> None:
    """Tries the sample and prints the score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--only", default="", help="names of mutants, by commas")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutation")
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    compiled.MOST = 10**6
    wanted = sampled(given.sample, given.only)
    plugin = Mutation(given.folder, wanted)
    # a folder of its own: other sessions of pytest sweep the usual one
    scratch = given.folder / f"scratch-{os.getpid()}"
    options = ["-q", "-p", "no:cacheprovider", "--timeout=0", f"--basetemp={scratch}"]
    pytest.main([*options, *given.tests], [plugin])
    shutil.rmtree(scratch, ignore_errors=True)
    names = {mutant.name for mutant in wanted}
    lines = [line for line in plugin._lines() if line["name"] in names]
    print(dict(Counter(line["status"] for line in lines)))
    for line in lines:
        if line["status"] in ("survived", "slow"):
            print(line["status"], line["name"], line["what"])


if __name__ == "__main__":
    main()
