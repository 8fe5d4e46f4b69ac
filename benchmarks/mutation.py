"""How many small mistakes in what a number means would a test notice?

    .venv/bin/python benchmarks/mutation.py --sample 600

A sample of the `mutants` of `models/marts`, `PLAIN`, drawn by a
seed. Tests written for the survivors of one seed flatter its score: another seed's is honest. First
the tests run as they are, and the `worlds` they build are kept. A mutant's marts are then made over
those tables: where they publish the same rows, the test that built them cannot tell, and is not
run. Of the others the likeliest run in a child of this process, over the tables just made, until
one fails. One line a mutant is added to `mutants.jsonl`; one that stands there is not tried again.
The folder is only good for the tests and the models that it was made from.

A mutant that survives is either listed in `survivors.toml`, with the reason why no test can or need
tell, or a gap. What is listed but was killed, or stands in no file any more, is said and ends in 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import shutil
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from math import sqrt
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import duckdb
import pytest
from mutants import Mutant, mutants

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from worlds import REFUSED, Asked, Texts, Worlds  # noqa: E402

from ingest import pull  # noqa: E402
from models.config.settings import Settings  # noqa: E402
from models.engine import build  # noqa: E402
from models.engine.sql import sql_cache  # noqa: E402
from models.engine.warehouse.reader import Reader  # noqa: E402

SEED = 3
TESTS = (
    "tests/models/test_method.py",
    "tests/models/marts",
    "tests/models/forecast/test_bootstrap.py",
    "tests/models/forecast/test_enough_data.py",
    "tests/models/forecast/test_interval.py",
    "tests/simulator",
)
PLAIN = tuple(
    f"models/forecast/{name}.py"
    for name in ("bootstrap", "draws", "enough_data", "interval", "training_weeks")
)
SURVIVORS = Path(__file__).parent / "survivors.toml"
SECONDS = 120
AT_ONCE = (1, 4, 1000)
"""How many tests a child runs: the likeliest first."""
Z = 1.959963984540054
"""The normal deviate of a 95 % interval."""
Line = dict[str, Any]


def every(seed: int = SEED) -> list[Mutant]:
    """All mutants in an order of chance; an edit of one file moves no other's mutants in it."""
    folders = (ROOT / "models" / "marts", ROOT / "models" / "contract" / "rules")
    marts = sorted(file for folder in folders for file in folder.rglob("[a-z]*.py"))
    files = [*(str(file.relative_to(ROOT)) for file in marts), *PLAIN]
    found = [mutant for file in files for mutant in mutants(ROOT, file)]
    return sorted(found, key=lambda mutant: sha256(f"{seed} {mutant.name}".encode()).digest())


@contextmanager
def standing(module: ModuleType, source: str) -> Iterator[None]:
    """The module's functions and constants are the mutant's, wherever they were imported."""
    before = dict(vars(module))
    mutated = dict(before)
    exec(compile(ast.parse(source), str(module.__file__), "exec", dont_inherit=True), mutated)
    functions = dict(_functions(before, mutated))
    others = [vars(m) for n, m in list(sys.modules.items()) if n.startswith("models")]
    plain = [
        (names, name, before[name], value)
        for name, value in mutated.items()
        if not isinstance(value, FunctionType | type | ModuleType) and not name.startswith("__")
        for names in others
        if name in before and names.get(name) is before[name]
    ]
    originals = {function: _body(function) for function in functions}
    for function, new in functions.items():
        function.__code__, function.__defaults__, function.__kwdefaults__ = _body(new)
    for names, name, _, value in plain:
        names[name] = value
    try:
        yield
    finally:
        for function, body in originals.items():
            function.__code__, function.__defaults__, function.__kwdefaults__ = body
        for names, name, old, _ in plain:
            names[name] = old


def _body(function: FunctionType) -> tuple[Any, Any, Any]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _functions(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    for name, new in after.items():
        old = before.get(name)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType) and new is not old:
            yield old, new
        if isinstance(new, type) and isinstance(old, type) and new is not old:
            yield from _functions(dict(vars(old)), dict(vars(new)))


