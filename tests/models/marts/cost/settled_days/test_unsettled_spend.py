"""METHOD §1.1, §2.10: which dollars wait, of which days, and for what."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.missing_days import FIRST, LAST, TRN1, UNSETTLED, company, pulled
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

ROWS = "SELECT date, waits_for, cost FROM unsettled_spend ORDER BY ALL"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    settings = pulled(tmp_path_factory.mktemp("missing"))
    return some_marts(settings, "unsettled_spend", "spend_daily", "pool_use")


def test_a_day_waits_for_its_allocations_or_for_its_bill(marts: Marts) -> None:
    assert [tuple(row.values()) for row in marts.rows(ROWS)] == UNSETTLED


def test_what_waits_is_what_is_not_settled_of_the_bill(marts: Marts) -> None:
    """A machine waits whoever its tag names: of i-2 that is workload `own`."""
    found = marts.rows(
        "SELECT date, attribution, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE NOT settled GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (date(2025, 9, 4), "overhead", 20),
        (date(2025, 9, 4), "untagged", 480),
        (date(2025, 9, 8), "overhead", 20),
        (date(2025, 10, 30), "direct", 20),
    ]


def test_each_pool_waits_for_its_own_days(marts: Marts) -> None:
    found = marts.rows(
        "SELECT cluster, day(date) AS day, sum(cost) AS cost FROM pool_use WHERE awaited "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("hpc", 4, 480), ("lab", 4, 20), ("lab", 8, 20),
    ]  # fmt: skip


def test_before_the_first_delivery_a_tag_tells_and_where_none_does_the_day_waits(
    tmp_path: Path,
) -> None:
    """Two machines for four days; only i-1 bears a workload's tag; the job began on the third.

    The last day's bill is not complete: it waits for that first.
    """
    world, cluster = World(tmp_path), {"parallelcluster:cluster-name": "hpc"}
    for day in (1, 2, 3, 30):
        for machine, tags in (("i-1", {"workload": "own"}), ("i-2", {})):
            month = 10 if day == 30 else 9
            start = f"2025-{month:02}-{day:02}T10:00:00"
            world.hours(start, 1, TRN1, 20, cluster | tags, ResourceId=machine)
    settings = world.pulled()
    job = held("2025-09-03T00:00:00", "2025-09-04T00:00:00", accelerators=16, run="t", job="j")
    deliver(settings.data, [job | {"workload": "atlas-7b"}])
    found = some_marts(settings, "unsettled_spend").rows(ROWS)
    assert [tuple(row.values()) for row in found] == [
        (date(2025, 9, 1), "allocations", 20),
        (date(2025, 9, 2), "allocations", 20),
        (date(2025, 10, 30), "bill", 40),
    ]


def test_what_else_is_known_of_a_workload_waits_with_its_day(tmp_path: Path) -> None:
    """By hand: atlas-7b shares i-1 and i-2, so neither the 4th nor the 8th is settled for it.

    Run `o` cost $20 on a machine of its own on the 4th, job `t` held i-1 for $480 on the 8th.
    """
    world, job = company(tmp_path), {"accelerators": 16, "workload": "atlas-7b"}
    own = {"workload": "atlas-7b", "run": "o"}
    world.hours("2025-09-04T00:00:00", 1, TRN1, 20, own, ResourceId="i-9")
    settings = world.pulled(clusters={"gap_minutes": 0})
    deliver(settings.data, [held(FIRST, LAST, run="t", job="t", **job)], missing=("2025-09-04",))
    lab = held(FIRST, LAST, cluster="lab", resource="i-2", run="l", job="l", **job)
    deliver(settings.data, [lab], missing=("2025-09-04", "2025-09-08"))
    made = some_marts(settings, "unsettled_spend", "runs")
    waits = [(date(2025, 9, 4), "workload_day", 20), (date(2025, 9, 8), "workload_day", 480)]
    assert [tuple(row.values()) for row in made.rows(ROWS)] == sorted([*UNSETTLED[:2], *waits,
        UNSETTLED[-1]])  # fmt: skip
    runs = made.rows("SELECT run, unsettled FROM runs WHERE unsettled > 0 ORDER BY run")
    assert [tuple(row.values()) for row in runs] == [("late", 20), ("o", 20), ("t", 480)]


def test_charges_of_a_workload_wait_for_the_bill_of_its_other_account(tmp_path: Path) -> None:
    """Account 2 delivered nothing after 1 September, so the workload's day in October waits."""
    world, tags, other = World(tmp_path), {"workload": "w", "run": "r"}, "999900000002"
    account = {"BillingAccountId": other, "SubAccountId": other}
    world.hours("2025-09-01T00:00:00", 1, TRN1, 20, tags, **account)
    world.hours("2025-10-01T00:00:00", 1, TRN1, 30, tags)
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    found = some_marts(world.pulled(), "unsettled_spend").rows(ROWS)
    assert [tuple(row.values()) for row in found] == [(date(2025, 10, 1), "bill", 30)]
