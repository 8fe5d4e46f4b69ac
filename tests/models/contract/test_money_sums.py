"""Money by hand: who gets the last nano-dollar, where rounding goes, when a sum is unknown."""

from __future__ import annotations

from decimal import Decimal

import ibis.expr.types as ir
import pytest

from models.contract import money
from models.contract.schema import MONEY
from tests.support.marts.hand_written_tables import rows, table

COLUMNS = {"bill": "string", "owner": "string", "hours": MONEY, "cost": MONEY}


def shares(cost: str, **hours: str) -> dict[str, str]:
    """The share of each owner of one bill, as text."""
    given = table(
        COLUMNS,
        *(
            {"bill": "b", "owner": owner, "hours": Decimal(weight), "cost": Decimal(cost)}
            for owner, weight in hours.items()
        ),
    )
    found = money.allocated(given, ["cost"], weight="hours", within=["bill"], owner="owner")
    return {owner: f"{share:f}" for owner, share in rows(found, "owner", "cost")}


def test_the_first_owner_of_equal_parts_gets_the_residue() -> None:
    third = "3.333333333"
    assert shares("10", c="1", a="1", b="1") == {"a": "3.333333334", "b": third, "c": third}


def test_the_owner_of_the_largest_part_gets_the_residue() -> None:
    found = shares("1", a="2", b="3", c="2")
    assert found == {"a": "0.285714286", "b": "0.428571428", "c": "0.285714286"}


def test_a_credit_is_shared_like_a_charge() -> None:
    third = "-3.333333333"
    assert shares("-10", a="1", b="1", c="1") == {"a": "-3.333333334", "b": third, "c": third}


def test_the_largest_part_may_owe_more_than_one_last_place() -> None:
    found = shares("0.000000001", a="1", b="1", c="1", d="1")
    assert found == {"a": "0.000000001", "b": "0.000000000", "c": "0.000000000", "d": "0.000000000"}


def test_several_amounts_of_a_bill_are_shared_by_the_same_hours() -> None:
    given = table(
        COLUMNS | {"list": MONEY},
        {"bill": "b", "owner": "a", "hours": 1, "cost": 4, "list": 8},
        {"bill": "b", "owner": "b", "hours": 3, "cost": 4, "list": 8},
    )
    names = ["cost", "list"]
    found = money.allocated(given, names, weight="hours", within=["bill"], owner="owner")
    assert list(found.columns) == ["bill", "owner", "hours", "cost", "list"]
    assert rows(found, "owner", "cost", "list") == [("a", 1, 2), ("b", 3, 6)]


def evaluated(value: ir.Value) -> Decimal | None:
    found: Decimal | None = value.as_table().to_pyarrow().to_pylist()[0].popitem()[1]
    return found


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        ("2", "3", "0.666666667"),
        ("-2", "3", "-0.666666667"),
        ("-0.000000003", "2", "-0.000000002"),
        ("0.000000001", "-2", "-0.000000001"),
        ("0", "5", "0"),
        ("0.000000001", "0.000000003", "0.333333333"),
    ],
)
def test_a_ratio_rounds_half_away_from_zero_on_both_sides(
    part: str, whole: str, expected: str
) -> None:
    given = table({"part": MONEY, "whole": MONEY}, {"part": Decimal(part), "whole": Decimal(whole)})
    assert evaluated(money.ratio(given.part, given.whole)) == Decimal(expected)


def test_nothing_over_nothing_is_unknown() -> None:
    given = table({"part": MONEY}, {"part": 0})
    assert evaluated(money.ratio(given.part, given.part)) is None


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("0.000000001", "0.5", "0.000000001"),
        ("0.000000001", "0.499999999", "0"),
        ("-0.000000001", "0.5", "-0.000000001"),
        ("24.15220", "731.25", "17661.29625"),
        ("0.333333333", "3", "0.999999999"),
    ],
)
def test_a_product_rounds_half_away_from_zero(left: str, right: str, expected: str) -> None:
    given = table({"left": MONEY, "right": MONEY}, {"left": Decimal(left), "right": Decimal(right)})
    assert evaluated(money.product(given.left, given.right)) == Decimal(expected)


def test_a_running_product_carries_what_the_day_before_rounded_away() -> None:
    """Each day is worth $0.1666666665; two days are $0.333333333, three $0.4999999995."""
    third = Decimal("0.333333333")
    given = table(
        {"workload": "string", "day": "int64", "value": MONEY, "epochs": MONEY},
        *(
            {"workload": name, "day": day, "value": third, "epochs": Decimal("0.5")}
            for name in ("a", "b")
            for day in (1, 2, 3)
        ),
        {"workload": "b", "day": 0, "value": None, "epochs": 1},
    )
    product = money.carried_product(given.value, given.epochs, within="workload", order="day")
    days = [Decimal("0.166666667"), Decimal("0.166666666"), Decimal("0.166666667")]
    found = rows(given.mutate(saved=product), "workload", "day", "saved")
    assert [row[2] for row in found] == [*days, None, *days]


def test_a_sum_with_one_unknown_amount_is_unknown_but_not_beside_the_rows_asked_for() -> None:
    given = table(
        {"workload": "string", "settled": "boolean", "cost": MONEY},
        {"workload": "a", "settled": True, "cost": 1},
        {"workload": "a", "settled": False, "cost": None},
        {"workload": "b", "settled": True, "cost": 2},
        {"workload": "b", "settled": True, "cost": 3},
    )
    found = given.group_by("workload").agg(
        whole=money.known_sum(given.cost), settled=money.known_sum(given.cost, given.settled)
    )
    assert rows(found, "workload", "whole", "settled") == [("a", None, 1), ("b", 5, 5)]


def test_the_four_costs_are_known_or_unknown_one_by_one() -> None:
    names = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
    given = table(dict.fromkeys(names, MONEY), dict.fromkeys(names, 1), {"billed_cost": 2})
    found = given.agg(**money.cost_sums(given))
    assert rows(found, *names) == [(None, None, None, 3)]


def test_nothing_to_add_is_zero_dollars() -> None:
    given = table({"cost": MONEY}, {"cost": None})
    assert evaluated(money.zero_if_null(given.cost)) == 0
