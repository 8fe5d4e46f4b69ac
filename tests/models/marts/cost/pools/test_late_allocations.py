"""METHOD §1.1, §2.10: a day whose allocations are missing is not settled for who holds machines."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.marts.late_allocations import account, delivered
from tests.support.some_marts import some_marts
from tests.support.world import Marts

ASKED = (
    *("spend_daily", "runs", "calendar", "allocation_coverage", "tie_out", "cost_per_epoch"),
    *("pools", "pool_use", "unsettled_spend"),
)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    return some_marts(delivered(tmp_path_factory.mktemp("late")), *ASKED)


def spent(marts: Marts, case: str, columns: str, where: str = "true") -> list[tuple[Any, ...]]:
    """What machines of a case cost, by some columns."""
    rows = marts.rows(
        f"SELECT {columns}, sum(effective_cost) AS cost FROM spend_daily WHERE account = ? "
        f"AND component = 'accelerator' AND ({where}) GROUP BY ALL ORDER BY ALL",
        account(case),
    )
    return [tuple(row.values()) for row in rows]


def test_a_missing_day_is_untagged_not_idle_and_not_settled(marts: Marts) -> None:
    where = "workload IS DISTINCT FROM 'other' AND day(date) IN (3, 4, 10)"
    assert spent(marts, "main", "date, attribution, settled", where) == [
        (date(2025, 9, 3), "direct", True, 480),
        (date(2025, 9, 4), "untagged", False, 480),
        (date(2025, 9, 10), "untagged", False, 480),
    ]


def test_the_workload_waits_for_it_and_others_do_not(marts: Marts) -> None:
    found = marts.rows(
        "SELECT workload, list(date ORDER BY date) AS days FROM calendar "
        "WHERE NOT settled AND date <= '2025-09-10' AND workload IN ('main', 'other') GROUP BY ALL"
    )
    assert [(row["workload"], row["days"]) for row in found] == [
        ("main", [date(2025, 9, 4), date(2025, 9, 10)])
    ]
    (run,) = marts.rows("SELECT cost, unsettled FROM runs WHERE run = 't main'")
    assert run == {"cost": Decimal(8 * 480), "unsettled": 0}


def test_a_period_with_a_day_that_is_not_settled_is_not_settled(marts: Marts) -> None:
    found = marts.rows(
        "SELECT workload, period, settled FROM cost_per_epoch "
        "WHERE period_start = '2025-09-01' AND workload IN ('main', 'other') ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("main", "month", False), ("main", "week", False),
        ("other", "month", True), ("other", "week", True),
    ]  # fmt: skip


def test_allocations_of_all_its_days_together_are_what_ties_a_run_to_its_machines(
    marts: Marts,
) -> None:
    """Each day alone is an eighth of its hours."""
    found = marts.rows(
        "SELECT run, identified_by FROM runs WHERE run IN ('o', 't main') ORDER BY run"
    )
    assert [tuple(row.values()) for row in found] == [("o", "tag"), ("t main", "allocation")]


def test_coverage_counts_the_days_without_allocations(marts: Marts) -> None:
    found = marts.row(
        "SELECT days, undelivered_days, coverage FROM allocation_coverage WHERE cluster = 'main'"
    )
    assert found == {"days": 10, "undelivered_days": 2, "coverage": Decimal("0.8")}


def test_a_statement_settles_a_day_that_a_source_saw_in_part_only(marts: Marts) -> None:
    late = "SELECT undelivered_days AS late FROM allocation_coverage WHERE cluster = ?"
    assert marts.rows(late, "partly") == [{"late": 1}]
    assert marts.rows(late, "stated") == [{"late": 0}]


def test_where_no_scheduler_told_a_machines_own_tag_counts(marts: Marts) -> None:
    """Of the eighth, and before the fifth, no scheduler told."""
    columns = "day(date) AS day, workload, attribution, settled"
    assert spent(marts, "own", columns, "day(date) IN (1, 4, 5, 8)") == [
        (1, "tag of own", "overhead", True, 480),
        (4, "tag of own", "overhead", True, 480),
        (5, "own", "direct", True, 480),
        (8, "tag of own", "overhead", False, 480),
    ]
    holes = marts.rows(
        "SELECT day(date) AS day FROM calendar WHERE NOT settled AND date <= '2025-09-10' "
        "AND workload = 'tag of own'"
    )
    assert holes == [{"day": 8}]
    pool = marts.row("SELECT idle_cost, undelivered_cost, owners FROM pools WHERE cluster = 'own'")
    assert pool == {"idle_cost": 0, "undelivered_cost": 5 * 480, "owners": {"own": 5 * 480}}


def test_who_held_machines_later_keeps_what_its_own_tag_said_before(marts: Marts) -> None:
    """The days before the first delivery are settled for the workload that the machine names."""
    waits = "NOT settled AND date <= '2025-09-10' AND workload = 'later'"
    assert marts.rows(f"FROM calendar WHERE {waits}") == []
    assert spent(marts, "later", "settled") == [(True, 200)]


@pytest.mark.parametrize("pair", ["first", "second"])
def test_a_machine_that_nobody_held_waits_for_its_own_account(marts: Marts, pair: str) -> None:
    columns, second = "workload, attribution, settled", "date = '2025-09-02'"
    found = [spent(marts, f"{pair} {case}", columns, second) for case in ("silent", "told")]
    assert found == [
        [(f"tag of {pair} silent", "overhead", False, 60)],
        [(None, "cluster_idle", True, 60)],
    ]
    idle = marts.row(
        "SELECT sum(idle_cost) AS idle, sum(undelivered_cost) AS late FROM pools WHERE cluster = ?",
        f"twin {pair}",
    )
    assert idle == {"idle": 60, "late": 60}


def test_days_without_a_pod_of_a_cluster_that_pods_told_of_are_unknown_not_idle(
    marts: Marts,
) -> None:
    assert spent(marts, "podded", "day(date) AS day, attribution, settled") == [
        (1, "cluster_idle", True, 10),
        (1, "direct", True, 10),
        (2, "untagged", False, 20),
    ]


def test_a_correction_on_a_day_without_allocations_does_not_unsettle_it(marts: Marts) -> None:
    """By hand: $480 each, less half of the $48 that came back of the two days together."""
    found = marts.rows("SELECT run, cost, unsettled FROM runs WHERE workload = 'back' ORDER BY run")
    assert [tuple(row.values()) for row in found] == [("g", 456, 0), ("t back", 456, 0)]


def test_a_correction_beside_hours_without_allocations_waits_with_them(marts: Marts) -> None:
    """By hand: $480 of hours on the 23rd, less the $48 that a later bill takes back of them."""
    third = "date = '2025-09-23'"
    assert spent(marts, "beside", "run, settled", third) == [
        ("t beside", False, 216),
        (None, False, 216),
    ]
    waits = marts.rows(f"SELECT waits_for, cost FROM unsettled_spend WHERE {third}")
    assert [tuple(row.values()) for row in waits] == [("allocations", 432)]
