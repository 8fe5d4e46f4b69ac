"""METHOD §6, At the old volume: the recursion over months, whatever they hold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from models.marts.savings.volume.old_epochs import old_volumes

MONTHS = st.lists(
    st.tuples(
        st.integers(0, 31),
        st.decimals(0, 10_000, places=9),
        st.decimals(0, 500, places=9),
    ),
    min_size=1,
    max_size=30,
)
PACE = {"gpu_work": Decimal(200), "gpu_days": 150, "per_day": Decimal("1.333333333")}


def months(drawn: list[tuple[int, Decimal, Decimal]], **kind: object) -> list[dict[str, Any]]:
    names = ("settled_days", "credited_epochs", "gpu_epochs")
    of_a_kind = {"workload": "atlas-7b", "kind": ""} | PACE | kind
    return [of_a_kind | dict(zip(names, month, strict=True)) for month in drawn]


@given(MONTHS)
def test_no_month_has_more_than_was_credited_nor_all_together_more_than_the_pace_made(
    drawn: list[tuple[int, Decimal, Decimal]],
) -> None:
    total, days = Decimal(0), 0
    for month in old_volumes(months(drawn)):
        total += month["old_epochs"]
        days += month["settled_days"]
        assert 0 <= month["old_epochs"] <= month["credited_epochs"]
        assert total <= round(Decimal(200) * days / 150, 9)


@given(MONTHS)
def test_where_no_month_outruns_the_pace_all_of_it_is_old_volume(
    drawn: list[tuple[int, Decimal, Decimal]],
) -> None:
    slower = [(days, min(work, Decimal(days)), Decimal(0)) for days, work, _ in drawn]
    found = list(old_volumes(months(slower)))
    assert [month["old_epochs"] for month in found] == [work for _, work, _ in slower]


@given(MONTHS, MONTHS)
def test_each_kind_has_its_own_pace_or_none(
    one: list[tuple[int, Decimal, Decimal]], other: list[tuple[int, Decimal, Decimal]]
) -> None:
    alone = list(old_volumes(months(one)))
    both = list(old_volumes(months(one) + months(other, kind="lora", per_day=None)))
    assert both[: len(one)] == alone
    assert {month["old_epochs"] for month in both[len(one) :]} == {None}
