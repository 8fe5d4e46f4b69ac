"""Marts are made side by side: each after what it reads, and all stop where one fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event

import duckdb
import ibis
import pytest
from ibis.backends.duckdb import Backend

from models.engine import mart_runner
from models.engine.mart_runner import Task
from models.engine.warehouse import connection

ENDLESS = "SELECT count(*) FROM range(1_000_000_000_000) AS t(n) WHERE hash(n) % 7 = 3"


@pytest.fixture
def backend() -> Iterator[Backend]:
    connected = ibis.duckdb.connect()
    yield connected
    connected.disconnect()


def made(name: str, sql: str, *reads: str) -> dict[str, Task]:
    return {
        name: Task(
            lambda lane: mart_runner.create_mart(lane, name, sql), frozenset({*reads, "settings"})
        )
    }


def test_each_is_made_after_what_it_reads_whatever_their_order(backend: Backend) -> None:
    tasks = (
        made("total", "SELECT sum(n) AS n FROM (FROM one UNION ALL FROM two)", "one", "two")
        | made("two", "SELECT n + 1 AS n FROM one", "one")
        | made("one", "SELECT 1 AS n")
    )
    mart_runner.run(backend, tasks)
    assert backend.con.execute("FROM total").fetchall() == [(3,)]


@pytest.mark.parametrize("name", ["warehouse", 'it\'s my "own".v2', "a,b"])
def test_what_is_made_stands_beside_the_file_whatever_its_name(tmp_path: Path, name: str) -> None:
    with connection.writer(tmp_path / f"{name}.duckdb") as backend:
        backend.con.execute("CREATE TABLE kept AS SELECT 1 AS n")
        connection.derive_in_memory(backend)
        tasks = made("second", "FROM kept JOIN first USING (n)", "first")
        mart_runner.run(backend, tasks | made("first", "FROM kept"))
        assert backend.con.execute("FROM second").fetchall() == [(1,)]
    with connection.writer(tmp_path / f"{name}.duckdb") as backend:
        assert backend.con.execute("SHOW TABLES").fetchall() == [("kept",)]


def test_one_that_fails_stops_the_other_and_says_why(backend: Backend) -> None:
    tasks = made("endless", ENDLESS) | made("wrong", "SELECT CAST('x' AS INTEGER)")
    with pytest.raises(duckdb.ConversionException, match="'x'"):
        mart_runner.run(backend, tasks | made("never", "SELECT 1 AS n", "wrong"))
    assert backend.con.execute("SHOW TABLES").fetchall() == []


def test_an_interrupt_stops_both(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C reaches the thread that waits, not the ones that work."""
    begun, really = Event(), mart_runner.wait

    def endless(lane: Backend) -> None:
        begun.set()
        lane.con.execute(ENDLESS)

    def pressed(running: Iterable[object], **how: object) -> object:
        if "return_when" not in how:
            return really(running, **how)  # type: ignore[call-overload]
        assert begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(mart_runner, "wait", pressed)
    with pytest.raises(KeyboardInterrupt):
        mart_runner.run(backend, {"endless": Task(endless, frozenset())})
    assert backend.con.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(("cores", "shared"), [(4, 3), (1, 1)])
def test_lanes_share_the_cores_and_give_them_back(
    backend: Backend, cores: int, shared: int
) -> None:
    def threads(lane: Backend) -> int:
        ((found,),) = lane.con.execute("SELECT current_setting('threads')").fetchall()
        return int(found)

    backend.con.execute(f"SET threads = {cores}")
    found: list[int] = []
    mart_runner.run(backend, {"asked": Task(lambda lane: found.append(threads(lane)), frozenset())})
    assert [*found, threads(backend)] == [shared, cores]
    with pytest.raises(duckdb.ConversionException):
        mart_runner.run(backend, made("wrong", "SELECT CAST('x' AS INTEGER)"))
    assert threads(backend) == cores
