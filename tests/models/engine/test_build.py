"""A build is a function of what was delivered: not of order, batches, credits or leftovers."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
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
    assert kept & {mart.__name__ for mart in MARTS} == build.KEPT
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
    names = (*build.KEPT, "spend_reduced", "spend_daily")
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


@pytest.fixture(scope="module")
def charged(atlas: World, tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """With credits, and with charges that are tagged as all workloads."""
    world = copied(atlas, tmp_path_factory.mktemp("charged"))
    credited = {"workload": "atlas-7b", "run": "t1"}
    world.charge("2025-09-02T00:00:00", -300, ChargeCategory="Credit", tags=credited)
    world.charge("2025-09-30T00:00:00", -50, ChargeCategory="Credit")
    world.charge("2025-03-15T00:00:00", -40, ChargeCategory="Credit")
    tags = {"workload": "(portfolio)"}
    world.hours("2025-09-20", 10, "trn1.32xlarge", 30, tags)
    world.hours("2025-09-21", 1, "trn1.32xlarge", 50, {**tags, "run": "t8"})
    world.charge("2025-09-20T00:00:00", 7, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    return world.build()


def test_credits_change_no_cost_per_epoch(atlas: World, charged: Marts) -> None:
    query = "SELECT * FROM cost_per_epoch ORDER BY ALL"
    before = Marts(atlas.settings())
    assert charged.rows(query) == before.rows(query) != []
    paid, free = charged.standing(), before.standing()
    assert paid.pop("credit_share") > free.pop("credit_share") == 0
    assert paid == free
    credit = charged.rows(
        "SELECT workload, credits FROM monthly_summary WHERE month = '2025-09' ORDER BY 1"
    )
    assert [tuple(row.values()) for row in credit] == [("(portfolio)", -350), ("atlas-7b", -300)]


def test_a_credit_of_a_month_without_training_stands_on_the_portfolio_row(charged: Marts) -> None:
    """METHOD §7: every credit stands on the portfolio's row of its billing month."""
    rows = charged.rows(
        "SELECT month, credits FROM monthly_summary WHERE workload = '(portfolio)' AND credits != 0"
    )
    assert {row["month"]: row["credits"] for row in rows} == {"2025-03": -40, "2025-09": -350}


def test_a_workload_tagged_as_all_of_them_is_untagged_and_adds_no_dollar(
    atlas: World, charged: Marts
) -> None:
    """METHOD §2.6: each cent in one bucket; a run that names no workload is `untagged`."""
    same = Marts(atlas.settings()).standing("(portfolio)")
    share = charged.standing("(portfolio)")["credit_share"]
    assert charged.standing("(portfolio)") == same | {"credit_share": share}
    assert [
        row["workload"]
        for row in charged.rows(
            "SELECT workload FROM monthly_summary WHERE month = '2025-09' ORDER BY 1"
        )
    ] == ["(portfolio)", "atlas-7b"]
    row = charged.row(
        "SELECT sum(direct) AS direct, sum(untagged) AS untagged, sum(other) AS other,"
        " sum(credit) AS credit, sum(bill_total) AS total, sum(remainder) AS remainder"
        " FROM tie_out WHERE month = '2025-09' AND basis = 'effective'"
    )
    spent = {"direct": 1500, "untagged": 350, "other": 7}
    assert row == {**spent, "credit": -350, "total": 1857 - 350, "remainder": 0}


def test_only_deliveries_that_changed_are_reduced(copy: World) -> None:
    copy.samples.pop()
    write(copy.folder / "progress.csv", copy.samples)
    built = rebuilt(copy.settings())
    assert (built.reduced, built.published is not None) == (0, True)


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
    copy.build()
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
    assert found == [{"runs": 6, "number": number} for number in range(200)]


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


def test_without_a_bill_there_is_nothing_to_build(world: World) -> None:
    with pytest.raises(MissingDataError, match="breakeven ingest"):
        build.build(world.settings())


def test_a_damaged_warehouse_is_named_with_the_remedy(copy: World) -> None:
    config = copy.settings()
    config.warehouse_file.write_bytes(b"not a database" * 4096)
    with pytest.raises(StorageError, match="delete it and run `breakeven build`") as caught:
        build.build(config)
    assert "\n" not in str(caught.value)
