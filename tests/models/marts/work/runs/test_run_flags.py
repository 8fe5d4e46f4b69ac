"""METHOD §3.4 to §4.5: each flag of a run, and its order."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import ibis.expr.types as ir
import pytest

from models.marts.work.runs.run_flags import run_flags
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

SAID = (
    "resumes", "starts_late", "by_increments", "mixed", "unbilled", "future_samples", "gross",
    "charges_hidden", "by_samples", "losses_stop", "short", "over_allocated", "daily_allocation",
    "timed_by_allocation", "parent_known",
)  # fmt: skip
RUN = {
    "workload": "string", "lineage": "string", "run": "string", "resumed_from": "string",
    "first_sample": "timestamp", "counted_from": "timestamp", "first_day": "date",
    "misplaced": "string", "all_hours": "decimal(38, 9)", "cost": "decimal(38, 9)",
    "start_epoch": "float64", **dict.fromkeys(SAID, "boolean"),
}  # fmt: skip
FIRST = datetime(2025, 9, 10, 12)  # noqa: DTZ001 - UTC
USUAL: dict[str, Any] = {
    "workload": "w", "lineage": "a", "run": "a", "first_sample": FIRST, "counted_from": FIRST,
    "first_day": date(2025, 9, 9), "all_hours": Decimal(1), "cost": Decimal(1),
    **dict.fromkeys(SAID, False),
}  # fmt: skip


def _flagged(runs: ir.Table) -> ir.Table:
    return runs.select("run", flags=run_flags(runs))


def flags(*runs: dict[str, Any]) -> dict[str, list[str]]:
    made = applied(_flagged, table(RUN, *(USUAL | run for run in runs)))
    return {row["run"]: row["flags"] for row in made.to_pyarrow().to_pylist()}


LATE = {"starts_late": True}
WAITED = {"by_increments": True, "first_day": date(2025, 9, 8)}
RESUMES = {"resumed_from": "p"}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, []),
        (dict.fromkeys(SAID), []),
        ({"mixed": True}, ["mixed_hardware"]),
        (LATE, ["undeclared_start"]),
        (LATE | {"start_epoch": 0}, []),
        (WAITED, ["counter_starts_late"]),
        (WAITED | {"first_day": date(2025, 9, 9)}, []),
        (WAITED | {"by_increments": False}, []),
        (WAITED | {"start_epoch": 0}, []),
        ({"misplaced": "unknown_purpose"}, ["unknown_purpose"]),
        ({"misplaced": "another"}, []),
        ({"all_hours": Decimal(0)}, ["no_accelerator_hours"]),
        ({"all_hours": Decimal("0.5")}, []),
        ({"unbilled": True}, ["unbilled_epochs"]),
        ({"counted_from": None}, ["no_progress"]),
        ({"future_samples": True}, ["future_samples"]),
        ({"cost": None}, ["cost_unknown"]),
        ({"gross": True}, ["gross_cost"]),
        ({"charges_hidden": True}, ["charges_untold"]),
        ({"by_samples": True}, ["epochs_from_samples"]),
        ({"losses_stop": True}, ["losses_stop_early"]),
        ({"short": True}, ["short"]),
        ({"over_allocated": True}, ["over_allocated"]),
        ({"daily_allocation": True}, ["daily_allocation"]),
        ({"timed_by_allocation": True}, ["timed_by_allocation"]),
        (RESUMES | {"parent_known": None}, ["parent_unknown"]),
        (RESUMES | {"parent_known": True}, ["circular_resume"]),
        (RESUMES | {"parent_known": True, "resumes": True}, []),
        ({"parent_known": None}, []),
    ],
)
def test_a_flag_is_said_where_it_holds_and_nowhere_else(
    said: dict[str, Any], found: list[str]
) -> None:
    assert flags(said) == {"a": found}


def test_the_first_of_a_lineage_starts_and_those_that_resume_it_go_on() -> None:
    """A run that resumes and is the first to report starts like any other."""
    later = {"first_sample": FIRST + timedelta(hours=1)}
    every = {**LATE, **WAITED, "resumes": True}
    both = ["undeclared_start", "counter_starts_late"]
    assert flags(
        every,
        every | later | {"run": "b"},
        every | later | {"run": "c", "resumes": False},
        every | later | {"run": "d", "lineage": "d"},
        every | {"run": "e", "lineage": "e"},
        every | {"run": "f", "lineage": "e", "resumes": False},
        every | {"run": "g", "lineage": "g"},
        every | {"run": "h", "lineage": "g"},
    ) == {"a": both, "b": [], "c": both, "d": both, "e": [], "f": both, "g": both, "h": []}


def test_all_flags_stand_in_their_order() -> None:
    said = dict.fromkeys(SAID, True) | {"resumes": False, "parent_known": None} | RESUMES
    every = WAITED | said | {
        "misplaced": "unknown_purpose", "all_hours": 0, "counted_from": None, "cost": None,
    }  # fmt: skip
    assert flags(every)["a"] == [
        "mixed_hardware", "undeclared_start", "counter_starts_late", "unknown_purpose",
        "no_accelerator_hours", "unbilled_epochs", "no_progress", "future_samples", "cost_unknown",
        "gross_cost", "charges_untold", "epochs_from_samples", "losses_stop_early", "short",
        "over_allocated", "daily_allocation", "timed_by_allocation", "parent_unknown",
    ]  # fmt: skip
