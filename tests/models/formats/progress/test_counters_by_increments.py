"""Sums per period, whatever periods they come in."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import ibis
import pytest

from models.config.metrics.cloudwatch_metrics import MetricMapping
from models.config.metrics.line_meaning import LineMeaning
from models.contract.schema import PROGRESS
from models.engine.sql import compilers, rendering
from models.formats.progress import cloudwatch
from tests.support.marts.epoch_counters import SUM

TYPES = {
    "timestamp": "timestamp",
    **dict.fromkeys(("source", "account", "region", "namespace", "dimensions"), "string"),
    **dict.fromkeys(("named_by", "metric", "statistic"), "string"),
    "period": "int32",
    "value": "float64",
}
MAPPING = MetricMapping.model_validate(
    {
        "source": "counter",
        "namespace": "Training",
        "workload": "w",
        "dimensions": {"run": "JobName"},
        "metrics": {"samples": {"metric": "Done", **SUM}, "loss": "Loss"},
    }
)
TAGS = LineMeaning(mappings=(MAPPING, MetricMapping()))


def utc(hour: int, minute: int = 0, second: int = 0) -> datetime:
    """Rows hold UTC without saying so."""
    return datetime(2026, 9, 1, hour, minute, second, tzinfo=UTC).replace(tzinfo=None)


def point(at: datetime, value: float, period: int = 60, **other: object) -> dict[str, Any]:
    line = {"source": "counter", "account": "1", "region": "us-east-1", "namespace": "Training"}
    line |= {"dimensions": '{"JobName": "r"}', "named_by": '["JobName"]'}
    line |= {"metric": "Done", "statistic": "Sum"}
    return {**line, "timestamp": at, "period": period, "value": value, **other}


def samples(*points: dict[str, Any]) -> list[tuple[datetime, Decimal]]:
    backend = ibis.duckdb.connect()
    lines = backend.create_table("lines", ibis.memtable(list(points), schema=TYPES))
    text = rendering.sql(cloudwatch.rows(lines, TAGS).order_by("observed_at"))
    rows = backend.con.sql(text).to_arrow_table().to_pylist()
    assert all((row["workload"], row["run"]) == ("w", "r") for row in rows)
    return [(row["observed_at"], row["samples"]) for row in rows if row["excludes_repeats"]]


def test_a_total_stands_where_its_period_began_and_in_its_last_second() -> None:
    assert samples(point(utc(23), 5, 3600), point(utc(9, 1), 2), point(utc(9, 2), 1)) == [
        (utc(9, 1), 0),
        (utc(9, 1, 59), 2),
        (utc(9, 2), 2),
        (utc(9, 2, 59), 3),
        (utc(23), 3),
        (utc(23, 59, 59), 8),
    ]


def test_periods_of_one_hour_are_not_counted_twice() -> None:
    minutes = [point(utc(9, minute), 0.1) for minute in range(60)]
    twice = [point(utc(9, minute), 0.1, source="counter") for minute in (0, 1)]
    coarse = [point(utc(9), 6.0, 3600), point(utc(10), 1.0, 3600)]
    assert samples(*minutes, *twice, *coarse)[-1] == (utc(10, 59, 59), 7)
    # what came late is in the coarse answer only
    assert samples(*minutes[:30], *coarse)[-1] == (utc(10, 59, 59), 7)
    # and the newest of a period that was under way holds most
    assert samples(point(utc(9), 1), point(utc(9), 4))[-1] == (utc(9, 0, 59), 4)


def test_series_of_one_run_add_up() -> None:
    both = [point(utc(9), 1, 3600), point(utc(9, 59), 2, region="us-west-2")]
    assert samples(*both) == [(utc(9), 0), (utc(9, 59), 0), (utc(9, 59, 59), 3)]


def test_lines_of_others_are_not_progress() -> None:
    odd = [
        point(utc(8), 9, metric="Other"),
        point(utc(8), 9, statistic="Maximum"),
        point(
            utc(8), 9, named_by='["Host", "JobName"]', dimensions='{"Host": "h", "JobName": "r"}'
        ),
        point(utc(8), 9, source="gone"),
        point(utc(8), 9, namespace="Elsewhere"),
    ]
    assert samples(*odd, point(utc(9), 1)) == [(utc(9), 0), (utc(9, 0, 59), 1)]


def test_the_emitters_lines_stay_progress_whatever_is_mapped_now() -> None:
    """Those of its namespace: another that was read by mistake is corrected by the config."""
    named = {"dimensions": '{"Run": "r", "Workload": "w"}', "named_by": '["Run", "Workload"]'}
    gauge = {**named, "metric": "Samples", "statistic": "Maximum", "namespace": "Breakeven"}
    backend = ibis.duckdb.connect()
    points = [
        point(utc(1), 1, **gauge),
        point(utc(2), 2, **gauge, source="gone"),
        point(utc(3), 9, **{**gauge, "namespace": "Training"}),
        point(utc(4), 9, **{**gauge, "namespace": "Training"}, source="gone"),
    ]
    lines = backend.create_table("lines", ibis.memtable(points, schema=TYPES))
    found = (
        backend.con.sql(rendering.sql(cloudwatch.rows(lines, TAGS))).to_arrow_table().to_pylist()
    )
    assert sorted((row["workload"], row["run"], row["samples"]) for row in found) == [
        ("w", "r", 1),
        ("w", "r", 2),
    ]


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
def test_it_compiles_for_each_engine(dialect: str) -> None:
    rows = cloudwatch.rows(ibis.table(TYPES, name="lines"), TAGS)
    assert rows.schema() == ibis.schema(PROGRESS)
    assert "RANK()" in rendering.sql(rows, dialect)


def test_a_dimension_named_like_all_workloads_is_refused() -> None:
    wrong = point(utc(9), 1, dimensions='{"JobName": "(portfolio)"}')
    lines = ibis.memtable([point(utc(9), 1), wrong, point(utc(9), -1)], schema=TYPES)
    faults = cloudwatch.refusals(lines).to_pyarrow().to_pylist()
    assert sorted(fault["problem"] for fault in faults) == [
        "a counter is negative",
        "a dimension is the name of all workloads together",
    ]
