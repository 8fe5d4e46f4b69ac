"""METHOD §1.1: the last settled day of a workload, and who or what holds it back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import pytest

from models.marts.work.days.workload_settled import workload_settled
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

WORKLOAD = {"workload": "string"}
BILLED = WORKLOAD | {"billing_account": "string"}
ACCOUNTS = {"billing_account": "string", "settled_through": "date"}
POOLS = WORKLOAD | {
    "waiting": "string",
    "known_by_tag": "boolean",
    "before_first": "boolean",
    "ran": "boolean",
    "by_tag": "boolean",
    "cluster": "string",
    "cluster_place": "string",
    "date": "date",
    "delivered": "boolean",
}
TENTH = {"1": 10}


def day(of_september: int) -> date:
    return date(2026, 9, 1) + timedelta(days=of_september - 1)


def held(*days: int, workload: str | None = "w", cluster: str = "c") -> list[dict[str, Any]]:
    """A workload's hours of a cluster on days whose allocations are delivered."""
    about = {"workload": workload, "cluster": cluster, "cluster_place": "", "delivered": True}
    about |= {"known_by_tag": False, "before_first": False, "ran": True, "by_tag": False}
    return [about | {"date": day(one)} for one in days]


def missing(*days: int, cluster: str = "c", before_first: bool = False) -> list[dict[str, Any]]:
    """Hours of a cluster on days whose allocations are not: nobody knows who held them."""
    about = {"delivered": False, "before_first": before_first}
    return [row | about for row in held(*days, workload=None, cluster=cluster)]


def settled(
    *pools: dict[str, Any],
    billed: Iterable[tuple[str, str | None]] = (("w", "1"),),
    accounts: dict[Any, int] = TENTH,
    seen: tuple[str, ...] = (),
    planned: tuple[str, ...] = (),
    invested: tuple[str | None, ...] = (),
) -> dict[str, dict[str, Any]]:
    """By workload; `accounts` say through which day of September each is settled."""
    named = [[{"workload": name} for name in names] for names in (seen, planned, invested)]
    made = applied(
        workload_settled,
        table(BILLED, *({"workload": name, "billing_account": of} for name, of in billed)),
        table(WORKLOAD, *named[0]),
        table(ACCOUNTS, *({"billing_account": of, "settled_through": day(last)}
                          for of, last in accounts.items())),
        table(WORKLOAD, *named[1]),
        table(WORKLOAD, *named[2]),
        table(POOLS, *pools),
    )  # fmt: skip
    rows = made.to_pyarrow().to_pylist()
    found = {row.pop("workload"): row for row in rows}
    assert len(found) == len(rows)
    return found


def through(found: dict[str, dict[str, Any]]) -> dict[str, date]:
    return {name: row["settled_through"] for name, row in found.items()}


def test_it_is_the_earliest_of_the_accounts_with_its_charges() -> None:
    """Of account 3 it has none, and charges of no workload are nobody's."""
    found = settled(
        billed=[("w", "1"), ("w", "2"), ("v", "1"), ("u", None), (None, "3")],
        accounts={"1": 10, "2": 9, "3": 1, None: 8},
    )
    assert through(found) == {"w": day(9), "v": day(10), "u": day(8)}
    assert {row["latest"] for row in found.values()} == {day(10)}


@pytest.mark.parametrize(("last", "account"), [(3, None), (2, "2")])
def test_an_account_more_than_a_week_behind_is_named(last: int, account: str | None) -> None:
    found = settled(billed=[("w", "1"), ("w", "2")], accounts={"1": 10, "2": last})
    assert (found["w"]["settled_through"], found["w"]["held_by"]) == (day(last), account)


def test_one_that_reports_without_a_charge_waits_for_all_and_one_of_the_config_for_none() -> None:
    found = settled(
        accounts={"1": 10, "2": 6},
        seen=("w", "reports"),
        planned=("reports", "planned"),
        invested=("w", "paid for", None),
    )
    assert through(found) == {
        "w": day(10), "reports": day(6), "planned": day(10), "paid for": day(10),
    }  # fmt: skip


def test_the_recent_window_begins_with_the_84th_settled_day() -> None:
    """Two days are missing in it, two of its end are none of it, and one is long before."""
    missed = missing(-99, -3, 4, 9, 10)
    found = settled(*held(*range(1, 4), 5, 6, 7, -100, -4), *missed)["w"]
    assert (found["settled_through"], found["recent_since"]) == (day(8), day(8 - 85))
    assert settled()["w"]["recent_since"] == day(10 - 83)


