"""A scheduler tells of a closed month too late: the month stays, and the open one adjusts it.

A node at $20 an hour from 2 to 11 June. `t1` of atlas-7b holds it for five days, `b1` of beta for
one; of the other four nobody told anything, until it turns out that `t1` held 9 June, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.closing import closing, draft, verification
from models.config.settings import Settings
from models.records.closes import Close, Closes
from tests.support.closing.derived_once import derived_once
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import World, one_core

D = Decimal
FIRST, NODE_DAYS = datetime(2025, 6, 2), 10  # noqa: DTZ001 - UTC
DAY = timedelta(days=1)
LATE = "2025-06-09"


def company(folder: Path) -> World:
    """Two GPU runs in May, a shared Trainium node in June, and a sample of 20 epochs of `t1`."""
    world = World(folder)
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
    for number in range(NODE_DAYS * 24):
        hour = (FIRST + timedelta(hours=number)).isoformat()
        world.hours(hour, 1, "trn1.32xlarge", 20, {}, ResourceId="i-1")
    world.sample("2025-06-02T00:00:00", "t1", 0, loss=1.5)
    world.sample("2025-06-06T23:00:00", "t1", 20, loss=1.5)
    world.charge("2025-10-30T00:00:00", "1.00")
    return world


def jobs(*days: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Whole days of the node: workload, run, day."""
    return [
        held(f"{day}T00:00:00", (datetime.fromisoformat(day) + DAY).isoformat(), accelerators=16,
             workload=workload, run=run, job=run)
        for workload, run, day in days
    ]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def drafts() -> Iterator[None]:
    with derived_once():
        yield


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """June is closed, then 9 June is delivered again, beside an idle day of July."""
    settings = company(tmp_path_factory.mktemp("late")).pulled()
    told = jobs(*(("atlas-7b", "t1", f"2025-06-0{day}") for day in range(2, 7)))
    told += jobs(("beta", "b1", "2025-06-07"))
    idle = [("hpc", f"2025-06-{day:02}") for day in range(8, 12)]
    deliver(settings.data, told, empty=idle)
    with one_core():
        closing.close(settings, "2025-06", by="C")
    deliver(settings.data, jobs(("atlas-7b", "t1", LATE)), empty=[("hpc", "2025-07-05")])
    return settings


@pytest.fixture(scope="module")
def july(settings: Settings) -> Close:
    return draft.draft(settings, "2025-07").close


def adjusted(close: Close) -> dict[tuple[str, str], tuple[Decimal, Decimal]]:
    """By whom (of an account: on which basis) and measure: what was closed, and what is now."""
    rows = close.statement.tables["adjustments"]
    assert all(row["amount"] == row["now"] - row["closed"] for row in rows)
    return {(r["workload"] or r["basis"], r["measure"]): (r["closed"], r["now"]) for r in rows}


def test_the_tie_out_moves_what_the_late_job_held_from_nobody_to_its_run(july: Close) -> None:
    """By hand: a day of $480, and $5 of the quarter of an hour after it, as after `b1`."""
    found = adjusted(july)
    for basis in ("billed", "effective"):
        assert found[basis, "direct"] == (2400 + 485, 2400 + 485 + 485)
        assert found[basis, "cluster_idle"] == (4 * 480 - 5, 4 * 480 - 5 - 485)
        assert (basis, "bill_total") not in found


def test_the_savings_of_both_workloads_follow_by_the_hours_that_they_held(july: Close) -> None:
    """By hand: the idle dollars fall on 120 of 144.25 hours, later on 144.25 of 168.5."""
    found = adjusted(july)
    assert found["atlas-7b", "trn_cost"] == (2400, 2885)
    assert found["atlas-7b", "gross_saving"] == (D("1117.50"), D("632.50"))
    assert found["atlas-7b", "overhead"] == (BEFORE, AFTER)
    assert found["beta", "overhead"] == (1915 - BEFORE, 1430 - AFTER)
    assert found["atlas-7b", "net_saving"] == (D("1117.50") - BEFORE, D("632.50") - AFTER)


def part(days: tuple[int, ...], hours: str, of: str) -> Decimal:
    """What a part of the hours bears of idle days, each rounded by itself."""
    return sum(((dollars * D(hours) / D(of)).quantize(D("1e-9")) for dollars in days), D(0))


BEFORE = part((475, 480, 480, 480), "120", "144.25")
AFTER = part((475, 475, 480), "144.25", "168.5")


def test_every_adjustment_says_that_the_scheduler_told_later_and_of_which_day(july: Close) -> None:
    causes = {row["cause"] for row in july.statement.tables["adjustments"]}
    assert causes == {f"slurm told later who held machines of hpc on {LATE}"}


