"""Databases in memory that are lent, one borrower after the other."""

from __future__ import annotations

from contextlib import suppress

import duckdb
import pytest
from ibis.backends.duckdb import Backend

from models.engine.warehouse import connection, scratch
from models.engine.warehouse.scratch import Lender


@pytest.fixture
def lender(monkeypatch: pytest.MonkeyPatch) -> Lender:
    """A lender of its own, with nothing open."""
    lender = Lender()
    monkeypatch.setattr(scratch, "_LENDER", lender)
    return lender


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[duckdb.DuckDBPyConnection]:
    """The connections that were opened, in order."""
    opened: list[duckdb.DuckDBPyConnection] = []

    def connect(file: None) -> duckdb.DuckDBPyConnection:
        opened.append(connection.connect(file))
        return opened[-1]

    monkeypatch.setattr(scratch, "connect", connect)
    return opened


def setting(backend: Backend, name: str) -> object:
    ((value,),) = backend.con.execute(f"SELECT current_setting('{name}')").fetchall()
    return value


def is_open(given: duckdb.DuckDBPyConnection) -> bool:
    with suppress(duckdb.ConnectionException):
        return bool(given.execute("SELECT 1").fetchall())
    return False


def test_a_borrower_finds_nothing_of_the_one_before(
    lender: Lender, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    with lender.keeping():
        with scratch.scratch(threads=1, ordered=True) as first:
            first.con.execute("CREATE TABLE a AS SELECT 1 AS one")
            first.con.execute("CREATE TEMP VIEW b AS SELECT 1 AS one")
            told = setting(first, "threads"), setting(first, "preserve_insertion_order")
        with scratch.scratch() as second:
            assert not second.con.execute("FROM duckdb_tables()").fetchall()
            assert not second.con.execute("FROM duckdb_views() WHERE NOT internal").fetchall()
            told += setting(second, "threads"), setting(second, "preserve_insertion_order")
    ((usual,),) = duckdb.execute("SELECT current_setting('threads')").fetchall()
    assert told == (1, True, usual, False)
    assert len(opened) == 1


def test_two_at_a_time_have_a_database_each(
    lender: Lender, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    with lender.keeping(), scratch.scratch() as one, scratch.scratch() as other:
        one.con.execute("CREATE TABLE a AS SELECT 1 AS one")
        assert not other.con.execute("FROM duckdb_tables()").fetchall()
    assert len(opened) == 2
    assert not any(map(is_open, opened))


def test_one_in_which_a_query_failed_is_lent_again(
    lender: Lender, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    with lender.keeping():
        with suppress(duckdb.ConversionException), scratch.scratch() as first:
            first.con.begin()
            first.con.execute("CREATE TABLE a AS SELECT 1 AS one")
            first.con.execute("SELECT CAST('x' AS INTEGER)")
        with scratch.scratch() as second:
            second.con.execute("CREATE TABLE a AS SELECT 2 AS two")
    assert len(opened) == 1


def test_one_that_cannot_be_emptied_is_closed(
    lender: Lender, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    with lender.keeping():
        with scratch.scratch():
            opened[0].close()
        with scratch.scratch():
            assert is_open(opened[1])


def test_none_stays_open_unless_it_is_asked_for(
    lender: Lender, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    with scratch.scratch():
        assert is_open(opened[0])
    assert not is_open(opened[0])
    with lender.keeping(), lender.keeping():
        pass
    with lender.keeping():
        with lender.keeping(), scratch.scratch():
            pass
        assert is_open(opened[1])
    assert not is_open(opened[1])
