"""Tests share computed marts only where the SQL and all rows that it reads are the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import ibis
import pytest
from ibis.backends.duckdb import Backend

from models.engine import mart_runner
from models.engine.mart_runner import Task
from models.engine.sql.sql_cache import CompiledSql
from tests.support.shared_marts import Derivation, Store

FIRST = "SELECT list(n) AS every FROM given"
SECOND = "SELECT len(every) AS many FROM first"


@pytest.fixture
def backend() -> Iterator[Backend]:
    connected = ibis.duckdb.connect(threads=1)
    yield connected
    connected.disconnect()


def made(folder: Path, backend: Backend, *rows: int, first: str = FIRST) -> list[str]:
    """Derives two marts of a table of numbers; the names of those that had to be computed."""
    backend.con.execute("CREATE OR REPLACE TABLE given AS SELECT unnest(?::INT[]) AS n", [rows])
    store = Store(folder)
    store.look()
    derivation = Derivation(store)
    for name, text, reads in (("first", first, "given"), ("second", SECOND, "first")):
        task = Task(
            partial(mart_runner._make, name=name, compiled=CompiledSql(text, {})),
            frozenset({reads, "settings"}),
        )
        derivation.make(backend, name, task, text)
    if derivation.computed:
        store.add(backend, derivation.computed)
    return [name for name, _ in derivation.computed.values()]


def every(backend: Backend) -> tuple[list[int], int]:
    ((found, many),) = backend.con.execute("FROM first, second").fetchall()
    return found, many


def test_the_same_is_taken_and_anything_else_computed(tmp_path: Path, backend: Backend) -> None:
    """The order of rows counts; what follows is computed where the rows it reads changed."""
    assert made(tmp_path, backend, 1, 2) == ["first", "second"]
    assert made(tmp_path, backend, 1, 2) == []
    assert every(backend) == ([1, 2], 2)
    assert made(tmp_path, backend, 2, 1) == ["first", "second"]
    assert every(backend) == ([2, 1], 2)
    assert made(tmp_path, backend, 1, 2, first=f"{FIRST} WHERE n < 3") == ["first"]
    assert made(tmp_path, backend, 1, 2, first=f"{FIRST} WHERE n < 2") == ["first", "second"]
    assert every(backend) == ([1], 1)


def test_what_is_damaged_is_computed_again(tmp_path: Path, backend: Backend) -> None:
    made(tmp_path, backend, 1, 2)
    (file,) = tmp_path.glob("*.duckdb")
    file.write_bytes(b"not a database" * 4096)
    assert made(tmp_path, backend, 1, 2) == ["first", "second"]
    assert every(backend) == ([1, 2], 2)
    assert made(tmp_path, backend, 1, 2) == []
    (whole,) = tmp_path.glob("*.duckdb")
    with duckdb.connect(str(whole), read_only=True) as stored:
        assert len(stored.execute("SHOW TABLES").fetchall()) == 2


def test_what_was_not_used_for_long_goes(tmp_path: Path, backend: Backend) -> None:
    made(tmp_path, backend, 1, 2)
    Store(tmp_path).sweep()
    assert made(tmp_path, backend, 1, 2) == []
    (index,) = tmp_path.glob("*.json")
    os.utime(index, (0, 0))
    Store(tmp_path).sweep()
    assert [*tmp_path.iterdir()] == []
