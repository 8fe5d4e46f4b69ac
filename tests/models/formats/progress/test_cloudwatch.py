"""What CloudWatch's datapoints mean."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import ibis
import ibis.expr.types as ir
import pytest

from models.config.tags import Tags
from models.contract.schema import PROGRESS
from models.formats.progress import cloudwatch

TYPES = {
    "timestamp": "timestamp",
    "workload": "string",
    "run": "string",
    "metric": "string",
    "value": "float64",
}


def utc(*parts: int) -> datetime:
    """Rows hold UTC without saying so."""
    return datetime(*parts, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[misc, arg-type]


def point(metric: str, value: float, hour: int = 1, run: str | None = "r") -> dict[str, Any]:
    moment = utc(2026, 9, 1, hour)
    return {"timestamp": moment, "workload": "w", "run": run, "metric": metric, "value": value}


def lines(*points: dict[str, Any]) -> ir.Table:
    return ibis.memtable(list(points), schema=TYPES)


def test_rows_have_the_schema_of_progress() -> None:
    found = cloudwatch.rows(ibis.table(TYPES, name="lines"), Tags())
    assert found.schema() == ibis.schema(PROGRESS)


def test_the_metrics_of_a_moment_become_one_row() -> None:
    table = lines(
        point("Epoch", 1.25),
        point("Loss", 2.5),
        point("Tokens", 1e12),
        point("Epoch", 1.5, hour=2),
        point("Speed", 9.0, hour=2),
    )
    found = cloudwatch.rows(table, Tags()).order_by("observed_at").to_pyarrow().to_pylist()
    known = [{k: v for k, v in row.items() if v is not None} for row in found]
    about = {"workload": "w", "run": "r", "source": "emitter"}
    first = {"epoch": Decimal("1.25"), "loss": 2.5, "tokens": Decimal(10**12)}
    assert known == [
        {"observed_at": utc(2026, 9, 1, 1), **about, **first},
        {"observed_at": utc(2026, 9, 1, 2), **about, "epoch": Decimal("1.5")},
    ]


def test_the_largest_value_of_an_hour_is_that_of_its_last_minute() -> None:
    """The epochs of the hour from 0:00 are of that day: at 0:00 they would be of the day before."""
    periods = [(23, 3600, 1.0), (0, 3600, 2.0), (1, 300, 2.1), (2, 60, 2.2)]
    given = [point("Epoch", epoch, hour) | {"period": each} for hour, each, epoch in periods]
    table = ibis.memtable(given, schema=TYPES | {"period": "int32"})
    found = cloudwatch.rows(table, Tags()).order_by("epoch").to_pyarrow().to_pylist()
    times = [f"{row['observed_at']:%H:%M}" for row in found]
    assert times == ["23:59", "00:59", "01:04", "02:00"]


def test_what_the_emitter_says_for_no_loss_is_none_also_in_an_hours_average() -> None:
    table = lines(point("Loss", 1e18), point("Loss", 1e18 / 60, hour=2), point("Loss", 1e9, hour=3))
    found = cloudwatch.rows(table, Tags()).order_by("observed_at").to_pyarrow().to_pylist()
    assert [str(row["loss"]) for row in found] == ["nan", "nan", "1000000000.0"]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (point("Epoch", -1.0), "a counter is negative"),
        (point("Tokens", 1e300), "a counter is not a number"),
        (point("Epoch", 1.0, run=None), "run is missing on a line"),
    ],
)
def test_what_cannot_be_trusted_is_refused(wrong: dict[str, Any], problem: str) -> None:
    table = lines(point("Epoch", 1.0), point("Loss", -2.0), wrong)
    (fault,) = cloudwatch.refusals(table).to_pyarrow().to_pylist()
    assert fault["problem"] == problem
