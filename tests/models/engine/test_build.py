"""A build is a function of what was delivered: not of order, batches, credits or leftovers."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ibis.backends.duckdb import Backend

from ingest import pull
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import MissingDataError, StorageError
from models.engine import build, mart_runner, publication
from models.engine.reduction import kept_charge_kinds
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.reader import Reader
from models.marts import MARTS
from tests.conftest import migrated
from tests.support import shipped_prices
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World, write

pytestmark = pytest.mark.usefixtures("computed_anew")
Again = tuple[Settings, pull.Report, build.Built]
NEWS = ("freshness", "restatements")
MONEY_MARTS = tuple(name for name in schema.MARTS if name not in NEWS)


def contents(settings_: Settings) -> dict[str, list[str]]:
    """Every row of every mart but those that tell when deliveries came."""
    reader = Reader(settings_.data / "snapshots")
    try:
        return {
            name: sorted(repr(tuple(row.values())) for row in reader.rows(f"SELECT * FROM {name}"))
            for name in MONEY_MARTS
        }
    finally:
        reader.close()


def rebuilt(config: Settings) -> build.Built:
    pull.pull(config).raise_failures()
    return build.build(config)


def snapshot_id(config: Settings) -> str:
    return str(Marts(config).row("SELECT snapshot_id FROM snapshot")["snapshot_id"])


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> World:
    """METHOD §8 A, built; in October a charge that names no run, and t9, whose samples tie."""
    world = migrated(World(tmp_path_factory.mktemp("atlas")))
    world.charge("2025-10-05T00:00:00", "77.77", tags={"workload": "atlas-7b"})
    world.hours("2025-10-05", 9, "trn1.32xlarge", 16, {"workload": "atlas-7b", "run": "t9"})
    world.sample("2025-10-05T00:00:00", "t9", 0, loss=2.0)
    for epoch, loss in ((1, 1.9), (2, 1.8), (1, 1.7)):
        world.sample("2025-10-05T09:00:00", "t9", epoch, loss=loss, recipe=f"r{loss}")
    world.build()
    return world


def copied(world: World, folder: Path) -> World:
    """The same world in another folder, with all that was built."""
    shutil.copytree(world.folder, folder, dirs_exist_ok=True)
    return World(folder, [*world.charges], [*world.samples], world.config)


@pytest.fixture
def copy(atlas: World, tmp_path: Path) -> World:
    """A copy of it, to be changed."""
    return copied(atlas, tmp_path)


def test_the_warehouse_can_be_deleted_and_built_again(copy: World) -> None:
    config = copy.settings()
    first = snapshot_id(config)
    config.warehouse_file.unlink()
    second = build.build(config)
    assert (second.snapshot_id, second.published) == (first, None)
    assert second.reduced == 1


def test_another_basis_is_named_also_where_every_cost_is_the_same(copy: World) -> None:
    """A company without discounts pays one amount on every basis; pages and mails name which."""
    copy.config |= {"cost": {"basis": "contracted"}}
    built = build.build(copy.settings())
    assert built.snapshot_id == snapshot_id(copy.settings())
    assert Marts(copy.settings()).row("SELECT basis FROM snapshot")["basis"] == "contracted"


@pytest.fixture(scope="module")
def again(atlas: World, tmp_path_factory: pytest.TempPathFactory) -> Again:
    """A copy that nothing new is delivered to, pulled and built once more.

    An earlier version left marts of its own in the warehouse.
    """
    config = copied(atlas, tmp_path_factory.mktemp("again")).settings()
    with duckdb.connect(str(config.warehouse_file)) as connection:
        for name in ("ledger", "spend_daily", "lineages", "forecast_paths"):
            connection.execute(f"CREATE TABLE {name} AS SELECT 1 AS old")
        connection.execute("CREATE VIEW attributed AS SELECT 1 AS old")
    report = pull.pull(config)
    return config, report, build.build(config)


def test_the_second_time_changes_nothing(atlas: World, again: Again) -> None:
    config, report, built = again
    assert [(result.new, result.unchanged) for result in report.results] == [(0, 1)] * 3
    assert (built.snapshot_id, built.reduced) == (snapshot_id(atlas.settings()), 0)
    assert contents(config) == contents(atlas.settings())


def test_the_warehouse_keeps_the_reduction_and_no_mart(again: Again) -> None:
    """Nor what an earlier version kept of them; they stand in the snapshot."""
    config, *_ = again
    with duckdb.connect(str(config.warehouse_file), read_only=True) as connection:
        kept = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
    assert kept & {mart.__name__ for mart in MARTS} == build.INTERNAL
    assert kept & {*publication.published_tables(), *mart_runner.FILLED} == set()
    assert kept >= {"spend_reduced", "charges", "progress", "prices", "config_runs"}


def test_what_is_kept_of_a_delivery_is_kept_whole_or_not_at_all(
    copy: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the first of the tables that stand beside the reduced lines."""
    copy.charge("2025-10-20T00:00:00", "5", tags={"workload": "atlas-7b"})
    config = copy.pulled()
    whole = kept_charge_kinds._add

    def killed(backend: Backend, due: list[str], kept: Mapping[str, CompiledSql]) -> None:
        whole(backend, due, dict([*kept.items()][:1]))
        raise KeyboardInterrupt

    monkeypatch.setattr(kept_charge_kinds, "_add", killed)
    with pytest.raises(KeyboardInterrupt):
        build.build(config)
    monkeypatch.undo()
    stopped = kept_rows(config)
    config.warehouse_file.unlink()
    assert kept_rows(config) == stopped


