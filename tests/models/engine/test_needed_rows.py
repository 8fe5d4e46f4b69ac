"""A mart that is not computed for want of rows would have had none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

from breakeven.verbs.demo import COMPANY
from models.config.loading import load
from models.engine.needed_rows import ONLY_WITH
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import SqlCache
from models.marts import MARTS, inputs_of
from tests.support import company
from tests.support.some_marts import make_tables

GATED = {
    mart.__name__: mart
    for mart in MARTS
    if ONLY_WITH.get(mart.__name__, {"": ""}).keys() <= {*inputs_of(mart)}
}
"""Those that read themselves what they need; others read what is made of it."""
READ = sorted({name for mart in GATED.values() for name in inputs_of(mart)} - {"settings"})


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """What the marts read of the demo company, and their SQL in the table `texts`."""
    folder = tmp_path_factory.mktemp("own") / "company"  # others read the one that all share
    shutil.copytree(company.built(tmp_path_factory).data, folder)
    settings = load(COMPANY, {"BREAKEVEN_WAREHOUSE__PATH": f"{folder}/warehouse.duckdb"})
    texts = mart_sql.texts(settings, SqlCache(settings.data))
    tables, _ = make_tables(settings, (*{*READ, *GATED},))
    con = duckdb.connect(config={"threads": 1})
    for name, table in tables.items():
        con.register(f"whole_{name}", table)
    rows = [{"name": name, "text": texts[name].text} for name in GATED]
    con.register("texts", pa.Table.from_pylist(rows))
    yield con
    con.close()


@pytest.mark.parametrize("name", GATED)
def test_without_the_rows_that_it_needs_a_mart_has_none(
    world: duckdb.DuckDBPyConnection, name: str
) -> None:
    needed = ONLY_WITH[name]
    for table in READ:
        which = f"({needed[table]}) IS NOT TRUE" if table in needed else "true"
        world.execute(f"CREATE OR REPLACE TEMP VIEW {table} AS FROM whole_{table} WHERE {which}")
    ((text,),) = world.execute("SELECT text FROM texts WHERE name = ?", [name]).fetchall()
    assert world.execute(text).fetchall() == []


def test_the_company_has_what_most_of_them_tell(world: duckdb.DuckDBPyConnection) -> None:
    told = {name for name in GATED if world.execute(f"FROM whole_{name} LIMIT 1").fetchall()}
    assert told >= {"pools", "commitments", "benchmarks", "benchmark_runs"}
