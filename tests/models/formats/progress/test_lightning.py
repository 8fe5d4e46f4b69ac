"""Lightning numbers steps and epochs from 0; what is done is one more, and a part of an epoch."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import pytest

from models.config.metrics.tracker_metrics import LightningMapping
from models.contract.schema import PROGRESS
from models.engine.sql import compilers, rendering
from models.formats.progress import lightning
from tests.support.marts.logged_steps import LINES, line, meaning, read

TAGS = meaning(LightningMapping)
D = Decimal


def row(step: int, epoch: float, loss: float | None = 1.5, **about: object) -> list[dict[str, Any]]:
    """A row of `metrics.csv`."""
    both = [line(step, "epoch", epoch, **about)]
    return both if loss is None else [*both, line(step, "train_loss", loss, **about)]


def done(*rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Steps and epochs that were done at each row."""
    found = read(lightning, TAGS, *(one for each in rows for one in each))
    return [(one["step"], one["epoch"]) for one in found]


def test_an_epoch_s_length_shows_in_the_last_step_of_it_that_was_logged() -> None:
    """Of 100 steps; the third epoch is half done."""
    given = [row(49, 0), row(99, 0, None), row(149, 1), row(199, 1, None), row(249, 2)]
    assert done(*given) == [
        (0, 0), (50, D("0.5")), (100, 1), (150, D("1.5")), (200, 2), (250, D("2.5"))
    ]  # fmt: skip


def test_a_run_in_its_first_epoch_has_steps_and_unknown_epochs() -> None:
    assert done(row(49, 0), row(99, 0)) == [(0, None), (50, None), (100, None)]
    assert done(row(49, 0), row(99, 0, None)) == [(0, None), (50, None), (100, None)]
    assert done(row(49, 0, None), row(99, 0, None)) == [(0, None), (50, None), (100, None)]


def test_steps_that_the_epochs_do_not_fit_leave_whole_epochs_alone() -> None:
    """Epoch 1 began at step 50 or before, so none has 100 steps."""
    assert done(row(99, 0), row(50, 1), row(350, 2)) == [(0, 0), (51, 1), (100, 0), (351, 2)]


def test_a_test_after_training_is_no_step_and_the_first_step_of_an_epoch_is() -> None:
    given = [row(99, 0), row(199, 1)]
    assert done(*given, row(200, 2, None)) == done(*given)
    assert done(*given, row(200, 2))[-1] == (201, D("2.01"))


def test_epochs_with_a_fraction_are_the_user_s_own_and_so_is_a_column_of_another_name() -> None:
    assert done(row(49, 0.25), row(99, 1)) == [(50, D("0.25")), (100, 1)]
    own = meaning(LightningMapping, metrics={"epoch": "epochs_done"})
    (found,) = read(lightning, own, line(99, "epochs_done", 3.0), *row(99, 0))
    assert (found["epoch"], found["step"]) == (3, 100)


def test_a_run_that_goes_on_with_another_does_not_begin_at_0() -> None:
    assert done(row(149, 1), row(199, 1), row(299, 2)) == [
        (150, D("1.5")), (200, 2), (300, 3)
    ]  # fmt: skip


def test_versions_of_a_run_are_read_together_and_the_newest_counts() -> None:
    first = [row(99, 0, 2.0), row(149, 1, 1.9)]
    second = [row(149, 1, 1.8, part=1), row(199, 1, 1.7, part=1)]
    lines = [one for each in (*first, *second) for one in each]
    found = read(lightning, TAGS, *lines)
    assert [(one["step"], one["epoch"], one["loss"]) for one in found] == [
        (0, 0, None), (100, 1, 2.0), (150, D("1.5"), 1.8), (200, 2, 1.7)
    ]  # fmt: skip


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
def test_it_compiles_for_each_engine(dialect: str) -> None:
    made = lightning.rows(LINES, TAGS)
    assert made.schema() == ibis.schema(PROGRESS)
    assert rendering.sql(made, dialect)