def test_the_closed_month_is_published_as_it_was_closed_and_verifies(
    settings: Settings, july: Close
) -> None:
    (close,) = Closes(settings.data).newest_versions()
    rows = some_marts(settings, "monthly_summary").rows(
        "SELECT month, net_saving, adjustments FROM monthly_summary "
        "WHERE workload = 'atlas-7b' AND month IN ('2025-06', '2025-07') ORDER BY month"
    )
    moved = july.statement.row("atlas-7b")["adjustments"]
    assert [tuple(row.values()) for row in rows] == [
        ("2025-06", close.statement.row("atlas-7b")["net_saving"], 0),
        ("2025-07", 0, moved),
    ]
    assert moved == D("632.50") - AFTER - rows[0]["net_saving"]
    with one_core():
        assert verification.verify(settings, "2025-06").computed_again


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Machines of `hpc` at the end of June, and of `lab`, of which nobody told on 9 June."""
    world = World(tmp_path_factory.mktemp("around"))
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 24, 25, 10)
    for machine, cluster, hour in (
        ("i-1", "hpc", "06-30T21"), ("i-2", "hpc", "06-30T23"), ("i-2", "hpc", "07-01T00"),
        ("i-3", "lab", "06-08T10"), ("i-3", "lab", "06-09T10"), ("i-3", "lab", "06-10T10"),
    ):  # fmt: skip
        tags = {"parallelcluster:cluster-name": cluster}
        world.hours(f"2025-{hour}:00:00", 1, "trn1.32xlarge", 20, tags, ResourceId=machine)
    world.charge("2025-10-30T00:00:00", "1.00")
    settings = world.pulled()
    lab = {"cluster": "lab", "resource": "i-3", **OF_BETA}
    told = [
        held("2025-06-30T21:00:00", "2025-06-30T22:00:00", **OF_BETA),
        held("2025-06-08T10:00:00", "2025-06-08T11:00:00", **lab),
    ]
    deliver(settings.data, told, empty=[("lab", "2025-06-10")])
    return settings


OF_BETA = {"accelerators": 16, "workload": "beta", "run": "b1"}


def test_a_day_of_which_nobody_told_who_held_machines_is_named_where_the_month_is_closed(
    around: Settings,
) -> None:
    """9 June is before the last settled day, and settled for nobody."""
    found = draft.draft(around, "2025-06").conditions[1]
    assert (found.name, found.met) == ("settled", True)
    assert found.text == (
        f"every day through 2025-06-30, but no allocations were delivered of lab on {LATE}: "
        "what machines cost then is in no saving"
    )


def test_a_job_that_starts_just_after_a_closed_month_is_named_with_its_day(
    around: Settings,
) -> None:
    """It starts at 00:05, so that ten minutes of 30 June at $20 an hour are its, too."""
    with one_core():
        closing.close(around, "2025-06", by="C")
    late = held("2025-07-01T00:05:00", "2025-07-01T01:00:00", resource="i-2", **OF_BETA)
    deliver(around.data, [late])
    rows = draft.draft(around, "2025-07").close.statement.tables["adjustments"]
    moved = {row["measure"]: row["amount"] for row in rows if row["basis"] == "billed"}
    assert moved == {"direct": D("3.333333333"), "cluster_idle": D("-3.333333333")}
    assert {row["cause"] for row in rows} == {
        "slurm told later who held machines of hpc on 2025-07-01"
    }


def test_a_last_day_of_which_nobody_ever_tells_holds_up_no_close(tmp_path: Path) -> None:
    """As no other day without allocations does: who held the node on 30 June is lost."""
    world = World(tmp_path)
    for number in range(4 * 24):
        hour = (datetime(2025, 6, 28) + timedelta(hours=number)).isoformat()  # noqa: DTZ001 - UTC
        world.hours(hour, 1, "trn1.32xlarge", 20, {}, ResourceId="i-1")
    world.sample("2025-06-28T00:00:00", "t1", 0, loss=1.5)
    world.charge("2025-10-30T00:00:00", "1.00")
    settings = world.pulled()
    told = jobs(("atlas-7b", "t1", "2025-06-28"), ("atlas-7b", "t1", "2025-06-29"))
    deliver(settings.data, told, empty=[("hpc", "2025-07-01")])
    found = draft.draft(settings, "2025-06").conditions[1]
    assert (found.met, found.text) == (
        True,
        "every day through 2025-06-30, but no allocations were delivered of hpc on 2025-06-30: "
        "what machines cost then is in no saving",
    )
