"""METHOD §2.10.6: who bears the time in which machines of a pool stood idle."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pytest

from models.config.loading import validated_settings
from models.contract.schema import MONEY, NUMBER
from models.marts.cost.pools.pool_idle import pool_idle, pool_shares
from models.marts.cost.settled_days.delivered_allocations import EITHER
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
SETTINGS = validated_settings({"as_of": "2026-12-31"}, home=Path())
DAYS = {
    "date": "date", "cluster": "string", "cluster_place": "string", "instance_type": "string",
    "hardware": "string",
    "holding": "string", "workload": "string", "run": "string", "accelerator_hours": NUMBER,
    "effective_cost": MONEY, "billed_cost": MONEY, "unpriced": "boolean", "settled": "boolean",
    "purchase_option": "string", "component": "string",
}  # fmt: skip
RUNS = {"workload": "string", "run": "string", "purpose": "string"}
CUTOVERS = {"workload": "string", "cutover": "date"}
TOLD = ("date", "workload", "kind", "amount")


def day(text: str) -> date:
    return date.fromisoformat(f"2026-{text}")


def part(on: str, holding: str, cost: object, **columns: object) -> dict[str, Any]:
    """A part of pool `hpc` of Trainium, settled, unless said otherwise."""
    about: dict[str, Any] = {
        "date": day(on),
        "cluster": "hpc",
        "cluster_place": EITHER,
        "instance_type": "trn1.32xlarge",
        "hardware": "trainium",
        "holding": holding,
        "effective_cost": D(str(cost)),
        "unpriced": False,
        "settled": True,
        "component": "accelerator",
    }
    return about | columns


def held(on: str, workload: str, hours: object, **columns: object) -> dict[str, Any]:
    named = {"workload": workload, "run": f"{workload}-1", "accelerator_hours": D(str(hours))}
    return part(on, "held", 1, **named | columns)


def borne(
    parts: list[dict[str, Any]], moved: dict[str, str], side: tuple[str, ...] = ()
) -> list[tuple[Any, ...]]:
    """Each dollar of idle: day, workload, kind, amount."""
    runs = [{"workload": name, "run": f"{name}-1", "purpose": "port"} for name in side]
    cuts = [{"workload": name, "cutover": day(on)} for name, on in moved.items()]
    shares = applied(
        pool_shares, table(DAYS, *parts), table(RUNS, *runs), table(CUTOVERS, *cuts), SETTINGS
    )
    found = applied(pool_idle, ibis.memtable(shares.to_pyarrow()))
    told = (row.values() for row in found.select(*TOLD).to_pyarrow().to_pylist())
    return sorted(((f"{on:%m-%d}", *rest) for on, *rest in told), key=str)


def test_idle_of_trainium_is_overhead_of_who_held_the_pool_that_month_by_hours() -> None:
    parts = [part("03-05", "idle", 30), held("03-20", "a", 2), held("03-01", "b", 1)]
    assert borne(parts, {"a": "03-01", "b": "02-01"}) == [
        ("03-05", "a", "overhead", D(20)),
        ("03-05", "b", "overhead", D(10)),
    ]


def test_who_moves_later_or_holds_it_for_a_port_bears_none_beside_one_that_moved() -> None:
    parts = [part("03-05", "drained", 30), held("03-06", "a", 2), held("03-06", "late", 8)]
    parts.append(held("03-06", "ported", 8))
    moved = {"a": "03-01", "late": "03-06", "ported": "03-01"}
    assert borne(parts, moved, side=("ported",)) == [("03-05", "a", "overhead", D(30))]


def test_before_any_cutover_it_is_an_investment_of_who_held_it_that_month() -> None:
    parts = [part("03-05", "idle", 30), held("03-06", "a", 2), held("03-06", "b", 4)]
    assert borne(parts, {"a": "03-06"}) == [
        ("03-05", "a", "pool_before_cutover", D(10)),
        ("03-05", "b", "pool_before_cutover", D(20)),
    ]


def test_idle_of_a_pool_that_nobody_known_held_is_the_portfolios() -> None:
    unknown = part("03-06", "unknown", 5, accelerator_hours=D(9))
    parts = [part("03-05", "idle", 30), unknown, held("04-01", "a", 1)]
    assert borne(parts, {"a": "03-01"}) == [("03-05", None, "overhead", D(30))]


@pytest.mark.parametrize("moved", ["03-01", "09-01"])
def test_who_held_a_pool_for_no_hour_bears_none_of_its_idle(moved: str) -> None:
    parts = [part("03-05", "idle", 30), held("03-06", "a", 0)]
    assert borne(parts, {"a": moved}) == [("03-05", None, "overhead", D(30))]
    parts.append(held("03-06", "b", "0.5"))
    kind = "overhead" if moved == "03-01" else "pool_before_cutover"
    assert borne(parts, {"a": moved, "b": moved}) == [("03-05", "b", kind, D(30))]


def test_hours_of_several_days_add_up_and_the_day_of_the_cutover_is_one_after_it() -> None:
    parts = [part("03-05", "idle", 30), part("03-04", "idle", 60)]
    parts += [held("03-02", "a", 2), held("03-08", "a", 2), held("03-09", "b", 2)]
    assert borne(parts, {"a": "03-05", "b": "03-05"}) == [
        ("03-04", "a", "pool_before_cutover", D(40)),
        ("03-04", "b", "pool_before_cutover", D(20)),
        ("03-05", "a", "overhead", D(20)),
        ("03-05", "b", "overhead", D(10)),
    ]


def test_idle_hours_without_a_price_leave_the_days_share_unknown() -> None:
    parts = [part("03-05", "idle", 30), part("03-05", "drained", 1, unpriced=True)]
    assert borne([*parts, held("03-06", "a", 2)], {"a": "03-01"}) == [
        ("03-05", "a", "overhead", None)
    ]
    other = {"instance_type": "trn2.48xlarge"}
    parts = [part("03-05", "idle", 30), part("03-05", "idle", 1, unpriced=True, **other)]
    parts += [held("03-06", "a", 2), held("03-06", "a", 2, **other)]
    assert borne(parts, {"a": "03-01"}) == [("03-05", "a", "overhead", None)]


def test_a_day_that_is_not_settled_is_borne_by_nobody_yet() -> None:
    parts = [part("03-05", "idle", 30, settled=False), held("03-06", "a", 2)]
    assert borne(parts, {"a": "03-01"}) == []


GPU = {"hardware": "gpu", "instance_type": "p5.48xlarge"}
BEFORE = [
    part("01-01", "idle", 90, **GPU), part("02-01", "idle", 90, **GPU),
    part("03-31", "idle", 90, **GPU),
    held("02-10", "a", 6, **GPU), held("02-10", "b", 3, **GPU), held("02-10", "stays", 9, **GPU),
]  # fmt: skip
"""January to March, 90 days: $3 a day."""


@pytest.mark.parametrize(
    ("idle", "stranded"),
    [
        (part("04-10", "idle", 39, **GPU), [("04-10", "a", "stranded_cluster", D(36))]),
        (
            part("05-20", "idle", 39, **GPU),
            [
                ("05-20", "a", "stranded_cluster", D(24)),
                ("05-20", "b", "stranded_cluster", D(12)),
            ],
        ),
        (part("04-11", "idle", 2, **GPU), []),
        (part("04-04", "idle", 39, **GPU), []),
    ],
)
def test_idle_of_gpu_beyond_the_three_months_before_the_move_is_an_investment(
    idle: dict[str, Any], stranded: list[tuple[Any, ...]]
) -> None:
    """Of who held the pool then and has moved; before the cutover, and below the usual, none."""
    assert borne([*BEFORE, idle], {"a": "04-05", "b": "05-01"}) == stranded


def test_twelve_months_after_the_move_an_idle_gpu_is_no_cost_of_it() -> None:
    late = part("04-05", "idle", 39, **GPU) | {"date": date(2027, 4, 5)}
    last = part("04-05", "idle", 39, **GPU) | {"date": date(2027, 4, 4)}
    found = borne([*BEFORE, late, last], {"a": "04-05"})
    assert found == [("04-04", "a", "stranded_cluster", D(36))]


def test_without_a_whole_month_before_all_idle_of_the_gpu_pool_is_stranded() -> None:
    parts = [held("04-02", "a", 4, **GPU), part("04-20", "idle", 39, **GPU)]
    assert borne(parts, {"a": "04-10"}) == [("04-20", "a", "stranded_cluster", D(39))]


def test_of_the_gpu_pool_the_three_whole_months_before_decide_and_who_held_it_in_them() -> None:
    """$2 a day in 90 days; the day before them and the month of the move say nothing."""
    outside = [part("04-01", "idle", 900, **GPU), held("04-01", "b", 9, **GPU)]
    early = [part("12-31", "idle", 900, **GPU), held("12-31", "b", 9, **GPU)]
    inside = [part("01-01", "idle", 90, **GPU), part("03-31", "idle", 90, **GPU)]
    inside += [
        held("01-01", "a", 1, **GPU),
        held("03-31", "a", 1, **GPU),
        held("02-01", "c", 1, **GPU),
    ]
    early.append(held("11-01", "b", 9, **GPU))  # the pool ran long before
    for row in early:
        row["date"] = row["date"].replace(year=2025)
    after = [part("05-02", "idle", 38, **GPU)]
    moved = {"a": "04-05", "b": "04-20", "c": "04-21"}
    assert borne([*outside, *early, *inside, *after], moved) == [
        ("05-02", "a", "stranded_cluster", D(24)),
        ("05-02", "c", "stranded_cluster", D(12)),
    ]


def test_a_gpu_pool_that_began_within_a_month_is_judged_from_the_next() -> None:
    """It began on 10 February: $62 idle in the 31 days of March is $2 a day."""
    parts = [held("02-10", "b", 9, **GPU), part("02-20", "idle", 900, **GPU)]
    parts += [part("03-31", "idle", 62, **GPU), held("03-01", "a", 1, **GPU)]
    parts.append(part("05-02", "idle", 40, **GPU))
    assert borne(parts, {"a": "04-05", "b": "04-05"}) == [("05-02", "a", "stranded_cluster", D(38))]


@pytest.mark.parametrize(
    ("on", "cost", "amount"),
    [("04-05", 39, 36), ("04-05", 3, None), ("04-05", "3.5", "0.5"), ("04-05", "2.5", None)],
)
def test_idle_of_gpu_is_stranded_from_the_day_of_the_move_and_beyond_the_usual_alone(
    on: str, cost: object, amount: object
) -> None:
    due = [] if amount is None else [(on, "a", "stranded_cluster", D(str(amount)))]
    assert borne([*BEFORE, part(on, "idle", cost, **GPU)], {"a": "04-05"}) == due


def test_who_moves_bears_what_stands_idle_on_that_day_already() -> None:
    idle = part("05-01", "idle", 39, **GPU)
    found = borne([*BEFORE, idle], {"a": "04-05", "b": "05-01"})
    assert [row[1] for row in found] == ["a", "b"]


def test_an_idle_gpu_without_a_price_is_stranded_for_dollars_that_are_unknown() -> None:
    idle = part("04-10", "idle", 39, unpriced=True, **GPU)
    assert borne([*BEFORE, idle], {"a": "04-05"}) == [("04-10", "a", "stranded_cluster", None)]


def test_idle_before_the_move_without_a_price_leaves_unknown_what_is_beyond_the_usual() -> None:
    usual = [*BEFORE, part("03-30", "idle", 0, unpriced=True, **GPU)]
    found = borne([*usual, part("04-10", "idle", 39, **GPU)], {"a": "04-05"})
    assert found == [("04-10", "a", "stranded_cluster", None)]


def test_a_gpu_pool_that_never_stood_idle_before_is_stranded_whole() -> None:
    parts = [held("02-10", "a", 6, **GPU), held("02-11", "b", 0, **GPU)]
    parts += [held("01-01", "a", 1, **GPU), part("04-20", "idle", 39, **GPU)]
    moved = {"a": "04-10", "b": "04-10"}
    assert borne(parts, moved) == [("04-20", "a", "stranded_cluster", D(39))]


def test_without_a_whole_month_before_who_held_it_before_the_move_bears_it() -> None:
    parts = [held("04-02", "a", "0.5", **GPU), held("04-10", "b", 4, **GPU)]
    found = borne([*parts, part("04-20", "idle", 39, **GPU)], {"a": "04-10", "b": "04-12"})
    assert found == [("04-20", "a", "stranded_cluster", D(39))]
