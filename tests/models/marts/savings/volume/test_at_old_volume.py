"""METHOD §6.9: which part of each day's saving is of the volume trained before the move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import EXPLAINERS, MONEY
from models.marts.savings.volume.at_old_volume import net_at_old_volume, with_old_volume
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
DAYS = {
    "date": "date", "workload": "string", "kind": "string", "counterfactual": MONEY,
    "trn_cost": MONEY, "settled": "boolean",
}  # fmt: skip


def did(day: int, saved: object, kind: str = "", **known: object) -> Mapping[str, Any]:
    """A day of September that cost $100 less than it would have."""
    worth = None if saved is None else 100 + D(str(saved))
    about = {"date": date(2026, 9, day), "workload": "w", "kind": kind, "settled": True}
    return {**about, "trn_cost": D(100), "counterfactual": worth, **known}


def month(credited: object, old: object, recipe: str | None = None) -> Mapping[str, Any]:
    epochs = {"credited_epochs": D(str(credited)), "old_epochs": old and D(str(old))}
    return {"workload": "w", "recipe": recipe, "month": "2026-09", **epochs}


def parts(days: list[Mapping[str, Any]], *months: Mapping[str, Any]) -> list[Any]:
    """Of each day, in their order."""
    made = applied(with_old_volume, table(DAYS, *days), table(EXPLAINERS["old_volume"], *months))
    found = made.to_pyarrow().to_pylist()
    assert set(found[0]) == {*DAYS, "at_old_volume"}
    by_day = {(row["date"], row["kind"]): row["at_old_volume"] for row in found}
    return [by_day[day["date"], day["kind"]] for day in days]


@pytest.mark.parametrize(
    ("credited", "old", "counted"),
    [(120, 30, 25), (1, "0.5", 50), ("0.5", "0.25", 50), (120, 120, 100), (120, 0, 0), (0, 0, 100)],
)
def test_a_saving_counts_in_the_proportion_of_the_work_trained_anyway(
    credited: object, old: object, counted: int
) -> None:
    """However little is credited; where nothing is, the saving is none of more volume."""
    assert parts([did(1, 100)], month(credited, old)) == [counted]


def test_a_month_that_lost_counts_whole_on_all_of_its_days() -> None:
    assert parts([did(1, 100), did(2, -101)], month(120, 30)) == [100, -101]
    assert parts([did(1, 100), did(2, -100)], month(120, 30)) == [25, -25]


def test_a_day_that_lost_counts_in_part_where_its_month_saved() -> None:
    assert parts([did(1, -40), did(2, 140)], month(120, 30)) == [-10, 35]


def test_the_days_of_a_month_add_up_to_its_part_to_the_last_place() -> None:
    """Each day's part is what its kind's month rose by, whatever order the days come in."""
    days = [did(day, 1) for day in (4, 3, 2, 1)]
    found = parts([did(1, 1, "lora"), *days], month(7, 1), month(7, 1, "lora"))
    seventh = D("0.142857143")
    assert found == [seventh, seventh - D("1e-9"), seventh, seventh, seventh]
    assert sum(found[1:]) == round(D(4) / 7, 9)


def test_each_kind_and_month_has_a_part_of_its_own() -> None:
    october = did(1, 100) | {"date": date(2026, 10, 1)}
    days = [did(1, 100), did(1, 100, "lora"), october]
    later = {**month(2, 1), "month": "2026-10"}
    assert parts(days, month(4, 1), month(10, 1, "lora"), later) == [25, 10, 50]


def test_a_kind_that_lost_counts_whole_and_another_of_the_month_in_part() -> None:
    days = [did(1, 100), did(1, -300, "lora")]
    assert parts(days, month(4, 1), month(10, 1, "lora")) == [25, -300]


def test_where_the_pace_or_the_saving_is_unknown_so_is_the_part() -> None:
    assert parts([did(1, 100)], month(120, None)) == [None]
    assert parts([did(1, -100)], month(120, None)) == [None]
    assert parts([did(1, 100)]) == [None]
    assert parts([did(1, None), did(2, 100)], month(120, 30)) == [None, 25]


def test_what_storage_cost_in_a_month_before_the_cutover_counts_whole() -> None:
    """The disk of a run that begins on 1 September is billed from 31 August on."""
    august = did(1, "-0.01") | {"date": date(2026, 8, 31)}
    assert parts([august, did(1, 100)], month(120, 30)) == [D("-0.01"), 25]
    assert parts([august, did(1, 100)], month(120, None)) == [None, None]


def test_a_day_that_is_not_settled_is_in_no_part() -> None:
    days = [did(1, 100), did(2, 100, settled=False), did(3, 100)]
    assert parts(days, month(120, 30)) == [25, None, 25]


def test_overhead_and_investment_are_taken_off_whole() -> None:
    sums = {"saving_at_old_volume": 100, "cumulative_overhead": 30, "cumulative_investment": 20}
    standing = table(dict.fromkeys(sums, MONEY), sums)
    assert rows(standing.select(net=net_at_old_volume(standing)), "net") == [(50,)]
