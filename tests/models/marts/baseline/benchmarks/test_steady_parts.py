"""METHOD §5.6: the steady part, against the same in fractions by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings

from models.marts.baseline.benchmarks.steady_parts import steady_parts
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

BEGIN = datetime.fromisoformat("2025-09-02")
STEPS = {
    "workload": "string", "run": "string", "counter": "string", "observed_at": "timestamp",
    "rise": "decimal(38, 9)",
}  # fmt: skip
LOG = st.lists(st.tuples(st.integers(1, 900), st.integers(0, 5)), min_size=1, max_size=12)
"""Seconds since the sample before, and the rise of the counter since."""


def steady(log: list[tuple[int, int]]) -> dict[str, Any]:
    """The steady part of one run."""
    at, rows = 0, []
    for wait, rise in log:
        at += wait
        time = BEGIN + timedelta(seconds=at)
        rows.append(
            {"workload": "w", "run": "b", "counter": "epoch", "observed_at": time, "rise": rise}
        )
    other = rows[0] | {"run": "no benchmark"}
    run = table({"workload": "string", "run": "string"}, {"workload": "w", "run": "b"})
    made = applied(steady_parts, table(STEPS, *rows, other), run)
    (only,) = made.to_pyarrow().to_pylist()
    return dict(only)


@settings(max_examples=30)
@given(LOG)
def test_it_is_what_lies_between_the_samples_after_the_first_tenth(
    log: list[tuple[int, int]],
) -> None:
    times = [sum(wait for wait, _ in log[: n + 1]) for n in range(len(log))]
    reported = times[-1] - times[0]
    warm = [n for n, time in enumerate(times) if time - times[0] >= Fraction(reported, 10)]
    found = steady(log)
    assert found["reported_seconds"] == reported
    assert found["samples"] == len(warm)
    assert found["seconds"] == times[warm[-1]] - times[warm[0]]
    assert (found["work"] or 0) == sum(log[n][1] for n in warm[1:])


@settings(max_examples=15)
@given(LOG, st.integers(0, 9))
def test_how_slow_it_was_to_begin_changes_nothing(log: list[tuple[int, int]], rise: int) -> None:
    """Work told with the first steady sample was done before it."""
    begun = [(1, 0), *log]
    same = [(1, 0), (log[0][0], rise), *log[1:]]
    if steady(begun)["samples"] == len(log):  # its second sample is the first steady one
        assert steady(same) == steady(begun)