def test_without_the_last_days_allocations_it_is_the_day_before_them() -> None:
    """Three days without a break; a day that is missing before them is a hole."""
    found = settled(*held(*range(1, 4), 5, 6, 7), *missing(4, 8, 9, 10), *missing(8, 9))["w"]
    assert (found["settled_through"], found["held_by"]) == (day(7), None)
    assert sorted(found["undelivered"]) == [day(4), day(8), day(9), day(10)]


@pytest.mark.parametrize(("last", "expected"), [(8, 7), (9, 7), (10, 7), (11, 11)])
def test_days_that_arrived_after_missing_ones_are_settled(last: int, expected: int) -> None:
    found = settled(*held(1, 2), *missing(8, 9, 10), accounts={"1": last})
    assert through(found) == {"w": day(expected)}


def test_allocations_are_named_and_no_account_where_they_hold_it_back() -> None:
    """Both end more than a week before the other account."""
    found = settled(*held(1), *missing(2, 3), billed=[("w", "1")], accounts={"1": 3, "2": 30})["w"]
    assert (found["settled_through"], found["held_by"]) == (day(1), None)


@pytest.mark.parametrize(("first", "waits"), [(9, True), (8, False), (71, True), (72, False)])
def test_a_cluster_whose_machines_it_held_within_31_days_may_have_been_held_again(
    first: int, waits: bool
) -> None:
    found = settled(*held(first), *missing(40), accounts={"1": 40})["w"]
    assert found["settled_through"] == day(39 if waits else 40)
    assert found["undelivered"] == ([day(40)] if waits else None)


def test_before_the_first_delivery_it_waits_for_the_day_before_alone() -> None:
    """What its tags say of earlier days was settled before there was a scheduler to ask."""
    found = settled(*missing(*range(1, 5), before_first=True), *held(*range(5, 11)))["w"]
    assert (found["settled_through"], found["undelivered"]) == (day(10), [day(4)])


@pytest.mark.parametrize("waiting", [None, "w"])
def test_a_day_with_a_correction_alone_waits_for_no_allocations(waiting: str | None) -> None:
    corrected = [row | {"ran": False, "waiting": waiting} for row in missing(8)]
    assert settled(*held(7, 9), *corrected)["w"]["undelivered"] is None


@pytest.mark.parametrize("days", [(11,), (12,), (12, 13)])
def test_days_that_lack_allocations_after_the_bill_settle_no_day_of_the_bill(
    days: tuple[int, ...],
) -> None:
    """As on any morning: the bill is settled through the tenth, jobs are told through yesterday."""
    assert settled(*held(7), *missing(*days))["w"]["settled_through"] == day(10)


def test_only_who_held_machines_of_the_cluster_waits() -> None:
    pools = [*held(1), *held(1, workload="v", cluster="d"), *missing(10)]
    found = settled(*pools, billed=[("w", "1"), ("v", "1")])
    assert through(found) == {"w": day(9), "v": day(10)}


def test_each_workload_has_its_own_missing_days() -> None:
    pools = [*held(1), *held(1, workload="v", cluster="d")]
    pools += [*missing(9, 10), *missing(3, 4, 10, cluster="d")]
    found = settled(*pools, billed=[("w", "1"), ("v", "1")])
    assert through(found) == {"w": day(8), "v": day(9)}


def test_hours_that_a_runs_tag_names_wait_for_no_allocations() -> None:
    tagged = [row | {"by_tag": True} for row in held(1)]
    assert through(settled(*held(1), *missing(10))) == {"w": day(9)}
    assert through(settled(*tagged, *missing(10))) == {"w": day(10)}


def test_who_bears_the_tag_of_a_machine_waits_for_its_allocations() -> None:
    """The machine bears the tag of `w`, which never held one by a job, on a day of silence."""
    own = [row | {"waiting": "w"} for row in missing(5)]
    assert settled(*own)["w"]["undelivered"] == [day(5)]
    assert settled(*own)["w"]["settled_through"] == day(10)
    last = [row | {"waiting": "w"} for row in missing(9, 10)]
    assert settled(*last)["w"]["settled_through"] == day(8)
