"""The reduction on a real Spark, against DuckDB: the same rows, the same exact sums."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir
import pytest

from models import engines
from models.settings import Settings, parse

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
MONTHS = {
    "1.0": SAMPLE / "focus-1-0/data/BILLING_PERIOD=2025-08/focus-1-0-00001.snappy.parquet",
    "1.2": SAMPLE / "focus-1-2/data/BILLING_PERIOD=2026-01/focus-1-2-00001.snappy.parquet",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(folder))
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    rule = {"match": {"Name": "atlas-*"}, "workload": "atlas-13b", "from": "2025-07-01"}
    return parse({"tags": {"extra": ["team"]}, "tag_rules": [rule]}, home=tmp_path)


def lines(backend: Any, path: Path, config: Settings) -> ir.Table:  # noqa: ANN401
    return engines.reduction(backend.read_parquet(str(path)), "focus", config)


def ordered(rows: Iterable[Iterable[Any]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in rows), key=repr)


@pytest.mark.spark
# PySpark 4 looks at pandas 3 in ways that pandas will drop; nothing of ours goes through pandas
@pytest.mark.filterwarnings("ignore:.*:FutureWarning")
@pytest.mark.parametrize("release", list(MONTHS))
def test_spark_reduces_a_delivered_month_to_the_rows_of_duckdb(
    spark: Any,  # noqa: ANN401
    config: Settings,
    release: str,
) -> None:
    duck, remote = ibis.duckdb.connect(), ibis.pyspark.connect(spark)
    here = ordered(duck.con.execute(engines.sql(lines(duck, MONTHS[release], config))).fetchall())
    text = engines.sql(lines(remote, MONTHS[release], config), "spark")
    there = ordered(spark.sql(text).collect())
    assert len(here) > 50
    assert [row[:-5] for row in there] == [row[:-5] for row in here]
    assert there == here
