"""METHOD §6.10: which kinds of work lack a baseline, and what the GPU runs they lack would cost."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.contract.schema import MARTS, MONEY, NUMBER
from models.marts.savings.coverage.unjudged_kinds import unjudged_kinds
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
LAST = date(2026, 9, 30)
KIND = {"workload": "string", "kind": "string"}
CREDITED = {**KIND, "unit": "string", "settled": "boolean", "cost": MONEY}
QUALIFYING = {**KIND, "qualifying": "int64", "gpu_cost_per_epoch": MONEY}
SPENT = {"unit": "epoch", "settled": True, "cost": D(5)}


def lacking(
    qualifying: int | None,
    *days: dict[str, Any],
    needed: int = 2,
    valued: tuple[dict[str, Any], ...] = (),
) -> list[dict[str, Any]]:
    """The rows of a workload whose GPU runs cost $200 an epoch; those of others are left out."""
    own = {"workload": "w", "kind": "lora"}
    known = [] if qualifying is None else [own | {"qualifying": qualifying}]
    for row in known:
        row["gpu_cost_per_epoch"] = D(200) if qualifying else None
    made = applied(
        unjudged_kinds,
        table(CREDITED, *(own | SPENT | day for day in days or ({},))),
        table(KIND | {"least_work": NUMBER}, own | {"least_work": D("0.9")}),
        table(QUALIFYING, *known),
        table(MARTS["baselines"], *({"workload": "w", "recipe": "lora"} | row for row in valued)),
        table(
            {"workload": "string", "settled_through": "date"},
            {"workload": "w", "settled_through": LAST},
        ),
        validated_settings({"baseline": {"min_runs": needed}}, home=Path()),
    )
    return made.to_pyarrow().to_pylist()


@pytest.mark.parametrize(
    ("qualifying", "runs", "missing", "cost"),
    [(None, 0, 2, None), (0, 0, 2, None), (1, 1, 1, D(180))],
)
def test_a_kind_says_how_many_gpu_runs_it_lacks_and_what_they_cost(
    qualifying: int | None, runs: int, missing: int, cost: Decimal | None
) -> None:
    (row,) = lacking(qualifying)
    assert (row["recipe"], row["trn_cost"]) == ("lora", 5)
    assert (row["gpu_runs"], row["missing_runs"], row["cost_to_know"]) == (runs, missing, cost)


def test_two_further_runs_cost_twice_as_much() -> None:
    (row,) = lacking(1, needed=3)
    assert row["cost_to_know"] == 360


def test_a_kind_with_enough_gpu_runs_lacks_none_though_it_has_no_baseline_yet() -> None:
    """As where the runs on Trainium must be verified and are not."""
    assert lacking(2) == []


def test_a_kind_that_has_a_baseline_on_the_last_settled_day_is_judged() -> None:
    value = {"date": LAST, "value": D(7)}
    assert lacking(1, valued=(value,)) == []
    (row,) = lacking(1, valued=(value | {"value": None}, value | {"date": date(2026, 9, 29)}))
    assert row["missing_runs"] == 1
    (row,) = lacking(1, valued=(value | {"recipe": "full"},))
    assert row["missing_runs"] == 1


def test_only_settled_days_are_summed_and_an_unknown_cost_leaves_the_sum_unknown() -> None:
    (row,) = lacking(1, {}, {}, {"settled": False, "cost": D(90)})
    assert row["trn_cost"] == 10
    (row,) = lacking(1, {}, {"cost": None})
    assert row["trn_cost"] is None
    assert lacking(1, {"settled": False}) == []
