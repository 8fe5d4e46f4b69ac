"""METHOD §1.1, §2.10: two accounts, or regions, may call clusters alike; each tells of its own."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

HERE, THERE, ELSEWHERE = "999900000001", "999900000002", "999900000003"
MACHINES = {"i-1": HERE, "i-idle": HERE, "i-2": THERE, "i-else": ELSEWHERE}
START, DAYS = datetime(2025, 9, 1), 4  # noqa: DTZ001 - UTC
LAST = "2025-09-04"
ASKED = ("spend_daily", "calendar", "allocation_coverage", "pool_idle", "cutovers")


def company(folder: Path) -> World:
    """Three accounts have a cluster hpc, of one node or two; each node runs for four days."""
    world = World(folder)
    for machine, account in MACHINES.items():
        for number in range(DAYS * 24):
            hour = (START + timedelta(hours=number)).isoformat()
            where = {"SubAccountId": account, "ResourceId": machine}
            world.hours(hour, 1, "trn1.32xlarge", 20, {"aws:eks:cluster-name": "hpc"}, **where)
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    return world


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Two accounts tell of jobs, one of them not on the last day; of the third nobody tells."""
    settings = company(tmp_path_factory.mktemp("alike")).pulled()
    until = START + timedelta(days=DAYS)
    for account, machine, gone in ((HERE, "i-1", ()), (THERE, "i-2", (LAST,))):
        workload = f"of-{account}"
        known = {"accelerators": 16, "run": machine, "job": machine, "workload": workload}
        job = held(START.isoformat(), until.isoformat(), resource=machine, **known)
        deliver(settings.data, [job], place=f"{account}/", missing=gone)
    return some_marts(settings, *ASKED)


def test_a_day_of_one_is_not_settled_by_the_other(marts: Marts) -> None:
    found = marts.rows(
        "SELECT account, attribution, settled, sum(effective_cost) AS cost FROM spend_daily "
        f"WHERE component = 'accelerator' AND date = '{LAST}' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (HERE, "cluster_idle", True, 480),
        (HERE, "direct", True, 480),
        (THERE, "untagged", False, 480),
        (ELSEWHERE, "untagged", True, 480),
    ]


def test_who_held_machines_of_one_does_not_wait_for_the_other(marts: Marts) -> None:
    found = marts.rows("SELECT workload, date FROM calendar WHERE NOT settled AND date <= ?", LAST)
    assert found == [{"workload": f"of-{THERE}", "date": date.fromisoformat(LAST)}]


def test_idle_of_one_is_borne_by_those_who_held_it(marts: Marts) -> None:
    found = marts.rows("SELECT workload, sum(amount) AS idle FROM pool_idle GROUP BY ALL")
    assert found == [{"workload": f"of-{HERE}", "idle": DAYS * 480}]


def test_machines_of_an_account_that_tells_of_none_are_of_no_pool(marts: Marts) -> None:
    (found,) = marts.rows("SELECT accelerator_hours, idle_hours FROM allocation_coverage")
    assert found == {"accelerator_hours": 3 * DAYS * 24 * 16, "idle_hours": DAYS * 24 * 16}


def test_a_day_of_one_region_is_not_settled_by_the_other(tmp_path: Path) -> None:
    world, regions = World(tmp_path), ("us-east-1", "us-west-2")
    for region in regions:
        for number in range(DAYS):
            day = (START + timedelta(days=number)).isoformat()
            where = {"RegionId": region, "SubAccountId": HERE, "ResourceId": f"i-{region}"}
            world.hours(day, 1, "trn1.32xlarge", 20, {}, **where)
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled()
    for region in regions:
        job = held(START.isoformat(), f"{LAST}T01:00:00", resource=f"i-{region}", region=region)
        gone = (LAST,) if region == "us-west-2" else ()
        deliver(settings.data, [job], place=f"{HERE}-{region}/", missing=gone)
    found = some_marts(settings, "spend_daily").rows(
        "SELECT region, list(date ORDER BY date) AS days FROM spend_daily "
        "WHERE component = 'accelerator' AND NOT settled GROUP BY ALL"
    )
    assert found == [{"region": "us-west-2", "days": [date.fromisoformat(LAST)]}]
