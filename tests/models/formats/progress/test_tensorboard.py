"""Event files and W&B's histories as progress: what Lightning logged in its way of counting."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import ibis
import pytest

from models.contract.schema import PROGRESS
from models.engine.sql import compilers, rendering
from models.formats.progress import tensorboard, wandb
from tests.support.bills.format_lines import PLAIN, refused, rows

TYPES = {
    "timestamp": "timestamp",
    **dict.fromkeys(("source", "run_name", "Tags", "metric"), "string"),
    "value": "float64",
    "step": "int64",
    "lightning": "boolean",
}


def line(run: str, step: int | None, value: float, **other: object) -> dict[str, Any]:
    at = datetime(2025, 9, 1, 0, (step or 0) % 60)  # noqa: DTZ001 - rows hold UTC
    named = {"source": "tensorboard", "run_name": run, "Tags": '{"workload": "w"}'}
    counted = {"metric": "epoch", "value": value, "step": step, "lightning": False}
    return {"timestamp": at, **named, **counted, **other}


def counted(*lines: dict[str, Any]) -> list[tuple[Any, ...]]:
    found, same = (rows(form, list(lines), TYPES) for form in (tensorboard, wandb))
    told = sorted((row["run"], row["step"], row["epoch"]) for row in found)
    assert told == sorted((row["run"], row["step"], row["epoch"]) for row in same)
    return told


def test_epochs_are_read_as_they_were_logged() -> None:
    assert counted(line("r", 9, 0), line("r", 19, 1)) == [("r", 9, 0), ("r", 19, 1)]


def test_those_of_lightning_are_numbers_from_0_of_what_is_under_way() -> None:
    """Ten steps an epoch: after step 9 of epoch 0 ten steps and one epoch are done."""
    lines = [line("l", step, epoch, lightning=True) for step, epoch in ((9, 0), (14, 1), (19, 1))]
    expected = [("l", 10, 1), ("l", 15, 1.5), ("l", 20, 2), ("r", 14, 1)]
    assert counted(*lines, line("r", 14, 1)) == expected


def test_a_value_without_a_time_is_refused() -> None:
    (said,) = refused(tensorboard, [line("r", 9, 1, timestamp=None)], TYPES)
    assert said.startswith("timestamp is missing")


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
def test_it_compiles_for_each_engine(dialect: str) -> None:
    for form in (tensorboard, wandb):
        made = form.rows(ibis.table(TYPES, name="lines"), PLAIN)
        assert made.schema() == ibis.schema(PROGRESS)
        assert "GROUP BY" in rendering.sql(made, dialect)
