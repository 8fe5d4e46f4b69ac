"""A node of a cluster in 48 hours: who held it, how long jobs waited, how runs are identified."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.shared_node import shared_node
from tests.support.some_marts import some_marts
from tests.support.world import Marts

D = Decimal
ASKED = ("runs", "pool_use", "run_jobs", "pools", "allocation_coverage")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    return some_marts(shared_node(tmp_path_factory.mktemp("node")), *ASKED)


def test_a_day_of_a_pool_is_what_jobs_held_and_what_stood_idle(marts: Marts) -> None:
    found = marts.rows(
        "SELECT date::VARCHAR AS date, holding, run, accelerator_hours, cost, settled, by_day "
        "FROM pool_use ORDER BY date, holding"
    )
    assert [tuple(row.values()) for row in found] == [
        ("2025-09-01", "held", "a1", D(192), D(192), True, False),
        ("2025-09-01", "idle", None, D(192), D(192), True, False),
        ("2025-09-02", "drained", None, D(96), D(96), True, False),
        ("2025-09-02", "idle", None, D(192), D(192), True, False),
        ("2025-09-02", "unknown", None, D(96), D(96), True, False),
    ]


def test_the_days_add_up_to_the_months_of_the_pool(marts: Marts) -> None:
    sums = """SELECT sum(accelerator_hours) AS hours, sum(cost) AS cost,
        sum(cost) FILTER (holding NOT IN ('held', 'unknown')) AS idle FROM pool_use"""
    months = """SELECT sum(accelerator_hours) AS hours, sum(cost) AS cost, sum(idle_cost) AS idle
        FROM pools"""
    assert marts.row(sums) == marts.row(months) == {"hours": 768, "cost": 768, "idle": 480}


def test_a_job_waited_from_its_submission_to_its_start(marts: Marts) -> None:
    found = marts.rows("SELECT job, run, hardware, wait_hours FROM run_jobs ORDER BY job")
    assert [tuple(row.values()) for row in found] == [
        ("1", "a1", "trainium", None),
        ("2", "a1", "trainium", D(3)),
    ]


def test_a_run_says_what_ties_it_to_its_machines(marts: Marts) -> None:
    rows = marts.rows("SELECT run, identified_by FROM runs")
    assert {row["run"]: row["identified_by"] for row in rows} == {
        "a1": "allocation",
        "t1": "tag",
        "r1": "rule",
        "unbilled": None,
    }
