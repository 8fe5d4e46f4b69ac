"""Logs without times: which of several values of a step counts, and where a run begins."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import ibis
import pytest

from models.config.metrics.tracker_metrics import TrainerStateMapping
from models.contract.schema import PROGRESS
from models.engine.sql import compilers, rendering
from models.formats.progress import trainer_state
from tests.support.marts.hand_written_tables import table
from tests.support.marts.logged_steps import LINES, TYPES, line, meaning, read

TAGS = meaning(TrainerStateMapping)
Row = tuple[Any, ...]


def rows(*lines: dict[str, Any]) -> list[Row]:
    found = read(trainer_state, TAGS, *lines)
    assert {(row["workload"], row["source"], row["observed_at"]) for row in found} <= {
        ("w", "trainer_state", None)
    }
    return [
        tuple(row[name] for name in ("run", "step", "epoch", "tokens", "loss")) for row in found
    ]


def test_a_run_begins_with_zero_of_what_it_counts_and_an_entry_is_a_row() -> None:
    logged = [line(50, "epoch", 0.5), line(50, "loss", 2.5), line(50, "num_input_tokens_seen", 700)]
    assert rows(*logged, line(50, "eval_loss", 9.0)) == [
        ("r", 0, 0, 0, None),
        ("r", 50, Decimal("0.5"), 700, 2.5),
    ]
    assert rows(line(50, "loss", 2.5)) == [("r", 0, None, None, None), ("r", 50, None, None, 2.5)]


def test_a_run_that_resumed_another_begins_where_its_log_does() -> None:
    tags = {"resumed_from": "q"}
    given = [line(200, "epoch", 2.0, tags=tags), line(250, "epoch", 2.5, tags=tags)]
    assert [row[:3] for row in rows(*given)] == [("r", 200, 2), ("r", 250, Decimal("2.5"))]
    assert {row["resumed_from"] for row in read(trainer_state, TAGS, *given)} == {"q"}


def test_of_two_values_of_a_step_the_highest_part_s_and_then_the_latest_counts() -> None:
    given = [
        line(50, "loss", 1.0, part=300, entry=4),
        line(50, "loss", 2.0, part=300, entry=9),
        line(50, "loss", 3.0, part=200, entry=30),
        line(60, "loss", 4.0, part=200),
    ]
    assert [row[4] for row in rows(*given)] == [None, 2.0, 4.0]


def test_a_loss_beyond_all_losses_is_none_and_of_a_counter_that_is_nan_the_step_counts() -> None:
    losses = [line(1, "loss", math.nan), line(2, "loss", math.inf), line(3, "loss", -1.0)]
    assert [str(row[4]) for row in rows(*losses)] == ["None", "nan", "nan", "-1.0"]
    counters = [line(1, "epoch", -1.0), line(2, "epoch", math.nan), line(3, "epoch", math.inf)]
    assert [row[:3] for row in rows(*counters)] == [("r", 0, None), ("r", 2, None)]


def test_a_workload_that_the_folder_names_comes_before_the_config_s() -> None:
    (found, _) = read(trainer_state, TAGS, line(5, "epoch", 1.0, tags={"workload": "mine"}))
    assert found["workload"] == "mine"


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"step": -1}, "step is not a count"),
        ({"run_name": "r" * 257}, "run_name is too long or has a control character on a line"),
        ({"tags": {"workload": "a\x1bb"}}, "Tags is too long or has a control character on a line"),
    ],
)
def test_a_bad_line_is_refused(columns: dict[str, object], problem: str) -> None:
    tags = {"tags": columns.pop("tags")} if "tags" in columns else {}
    given = table(TYPES, line(1, "loss", 1.0), {**line(1, "loss", 1.0, **tags), **columns})
    faults = trainer_state.refusals(given).to_pyarrow().to_pylist()
    assert [fault["problem"] for fault in faults] == [problem]


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
def test_it_compiles_for_each_engine(dialect: str) -> None:
    made = trainer_state.rows(LINES, TAGS)
    assert made.schema() == ibis.schema(PROGRESS)
    assert "GROUP BY" in rendering.sql(made, dialect)
