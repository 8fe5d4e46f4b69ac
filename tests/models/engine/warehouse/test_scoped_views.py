"""What a reader of some workloads sees of one workload's row."""

from __future__ import annotations

import duckdb

from models.access.scope import Scope
from models.engine.warehouse.scoped_views import create_views

PUBLISHED = """
ATTACH ':memory:' AS published;
CREATE TABLE published.break_even AS
    SELECT 'atlas' AS workload, 'late' AS reason, 0.3::DECIMAL(38, 9) AS gpu_idle_share;
CREATE TABLE published.spend_daily AS
    SELECT 'atlas' AS workload, 'p5.48xlarge' AS instance_type, 'us-east-1' AS region;
CREATE TABLE published.price_history AS FROM published.spend_daily;
CREATE TABLE published.queries AS SELECT '' AS mart, '' AS sql"""


def test_how_long_pools_stood_idle_is_the_companys() -> None:
    """With what its runs held of a pool, it would tell what all of the pool cost."""
    with duckdb.connect() as connection:
        connection.execute(PUBLISHED)
        path = create_views(connection, Scope(patterns=("atlas",)))
        connection.execute(f"SET search_path = '{path}'")
        found = connection.execute("FROM break_even").fetchall()
    assert found == [("atlas", "late", None)]
