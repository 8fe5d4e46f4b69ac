"""Exact arithmetic: shares add up, quotients are unknown over zero, no float shows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.contract import money
from models.contract.schema import MONEY

NINE = Decimal("1e-9")
AMOUNT = st.decimals(-(10**7), 10**7, places=9, allow_nan=False)
HOURS = st.decimals("0.000000001", 10**5, places=9, allow_nan=False)


def table(**columns: list[Any]) -> ir.Table:
    types = {n: "string" if n in ("whole", "owner") else MONEY for n in columns}
    schema = ibis.schema(types)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return ibis.memtable(pa.Table.from_pylist(rows, schema=schema.to_pyarrow()))


def evaluated(expression: ir.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ibis.duckdb.connect().to_pyarrow(expression).to_pylist()
    return rows


@settings(max_examples=25, derandomize=True)
@given(amount=AMOUNT, other=AMOUNT, hours=st.lists(HOURS, min_size=1, max_size=6))
def test_shares_of_a_whole_add_up_to_it(
    amount: Decimal, other: Decimal, hours: list[Decimal]
) -> None:
    size = len(hours)
    rows = table(
        whole=["a"] * size + ["b"] * size,
        owner=[str(n) for n in range(size)] * 2,
        hours=hours * 2,
        cost=[amount] * size + [other] * size,
    )
    shared = evaluated(
        money.allocated(rows, ["cost"], weight="hours", within=["whole"], owner="owner")
    )
    for whole, expected in (("a", amount), ("b", other)):
        shares = [row["cost"] for row in shared if row["whole"] == whole]
        assert sum(shares) == expected
        exact = sorted(expected * hour / sum(hours) for hour in hours)
        for share, due in zip(sorted(shares), exact, strict=True):
            assert abs(share - due) <= NINE * (size + 2)


def test_a_whole_that_nobody_owns_stays_whole_and_an_unknown_one_unknown() -> None:
    rows = table(
        whole=["a", "b", "b"], owner=[None, "x", "y"], hours=[None, 1, 2], cost=[7, None, None]
    )
    shared = evaluated(
        money.allocated(rows, ["cost"], weight="hours", within=["whole"], owner="owner")
    )
    assert sorted((row["whole"], row["cost"]) for row in shared if row["cost"]) == [("a", 7)]
    assert [row["cost"] for row in shared].count(None) == 2


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        ("1", "3", "0.333333333"),
        ("2446.265847849", "6", "407.710974642"),
        ("0.000000003", "2", "0.000000002"),
        ("123456789.123456789", "1", "123456789.123456789"),
        ("14000000000000", "0.7", "20000000000000"),
        ("-14000000000000", "0.7", "-20000000000000"),
        ("1", "0", None),
        (None, "1", None),
        ("1", None, None),
    ],
)
def test_a_ratio_is_exact_and_rounded_half_up(
    part: str | None, whole: str | None, expected: str | None
) -> None:
    """METHOD §2.3: no float after the door, rounding half-up."""
    rows = table(part=[part and Decimal(part)], over=[whole and Decimal(whole)])
    (row,) = evaluated(rows.select(ratio=money.ratio(rows.part, rows.over)))
    assert row["ratio"] == (Decimal(expected) if expected else None)


@settings(max_examples=25, derandomize=True)
@given(days=st.lists(st.decimals(0, 10, places=9), min_size=1, max_size=12), value=AMOUNT)
def test_running_products_end_at_the_rounded_exact_total(
    days: list[Decimal], value: Decimal
) -> None:
    rows = table(
        whole=["w"] * len(days),
        day=[Decimal(n) for n in range(len(days))],
        epochs=days,
        value=[value] * len(days),
    )
    products = money.carried_product(rows.value, rows.epochs, within="whole", order="day")
    total = sum(row["p"] for row in evaluated(rows.select(p=products)))
    assert abs(total - sum(days) * value) <= NINE / 2
