"""Readers follow what is published, in whatever order files come and go."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from models.contract.errors import StorageError
from models.engine.warehouse.reader import Reader
from tests.conftest import migrated
from tests.support.some_marts import published
from tests.support.world import World


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> World:
    """METHOD §8 A, built."""
    world = migrated(World(tmp_path_factory.mktemp("atlas")))
    world.build()
    return world


@pytest.fixture
def copy(atlas: World, tmp_path: Path) -> World:
    """A copy of it, to be changed."""
    shutil.copytree(atlas.folder, tmp_path, dirs_exist_ok=True)
    return World(tmp_path, [*atlas.charges], [*atlas.samples], atlas.config)


def test_a_snapshot_of_another_version_is_named_with_the_remedy(copy: World) -> None:
    """As after an update, until the next build: a column that is asked for is not there yet."""
    folder = copy.settings().data / "snapshots"
    (file,) = folder.glob("*.duckdb")
    with duckdb.connect(str(file)) as connection:
        connection.execute("ALTER TABLE break_even DROP COLUMN roi")
    reader = Reader(folder)
    with pytest.raises(StorageError, match=r"break_even\.roi.*breakeven build"):
        reader.rows("SELECT status, roi FROM break_even")
    assert reader.rows("SELECT status FROM break_even WHERE workload = 'atlas-7b'")
    reader.close()


def test_what_is_built_anew_after_all_was_deleted_is_read(copy: World) -> None:
    """Its snapshot has the first one's name, and pages that are open still read the first."""
    config = copy.settings()
    readers = [Reader(config.data / "snapshots") for _ in range(2)]
    asked = "SELECT sum(direct) AS dollars FROM tie_out WHERE basis = 'effective'"
    first = [reader.rows(asked) for reader in readers]
    shutil.rmtree(config.data)
    copy.hours("2025-09-20", 10, "trn1.32xlarge", 30, {"workload": "atlas-7b", "run": "t8"})
    published(copy.pulled(), "tie_out")
    (before,), (now,) = first[0], readers[0].rows(asked)
    assert now["dollars"] == before["dollars"] + 300
    assert readers[1].rows(asked) == [now]
    for reader in readers:
        reader.close()


def test_one_reader_serves_many_threads_whoever_lets_go_of_it(atlas: World) -> None:
    reader = Reader(atlas.settings().data / "snapshots")

    def ask(number: int) -> list[dict[str, Any]]:
        if number % 10 == 9:
            reader.close()
        return reader.rows(f"SELECT count(*) AS runs, {number} AS number FROM runs")

    with ThreadPoolExecutor(8) as threads:
        found = [rows for (rows,) in threads.map(ask, range(200))]
    assert found == [{"runs": 5, "number": number} for number in range(200)]


def test_one_snapshot_stays_the_same_while_another_is_published(copy: World) -> None:
    config = copy.settings()
    reader = Reader(config.data / "snapshots")
    total = "SELECT sum(direct) AS dollars FROM tie_out WHERE basis = $basis"
    given = {"basis": "effective"}
    with reader.one_snapshot() as snapshot:
        (before,) = snapshot.rows(total, given)
        copy.hours("2025-09-20", 10, "trn1.32xlarge", 30, {"workload": "atlas-7b", "run": "t8"})
        copy.build()
        assert snapshot.table(total, given).to_pylist() == [before]
    with reader.one_snapshot() as snapshot:
        assert snapshot.rows(total, given) == [{"dollars": before["dollars"] + 300}]
    reader.close()
