"""METHOD §3.5: how much work a lineage had done when it reported a loss."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

from models.contract.schema import NUMBER
from models.marts.work.parity.work_at_losses import work_at_losses
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table

D = Decimal
RUN = {"workload": "string", "lineage": "string", "run": "string", "observed_at": "timestamp"}
STEP = RUN | {"counter": "string", "rise": NUMBER, "repeated": NUMBER}
Step = tuple[str, str, float, str, object, object]
"""Lineage, run, hour, counter, new work, repeated work."""


def hour(number: float) -> datetime:
    return datetime.fromisoformat("2025-09-01") + timedelta(hours=number)


def done(losses: list[tuple[str, str, float]], *steps: Step) -> list[tuple[object, object]]:
    """Work done and work in all, at each loss (lineage, run, hour) in order of lineage and time."""
    made = applied(
        work_at_losses,
        table(
            RUN | {"loss": "float64"},
            [("w", line, run, hour(at), 1.5) for line, run, at in losses],
        ),
        table(
            STEP,
            [
                ("w", line, run, hour(at), counter, D(str(rise)), D(str(repeated)))
                for line, run, at, counter, rise, repeated in steps
            ],
        ),
    )
    found = sorted(made.to_pyarrow().to_pylist(), key=lambda r: (r["lineage"], r["observed_at"]))
    return [(row["done"], row["total"]) for row in found]


TWO: tuple[Step, ...] = (
    ("a", "a", 0, "epoch", 0, 0),
    ("a", "a", 10, "epoch", 1, 0),
    ("a", "a", 20, "epoch", 1, 0),
)  # fmt: skip


def test_a_loss_between_two_samples_has_its_part_of_their_work() -> None:
    losses = [("a", "a", at) for at in (-1, 0, 5, 10, 12.5, 20, 30)]
    assert done(losses, *TWO) == [
        (D(0), 2), (D(0), 2), (D("0.5"), 2), (D(1), 2), (D("1.25"), 2), (D(2), 2), (D(2), 2),
    ]  # fmt: skip


def test_work_done_again_is_no_new_work_and_begins_the_time_anew() -> None:
    """From the tenth hour, when the run was back where it had been, to the twentieth."""
    steps: list[Step] = [("a", "a", 0, "epoch", 0, 0), ("a", "a", 10, "epoch", 0, "0.5")]
    assert done([("a", "a", 15)], *steps, ("a", "a", 20, "epoch", 1, 0)) == [(D("0.5"), 1)]


def test_a_sample_without_new_work_does_not_begin_the_time_anew() -> None:
    steps: list[Step] = [("a", "a", 0, "epoch", 0, 0), ("a", "a", 10, "epoch", 0, 0)]
    assert done([("a", "a", 15)], *steps, ("a", "a", 20, "epoch", 1, 0)) == [(D("0.75"), 1)]


def test_work_that_is_reported_once_is_done_evenly_since_the_first_loss() -> None:
    """As of a tracker that logs `epoch` when a run ends, a moment after its last loss."""
    losses = [("a", "a", at) for at in (0, 5, 9.5)]
    found = done(losses, ("a", "a", 10, "epoch", 4, 0))
    assert found == [(D(0), 4), (D(2), 4), (D("3.8"), 4)]


def test_a_lineage_counts_its_first_counter_whatever_others_count() -> None:
    steps: list[Step] = []
    for at, work in ((0, 0), (10, 4)):
        steps += [("b", "b", at, "tokens", work, 0), ("b", "b", at, "samples", 100 * work, 0)]
        steps.append(("c", "c", at, "samples", 100 * work, 0))
        steps.append(("a", "a", at, "tokens", work, 0))
    losses = [("a", "a", 5), ("b", "b", 5), ("c", "c", 5)]
    assert done(losses, *TWO, *steps) == [(D("0.5"), 2), (D(2), 4), (D(200), 400)]


def test_a_run_that_resumes_has_the_work_of_those_before_it() -> None:
    steps: list[Step] = [("a", "r", 30, "epoch", 0, 0), ("a", "r", 40, "epoch", 1, 0)]
    steps.append(("a", "r", 50, "epoch", 3, 0))
    assert done([("a", "r", 35), ("a", "r", 45)], *TWO, *steps) == [
        (D("2.5"), 6),
        (D("4.5"), 6),
    ]


def test_another_lineage_adds_nothing() -> None:
    other: list[Step] = [("b", "b", at - 1, "epoch", 10 * work, 0) for _, _, at, _, work, _ in TWO]
    losses = [("a", "a", 12.5), ("b", "b", 4)]
    assert done(losses, *TWO, *other) == [(D("1.25"), 2), (D(5), 20)]


def test_a_lineage_that_counts_nothing_has_done_an_unknown_work() -> None:
    assert done([("a", "a", 5)]) == [(None, None)]