def kept_rows(config: Settings) -> dict[str, list[str]]:
    """Every row of what is kept of deliveries, from which all marts follow, and of one of these."""
    names = (*build.INTERNAL, "spend_reduced", "spend_daily")
    marts = some_marts(config, *names)
    return {name: sorted(map(repr, marts.rows(f"FROM {name}"))) for name in names}


def test_a_lost_snapshot_folder_is_published_again(copy: World) -> None:
    config = copy.settings()
    for file in (config.data / "snapshots").iterdir():
        file.unlink()
    built = build.build(config)
    assert built.published is not None
    assert built.published.is_file()


def test_order_and_batches_never_matter(atlas: World, tmp_path: Path) -> None:
    """Charges shuffled; samples backwards, so that those of one moment stand in the other order."""
    lines = random.Random(7).sample(atlas.charges, len(atlas.charges))
    scatter(tmp_path / "bill", [lines[number::3] for number in range(3)])
    samples = atlas.samples[::-1]
    assert [one["observed_at"] for one in samples[:3]] == ["2025-10-05T09:00:00"] * 3
    scatter(tmp_path / "progress", [samples[:6], samples[6::2], samples[7::2]])
    sources = [
        {"kind": "focus", "location": "bill"},
        {"kind": "progress_file", "location": "progress"},
    ]
    config = validated_settings(
        {**atlas.settings().model_dump(), "sources": sources}, home=tmp_path
    )
    shipped_prices.deliver(config.data)
    rebuilt(config)
    assert contents(config) == contents(atlas.settings())


def scatter(folder: Path, parts: list[list[dict[str, Any]]]) -> None:
    """A file for each part of the rows."""
    folder.mkdir()
    for number, rows in enumerate(parts):
        write(folder / f"{number}.csv", rows)


def test_only_deliveries_that_changed_are_reduced(copy: World) -> None:
    copy.samples.pop()
    write(copy.folder / "progress.csv", copy.samples)
    built = rebuilt(copy.settings())
    assert (built.reduced, built.published is not None) == (0, True)


def test_without_a_bill_there_is_nothing_to_build(world: World) -> None:
    with pytest.raises(MissingDataError, match="breakeven ingest"):
        build.build(world.settings())


def test_a_damaged_warehouse_is_named_with_the_remedy(copy: World) -> None:
    config = copy.settings()
    config.warehouse_file.write_bytes(b"not a database" * 4096)
    with pytest.raises(StorageError, match="delete it and run `breakeven build`") as caught:
        build.build(config)
    assert "\n" not in str(caught.value)
