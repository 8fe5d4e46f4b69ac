"""METHOD §1.1, §2.10: which dollars wait, of which days, and for what."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.missing_days import TRN1, UNSETTLED, pulled
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
