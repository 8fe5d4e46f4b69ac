"""METHOD §3.4: in which unit a benchmark's work is counted, and how much of it there is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import CONFIG, NUMBER
from models.contract.units import EPOCH, SAMPLES, TOKENS
from models.marts.baseline.benchmarks.work_in_units import units_of_kinds, work_in_units
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
RUN = {"workload": "string", "run": "string"}
PARTS = RUN | {"counter": "string", "work": NUMBER}
RUNS = RUN | {
    "kind": "string", "hardware": "string", "samples_per_epoch": NUMBER, "usual": NUMBER,
    "reports_samples": "boolean",
}  # fmt: skip
KINDS = {"workload": "string", "kind": "string", "unit": "string"}


def counted(counters: dict[str, object], **run: Any) -> dict[str, Decimal]:  # noqa: ANN401
    """The work of one run's steady part, by unit."""
    named = {"workload": "w", "run": "r"}
    parts = [
        named | {"counter": counter, "work": D(str(work))} for counter, work in counters.items()
    ]
    own = named | {"kind": "lora", "hardware": "gpu"} | run
    made = applied(work_in_units, table(PARTS, *parts), table(RUNS, own)).to_pyarrow().to_pylist()
    assert len(made) == len({row["unit"] for row in made})
    assert {row["kind"] for row in made} <= {own["kind"]}
    return {row["unit"]: row["work"] for row in made}


def test_epochs_are_samples_too_where_their_size_is_known_and_no_samples_are_reported() -> None:
    size = {"samples_per_epoch": D(500_000), "usual": D(500_000)}
    assert counted({"epoch": 3}, **size) == {EPOCH: 3, SAMPLES: D("1.5")}
    one = {"samples_per_epoch": D(1), "usual": D(1)}
    assert counted({"epoch": 3_000_000}, **one)[SAMPLES] == 3
    both = {"epoch": 3, "samples": 4_000_000}
    assert counted(both, reports_samples=True, **size) == {EPOCH: 3, SAMPLES: 4}
    assert counted(both, reports_samples=False, **size) == {EPOCH: 3, SAMPLES: D("1.5")}


def test_epochs_of_an_unknown_size_are_epochs_alone() -> None:
    assert counted({"epoch": 3}) == {EPOCH: 3}
    assert counted({"epoch": 3}, samples_per_epoch=D(0), usual=D(0)) == {EPOCH: 3}


@pytest.mark.parametrize(("size", "same"), [(101, True), (102, False), (None, False)])
def test_epochs_of_another_size_than_usual_are_no_epochs_of_the_kind(
    size: int | None, same: bool
) -> None:
    found = counted({"epoch": 3}, samples_per_epoch=size and D(size), usual=D(100))
    assert (EPOCH in found) == same


def test_tokens_are_counted_in_billions() -> None:
    assert counted({"tokens": 5 * 10**8}) == {TOKENS: D("0.5")}


def chosen(
    *worked: tuple[str, str], known: str | None = None, pinned: str | None = None, runs: int = 1
) -> list[str]:
    """The unit of a kind; `worked` are chips and units that its runs report.

    Of another kind both chips report epochs.
    """
    kind = {"workload": "w", "kind": ""}
    other = [
        {"workload": "w", "kind": "other", "hardware": chip, "unit": EPOCH}
        for chip in ("gpu", "trainium")
    ]
    made = applied(
        units_of_kinds,
        table(RUNS, *(kind | {"run": str(number)} for number in range(runs))),
        table(
            {**KINDS, "hardware": "string"},
            *(kind | {"hardware": chip, "unit": unit} for chip, unit in worked),
            *other,
        ),
        table(KINDS, *([kind | {"unit": known}] if known else [])),
        table(CONFIG["config_workloads"], {"workload": "w", "unit": pinned}),
    )
    return [row["unit"] for row in made.to_pyarrow().to_pylist()]


@pytest.mark.parametrize(
    ("worked", "unit"),
    [
        ([("gpu", EPOCH), ("gpu", TOKENS), ("trainium", TOKENS)], TOKENS),
        ([("gpu", SAMPLES), ("trainium", SAMPLES), ("gpu", TOKENS), ("trainium", TOKENS)], TOKENS),
        ([("gpu", EPOCH), ("trainium", SAMPLES)], EPOCH),
        ([("trainium", EPOCH), ("gpu", TOKENS), ("trainium", TOKENS)], TOKENS),
        ([("gpu", SAMPLES)], SAMPLES),
        ([], EPOCH),
    ],
)
def test_the_unit_is_the_first_that_both_chips_report_else_the_first(
    worked: list[tuple[str, str]], unit: str
) -> None:
    assert chosen(*worked, runs=2) == [unit]


def test_the_kinds_own_unit_comes_before_the_pinned_one_and_both_before_what_runs_report() -> None:
    both = ("gpu", EPOCH), ("trainium", EPOCH)
    assert chosen(*both, pinned=SAMPLES) == [SAMPLES]
    assert chosen(*both, pinned=SAMPLES, known=TOKENS) == [TOKENS]
