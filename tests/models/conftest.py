"""Worlds that the tests of the models share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from filelock import FileLock

from models.config import loading
from models.engine.warehouse.snapshots import Snapshots
from tests.support.world import World, build_once, pull_once

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
HELD = f"""(SELECT resource, max(workload) AS workload, max(run) AS run, max(run) IS NULL AS idle
    FROM read_csv('{SAMPLE}/allocations/*.csv') GROUP BY resource)"""
"""Whose each machine of the sample's cluster was: one run's, from first to last, or nobody's."""
SUPERSEDED = "20251001T"
"""The first of two executions of September 2025: the manifest of the month names the other."""


@pytest.fixture
def bill(world: World) -> World:
    """An empty world that has a bill and no progress."""
    world.config["sources"] = [{"kind": "focus", "location": "bill.csv"}]
    return world


def published_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's snapshot, built by the first of all test processes that asks for it."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "sample"
    environ = {"BREAKEVEN_WAREHOUSE__PATH": str(folder / "warehouse.duckdb")}
    config = loading.load(SAMPLE / "breakeven.toml", environ)
    snapshots = Snapshots(config.data / "snapshots")
    with FileLock(folder.with_suffix(".lock")):
        if snapshots.current() is None:
            pull_once(config)
            build_once(config)
    published = snapshots.current()
    assert published is not None
    return published


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The sample's published marts, and beside them `bill`: the delivered lines, typed by hand."""
    published = published_sample(tmp_path_factory)
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"ATTACH '{published}' AS marts (READ_ONLY)")
    connection.execute("SET search_path = 'memory.main,marts.main'")
    files = [str(f) for f in SAMPLE.glob("focus-*/data/*/**/*.parquet") if SUPERSEDED not in str(f)]
    connection.execute(
        f"""CREATE TABLE bill AS
        SELECT strftime(BillingPeriodStart, '%Y-%m') AS month, SubAccountId AS account,
            CAST(ChargePeriodStart AS DATE) AS date, ChargeCategory AS category,
            CAST(ChargePeriodStart AS TIMESTAMP) AS starts,
            CAST(ChargePeriodEnd AS TIMESTAMP) AS ends,
            ServiceName AS service, ChargeClass = 'Correction' AS correction,
            coalesce(x_UsageType, SkuMeter, '') AS usage,
            coalesce(Tags['user:workload'], held.workload) AS workload,
            coalesce(Tags['user:run'], held.run) AS run, coalesce(held.idle, false) AS idle,
            held.resource IS NOT NULL AS clustered,
            CommitmentDiscountStatus = 'Unused' OR CapacityReservationStatus = 'Unused' AS unused,
            ResourceId AS resource, CAST(ConsumedQuantity AS DECIMAL(18, 9)) AS quantity,
            CAST(EffectiveCost AS DECIMAL(18, 9)) AS effective,
            CAST(BilledCost AS DECIMAL(18, 9)) AS billed,
            CAST(ContractedCost AS DECIMAL(18, 9)) AS contracted,
            CAST(ListCost AS DECIMAL(18, 9)) AS list
        FROM read_parquet({files!r}, union_by_name = true) LEFT JOIN {HELD} AS held
            ON held.resource = ResourceId AND Tags['user:run'] IS NULL"""
    )
    yield connection
    connection.close()
