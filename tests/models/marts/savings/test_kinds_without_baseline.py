"""METHOD §6.1: a kind of work is left out on days without a baseline of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import EXPLAINERS, MONEY, NUMBER
from models.marts.savings.kinds_without_baseline import by_workload
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
COST = ("trn_cost", "trn_list", "counterfactual", "listed")
DAYS = {
    "date": "date", "workload": "string", "kind": "string", "main": "boolean",
    "settled": "boolean", "barred": "boolean", "epochs": NUMBER, "credited_epochs": NUMBER,
    **dict.fromkeys(COST, MONEY),
}  # fmt: skip
ONE, TWO = date(2026, 9, 1), date(2026, 9, 2)


def did(day: date, kind: str, cost: object, baseline: object, **said: object) -> Mapping[str, Any]:
    """Three epochs, of which two are credited; recipe `full` is the main kind."""
    amounts = {
        "trn_cost": cost, "trn_list": cost, "counterfactual": baseline, "listed": baseline,
        "epochs": 3, "credited_epochs": 2,
    }  # fmt: skip
    known = {name: None if each is None else D(str(each)) for name, each in amounts.items()}
    about = {"date": day, "workload": "w", "kind": kind, "main": kind == "full"}
    return {**about, "settled": True, "barred": False, **known, **said}


def summed(*days: Mapping[str, Any]) -> dict[date, dict[str, Any]]:
    made = applied(by_workload, table(DAYS, *days), table(EXPLAINERS["old_volume"]))
    return {row["date"]: row for row in made.to_pyarrow().to_pylist()}


def test_a_kind_without_a_baseline_that_day_is_in_no_sum() -> None:
    found = summed(did(ONE, "full", 10, 25), did(ONE, "lora", 90, None), did(TWO, "lora", 7, 9))
    assert [found[ONE][name] for name in COST] == [10, 10, 25, 25]
    assert (found[ONE]["epochs"], found[ONE]["credited_epochs"]) == (3, 2)
    assert [found[TWO][name] for name in COST] == [7, 7, 9, 9]
    assert (found[TWO]["epochs"], found[TWO]["credited_epochs"]) == (0, 0)


def test_both_kinds_are_summed_and_work_is_that_of_the_main_one() -> None:
    found = summed(did(ONE, "full", 10, 25), did(ONE, "lora", 90, 95))[ONE]
    assert [found[name] for name in COST] == [100, 100, 120, 120]
    assert (found["epochs"], found["credited_epochs"]) == (3, 2)


def test_a_day_on_which_no_kind_has_a_baseline_is_zero_where_another_day_has_one() -> None:
    found = summed(did(ONE, "full", 10, None), did(TWO, "full", 7, 9))
    assert [found[ONE][name] for name in (*COST, "epochs")] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("of_another_recipe", [None, 0])
def test_where_no_saving_may_be_claimed_costs_are_of_all(of_another_recipe: int | None) -> None:
    """Also of a kind beside one with a baseline, whose lineages do not compare."""
    known, unknown = (
        did(ONE, kind, cost, due, barred=True)
        for kind, cost, due in (("full", 10, of_another_recipe), ("lora", 90, None))
    )
    found = summed(known, unknown)[ONE]
    assert [found[name] for name in COST] == [100, 100, None, None]
    assert found["epochs"] == 3


def test_what_another_workload_has_changes_nothing() -> None:
    other = did(TWO, "full", 7, 9, workload="v")
    assert summed(did(ONE, "full", 10, None, barred=True), other)[ONE]["trn_cost"] == 10


def test_a_cost_that_is_unknown_of_a_kind_that_counts_leaves_the_day_unknown() -> None:
    found = summed(did(ONE, "full", None, 25), did(ONE, "lora", 90, 95))[ONE]
    assert (found["trn_cost"], found["counterfactual"]) == (None, 120)
    found = summed(did(ONE, "full", 10, 25), did(ONE, "lora", None, None))[ONE]
    assert (found["trn_cost"], found["counterfactual"]) == (10, 25)
