"""METHOD §1.1, §2.10: a day whose allocations are missing is not settled for who holds machines."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

ASKED = ("spend_daily", "runs", "calendar", "allocation_coverage", "tie_out", "cost_per_epoch")
START = datetime(2025, 9, 1)  # noqa: DTZ001 - UTC
DAYS = 10


def company(folder: Path) -> World:
    """A node for ten days, beside a run of another workload with a tag of its own."""
    world = World(folder)
    for number in range(DAYS * 24):
        hour = (START + timedelta(hours=number)).isoformat()
        world.hours(hour, 1, "trn1.32xlarge", 20, {}, ResourceId="i-1")
    world.hours("2025-09-05T00:00:00", 1, "trn1.32xlarge", 20, {"workload": "other", "run": "o"})
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    return world


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """One job holds the node all the time; of two days nothing is delivered."""
    settings = company(tmp_path_factory.mktemp("late")).pulled()
    until = START + timedelta(days=DAYS)
    job = held(START.isoformat(), until.isoformat(), accelerators=16, run="t", job="j")
    gone = ("2025-09-04", "2025-09-10")
    deliver(settings.data, [job | {"workload": "atlas-7b"}], missing=gone)
    return some_marts(settings, *ASKED)


def test_a_missing_day_is_untagged_not_idle_and_not_settled(marts: Marts) -> None:
    found = marts.rows(
        "SELECT date, attribution, settled, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE component = 'accelerator' AND workload IS DISTINCT FROM 'other' "
        "AND date IN ('2025-09-03', '2025-09-04', '2025-09-10') GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (date(2025, 9, 3), "direct", True, 480),
        (date(2025, 9, 4), "untagged", False, 480),
        (date(2025, 9, 10), "untagged", False, 480),
    ]


def test_the_workload_waits_for_it_and_others_do_not(marts: Marts) -> None:
    found = marts.rows(
        "SELECT workload, list(date ORDER BY date) AS days FROM calendar "
        "WHERE NOT settled AND date <= '2025-09-10' GROUP BY ALL ORDER BY ALL"
    )
    assert [(row["workload"], row["days"]) for row in found] == [
        ("atlas-7b", [date(2025, 9, 4), date(2025, 9, 10)])
    ]
    (run,) = marts.rows("SELECT cost, unsettled FROM runs WHERE run = 't'")
    assert run == {"cost": Decimal(8 * 480), "unsettled": 0}


def test_a_period_with_a_day_that_is_not_settled_is_not_settled(marts: Marts) -> None:
    found = marts.rows(
        "SELECT workload, period, settled FROM cost_per_epoch "
        "WHERE period_start = '2025-09-01' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("atlas-7b", "month", False), ("atlas-7b", "week", False),
        ("other", "month", True), ("other", "week", True),
    ]  # fmt: skip


def test_allocations_of_all_its_days_together_are_what_ties_a_run_to_its_machines(
    marts: Marts,
) -> None:
    """Each day alone is an eighth of its hours."""
    found = marts.rows("SELECT run, identified_by FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in found] == [("o", "tag"), ("t", "allocation")]


def test_coverage_counts_the_days_without_allocations(marts: Marts) -> None:
    (found,) = marts.rows("SELECT days, undelivered_days, coverage FROM allocation_coverage")
    assert found == {"days": 10, "undelivered_days": 2, "coverage": Decimal("0.8")}


def test_a_statement_settles_a_day_that_a_source_saw_in_part_only(tmp_path: Path) -> None:
    settings = company(tmp_path).pulled()
    until = START + timedelta(days=DAYS)
    job = held(START.isoformat(), until.isoformat(), accelerators=16, run="t", job="j")
    job |= {"workload": "atlas-7b"}
    deliver(settings.data, [job])
    day = held("2025-09-04T00:00:00", "2025-09-05T00:00:00", accelerators=16, run="t", job="j")
    partly = day | {"workload": "atlas-7b", "observed_at": "2025-09-04T11:00:00Z"}
    deliver(settings.data, [partly])
    coverage = "SELECT undelivered_days AS late FROM allocation_coverage"
    assert some_marts(settings, "allocation_coverage").rows(coverage) == [{"late": 1}]
    stated = day | {"workload": "atlas-7b"}
    deliver(settings.data, [stated], source="mended", form="allocations")
    assert some_marts(settings, "allocation_coverage").rows(coverage) == [{"late": 0}]


def test_where_no_scheduler_told_a_machines_own_tag_counts(tmp_path: Path) -> None:
    """Job `t` holds it from the fifth on; of the eighth, and before, no scheduler told."""
    world = World(tmp_path)
    tags = {"workload": "own", "parallelcluster:cluster-name": "hpc"}
    for number in range(DAYS * 24):
        hour = (START + timedelta(hours=number)).isoformat()
        world.hours(hour, 1, "trn1.32xlarge", 20, tags, ResourceId="i-1")
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled(clusters={"gap_minutes": 0})
    job = held("2025-09-05T00:00:00", "2025-09-11T00:00:00", accelerators=16, run="t", job="j")
    deliver(settings.data, [job | {"workload": "atlas-7b"}], missing=("2025-09-08",))
    made = some_marts(settings, *ASKED, "pools")
    found = made.rows(
        "SELECT day(date) AS day, workload, attribution, settled, sum(effective_cost) AS cost "
        "FROM spend_daily WHERE component = 'accelerator' AND day(date) IN (1, 4, 5, 8) "
        "AND month(date) = 9 GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (1, "own", "overhead", True, 480),
        (4, "own", "overhead", True, 480),
        (5, "atlas-7b", "direct", True, 480),
        (8, "own", "overhead", False, 480),
    ]
    holes = made.rows(
        "SELECT workload, day(date) AS day FROM calendar WHERE NOT settled "
        "AND date <= '2025-09-10' ORDER BY ALL"
    )
    assert ("own", 8) in [tuple(row.values()) for row in holes]
    assert not any(row["workload"] == "own" and row["day"] != 8 for row in holes)
    (pool,) = made.rows("SELECT idle_cost, undelivered_cost, owners FROM pools")
    assert pool == {"idle_cost": 0, "undelivered_cost": 5 * 480, "owners": {"atlas-7b": 5 * 480}}


def test_who_held_machines_later_keeps_what_its_own_tag_said_before(tmp_path: Path) -> None:
    """The days before the first delivery are settled for the workload that the machine names."""
    world = World(tmp_path)
    tags = {"workload": "atlas-7b", "parallelcluster:cluster-name": "hpc"}
    for day in range(1, 11):
        world.hours(f"2025-09-{day:02}T10:00:00", 1, "trn1.32xlarge", 20, tags, ResourceId="i-1")
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled(clusters={"gap_minutes": 0})
    job = held("2025-09-05T00:00:00", "2025-09-11T00:00:00", accelerators=16, run="t", job="j")
    deliver(settings.data, [job | {"workload": "atlas-7b"}])
    made = some_marts(settings, "calendar", "spend_daily")
    assert made.rows("FROM calendar WHERE NOT settled AND date <= '2025-09-10'") == []
    assert made.rows("FROM spend_daily WHERE NOT settled AND date <= '2025-09-10'") == []


@pytest.mark.parametrize("silent", ["999900000001", "999900000002"])
def test_a_machine_that_nobody_held_waits_for_its_own_account(tmp_path: Path, silent: str) -> None:
    """On the second day one account tells that nothing was held, of the other nothing is told."""
    world = World(tmp_path)
    for number in (1, 2):
        account = f"99990000000{number}"
        tags = {"parallelcluster:cluster-name": "hpc", "workload": f"own{number}"}
        about = {"ResourceId": f"i-{number}", "SubAccountId": account}
        for day in (1, 2):
            hour = f"2025-09-0{day}T10:00:00"
            world.hours(hour, 1, "trn1.32xlarge", 60, tags, **about)
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled()
    pool = {"resource": None, "pool": "trn1.32xlarge", "node": "n1", "accelerators": 16}
    for account in ("999900000001", "999900000002"):
        job = held("2025-09-01T10:00:00", "2025-09-01T11:00:00", run=account, job=account, **pool)
        told = [] if account == silent else [("hpc", "2025-09-02")]
        deliver(settings.data, [job | {"workload": "w"}], place=f"{account}/", empty=told)
    made = some_marts(settings, "spend_daily", "pools", "pool_use")
    found = made.rows(
        "SELECT workload, attribution, settled, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE date = '2025-09-02' AND component = 'accelerator' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (f"own{silent[-1]}", "overhead", False, 60),
        (None, "cluster_idle", True, 60),
    ]
    (idle,) = made.rows("SELECT sum(idle_cost) AS idle, sum(undelivered_cost) AS late FROM pools")
    assert idle == {"idle": 60, "late": 60}


def test_days_without_a_pod_of_a_cluster_that_pods_told_of_are_unknown_not_idle(
    tmp_path: Path,
) -> None:
    """The export had split cost on the first day alone; no scheduler tells of the cluster."""
    world, cluster = World(tmp_path), {"aws:eks:cluster-name": "prod"}
    for day in (1, 2):
        start = f"2025-09-0{day}T10:00:00"
        world.hours(start, 1, "trn1.32xlarge", 20, cluster, ResourceId="i-1")
    for kind, hours in (("vCPU", 8), ("Neuron", 8)):
        world.charge(
            "2025-09-01T10:00:00", 0, x_UsageType=f"USE1-EKS-EC2-{kind}-Hours",
            ResourceId="arn:aws:eks:us-east-1:999900000001:pod/prod/ml/train/1",
            ConsumedQuantity=hours, x_ParentResourceId="i-1", x_SplitCost=1,
            tags={"workload": "atlas-7b", "run": "t"},
        )  # fmt: skip
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    found = some_marts(world.pulled(), *ASKED).rows(
        "SELECT date, attribution, settled, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE component = 'accelerator' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (date(2025, 9, 1), "cluster_idle", True, 10),
        (date(2025, 9, 1), "direct", True, 10),
        (date(2025, 9, 2), "untagged", False, 20),
    ]


def test_a_correction_on_a_day_without_allocations_does_not_unsettle_it(tmp_path: Path) -> None:
    """Of two days the machine bore a run's tag on the first; jobs are told from the second on.

    By hand: $480 each, less half of the $48 that came back of the two days together.
    """
    world = World(tmp_path)
    for hour in range(48):
        start = START + timedelta(hours=hour)
        tags = {"workload": "atlas-7b", "run": "g"} if hour < 24 else {}
        world.hours(start.isoformat(), 1, "trn1.32xlarge", 20, tags, ResourceId="i-1")
    world.charge(
        START.isoformat(), -48, ConsumedQuantity=0, ResourceId="i-1", ChargeClass="Correction",
        x_UsageType="BoxUsage:trn1.32xlarge", BillingPeriodStart="2025-10-01",
        ChargePeriodEnd="2025-09-03T00:00:00",
    )  # fmt: skip
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = world.pulled()
    job = held("2025-09-02T00:00:00", "2025-09-03T00:00:00", accelerators=16, run="t", job="j")
    deliver(settings.data, [job | {"workload": "atlas-7b"}])
    found = some_marts(settings, *ASKED).rows("SELECT run, cost, unsettled FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in found] == [("g", 456, 0), ("t", 456, 0)]


def test_a_correction_beside_hours_without_allocations_waits_with_them(tmp_path: Path) -> None:
    """By hand: $480 of hours on the third, less the $48 that a later bill takes back of them.

    The job was last seen at noon, so that half of both is known to be its own.
    """
    world = company(tmp_path)
    world.charge(
        "2025-09-03T00:00:00", -48, ConsumedQuantity=0, ResourceId="i-1",
        ChargeClass="Correction", x_UsageType="BoxUsage:trn1.32xlarge",
        BillingPeriodStart="2025-10-01", ChargePeriodEnd="2025-09-04T00:00:00",
    )  # fmt: skip
    settings = world.pulled()
    job = held(START.isoformat(), None, accelerators=16, run="t", job="j", workload="atlas-7b")
    deliver(settings.data, [job | {"observed_at": "2025-09-03T12:00:00Z"}])
    made = some_marts(settings, *ASKED, "unsettled_spend")
    found = made.rows(
        "SELECT run, settled, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE date = '2025-09-03' GROUP BY ALL ORDER BY run"
    )
    assert [tuple(row.values()) for row in found] == [("t", False, 216), (None, False, 216)]
    waits = made.rows("SELECT waits_for, cost FROM unsettled_spend WHERE date = '2025-09-03'")
    assert [tuple(row.values()) for row in waits] == [("allocations", 432)]