class Mutation:
    """A plugin of pytest: keeps the worlds, then tries the mutants with the same tests."""

    def __init__(self, folder: Path, wanted: list[Mutant]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.wanted, self.told = wanted, folder / "mutants.jsonl"
        self.checked, self.queries = folder / "checked.json", folder / "queries.jsonl"
        self.worlds, self.texts = Worlds(folder), Texts(folder / "none")
        self.owner = ""
        self.untold: set[str] = set()
        """Tests that ask with what JSON has no word for."""
        self.kills: Counter[tuple[str, str]] = Counter()

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

    def _usable(self, item: pytest.Item) -> bool:
        """Tests of a build that is refused need a real one, and are left out."""
        return self.worlds.outcome[item.nodeid][0] and REFUSED not in self._worlds_of(item)

    def _same(self, session: pytest.Session, items: list[pytest.Item]) -> list[pytest.Item]:
        """Those that pass over kept tables too: no mutant may die of how it is tried."""
        known = json.loads(self.checked.read_text("utf-8")) if self.checked.exists() else {}
        if new := [item for item in items if item.nodeid not in known]:
            _, failed = self._child(session, new, all_of_them=True)
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
        began, cpu = time.monotonic(), _processor()
        line = {"name": mutant.name, "file": mutant.file, "line": mutant.line}
        line |= self._tried(mutant, session, items)
        line |= {"wall": round(time.monotonic() - began, 2), "cpu": round(_processor() - cpu, 2)}
        with self.told.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _tried(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> Line:
        """`killed` by a test, `refused` before any, `survived` those that ran, `slow`."""
        module = sys.modules[mutant.file.removesuffix(".py").replace("/", ".")]
        self.texts.mutant(module)
        try:
            with standing(module, mutant.source(ROOT)):
                for settings in self.worlds.settings[:1]:
                    list(self.texts.of(settings))
                return self._against(mutant, session, items)
        except Exception as error:  # noqa: BLE001 - whatever a mutant breaks
            return {"status": "refused", "error": f"{type(error).__name__}: {error}"[:200]}

    def _against(self, mutant: Mutant, session: pytest.Session, items: list[pytest.Item]) -> Line:
        found = self._noticing(mutant, self._likeliest(mutant, items))
        ran = 0
        for size in AT_ONCE:
            chosen = [item for _, item in zip(range(size), found, strict=False)]
            if not chosen:
                break
            status, test = self._child(session, chosen)
            ran += len(chosen)
            if status != "survived":
                self.kills[mutant.file, test] += 1
                return {"status": status, "test": test, "ran": ran}
        return {"status": "survived", "ran": ran}

    def _likeliest(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        stem = Path(mutant.file).stem
        return sorted(
            items,
            key=lambda item: (
                "sample" in getattr(item, "fixturenames", ()),
                "simulator" in item.nodeid,
                -self.kills[mutant.file, item.nodeid],
                stem not in item.nodeid,
                self.worlds.outcome[item.nodeid][1],
            ),
        )

    def _noticing(self, mutant: Mutant, items: list[pytest.Item]) -> Iterator[pytest.Item]:
        """The tests that see other rows, or may; `untold` is what they ask then."""
        telling = {one.test for asked in self.worlds.asked.values() for one in asked}
        telling -= self.untold
        seen: dict[int, set[str] | None] = {}
        for item in items:
            worlds = self._worlds_of(item)
            if not worlds and _calls(item, mutant.file):
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

    def _child(
        self, session: pytest.Session, items: list[pytest.Item], *, all_of_them: bool = False
    ) -> tuple[str, str]:
        """Runs tests in a copy of this process; which of them failed, until the first or all."""
        items = sorted(items, key=session.items.index)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self._run(session, items, writing, all_of_them=all_of_them)
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
        return ("killed", test.strip()) if test else ("survived", "")

    def _run(
        self, session: pytest.Session, items: list[pytest.Item], writing: int, *, all_of_them: bool
    ) -> None:
        if not all_of_them:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        self._build_from_kept(telling=all_of_them)
        session.testsfailed = 0
        for item, after in zip(items, [*items[1:], None], strict=True):
            self.owner = item.nodeid
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                os.write(writing, f"{item.nodeid}\n".encode())
                session.testsfailed = 0
                if not all_of_them:
                    return

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

        build.build = remade  # type: ignore[assignment]
        brought = SimpleNamespace(raise_failures=lambda: None)
        pull.pull = lambda *_, **__: brought  # type: ignore[assignment]
        if telling:
            Reader.rows = rows  # type: ignore[method-assign, assignment]

    def _tell_query(self, world: int, sql: str, parameters: object) -> None:
        try:
            told = json.dumps([self.owner, world, sql, parameters])
        except TypeError:
            told = json.dumps([self.owner, world, "", []])
        with self.queries.open("a", encoding="utf-8") as file:
            file.write(f"{told}\n")


def _calls(item: pytest.Item, file: str) -> bool:
    """Whether the test's file takes the mutant's by itself, so that it may notice without a build.

    What `bootstrap` stands on has no test of its own.
    """
    names = {Path(file).stem, "bootstrap" if file in PLAIN else ""}
    return not names.isdisjoint(vars(item.module))  # type: ignore[attr-defined]


def _which(request: pytest.FixtureRequest) -> str:
    """Of a fixture with parameters, the one that is made."""
    return f"[{getattr(request, 'param_index', 0)}]" if hasattr(request, "param") else ""


def _processor() -> float:
    """Seconds of this process and of its children."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def listed() -> dict[str, str]:
    """The reason of each survivor that is known, by the mutant's name."""
    files = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    return {f"{file}: {what}": why for file, found in files.items() for what, why in found.items()}


def interval(hits: int, tried: int) -> tuple[float, float]:
    """Wilson's, of a share."""
    share, square = hits / tried, Z * Z
    middle = (share + square / (2 * tried)) / (1 + square / tried)
    half = Z * sqrt(share * (1 - share) / tried + square / (4 * tried * tried))
    return middle - half / (1 + square / tried), middle + half / (1 + square / tried)


def report(lines: Sequence[Line], known: Mapping[str, str], of: int) -> None:
    """The score, and every survivor."""
    by = {status: [line for line in lines if line["status"] == status] for status in STATUSES}
    alive = [line for line in by["survived"] if line["name"] not in known]
    reasons = Counter(
        known[line["name"]].partition(":")[0] for line in by["survived"] if line["name"] in known
    )
    killed = len(by["killed"]) + len(by["slow"])
    print(f"tried {len(lines)} of {of} mutants")
    print(f"refused {len(by['refused'])}: no build takes them, so no test is needed; not scored")
    print(f"killed {killed}, of them {len(by['slow'])} after {SECONDS} s of processor")
    print(f"survived {len(by['survived'])}: {dict(reasons)} with a reason, {len(alive)} without")
    scored = killed + len(by["survived"])
    _score("score of all", killed, scored)
    _score("score less the equivalent", killed, scored - reasons["equivalent"])
    spent = [sum(line[clock] for line in lines) for clock in ("wall", "cpu")]
    print(f"{spent[0]:.0f} s, {spent[1]:.0f} s of processor")
    for line in alive:
        print(f"survived {line['name']} (line {line['line']}, ran {line['ran']})")


STATUSES = ("killed", "slow", "refused", "survived")


def _score(words: str, hits: int, tried: int) -> None:
    if tried:
        low, high = interval(hits, tried)
        print(f"{words}: {hits / tried:.1%} ({hits} of {tried}; 95 %: {low:.1%} to {high:.1%})")


def main() -> int:
    """Tries the sample and prints the score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=SEED, help="of the sample's order")
    parser.add_argument("--again", action="store_true", help="try survivors of the sample again")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutation")
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    sql_cache.MOST = 10**6
    found = every(given.seed)
    wanted = found[: given.sample]
    plugin = Mutation(given.folder, wanted)
    if given.again:
        kept = [line for line in plugin.lines() if line["status"] != "survived"]
        plugin.told.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    # a folder of its own: other sessions of pytest sweep the usual one
    scratch = given.folder / f"scratch-{os.getpid()}"
    options = ["-q", "-p", "no:cacheprovider", "--timeout=0", f"--basetemp={scratch}"]
    pytest.main([*options, "-m", "not spark", *given.tests], [plugin])
    shutil.rmtree(scratch, ignore_errors=True)
    names = {mutant.name for mutant in wanted}
    lines = [line for line in plugin.lines() if line["name"] in names]
    known = listed()
    report(lines, known, len(found))
    stale = known.keys() - {mutant.name for mutant in found}
    stale |= {line["name"] for line in lines if line["status"] != "survived"} & known.keys()
    for name in sorted(stale):
        print(f"listed but killed, or no mutant: {name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
