"""A warehouse with allocations follows a change of tags and rules: nobody has to delete it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

HPC = {"parallelcluster:cluster-name": "hpc", "team": "red"}
ARN = "arn:aws:sagemaker:us-east-1:999900000002:training-job/j1"
JOB = held("2025-10-03T10:00:00", "2025-10-03T10:30:00", accelerators=16, run="r", job=1)
LABELS = {"labels": '{"account": "nlp"}'}
MACHINE, SAGEMAKER = "account = '999900000001'", "account = '999900000002'"
RULE = {"match": {"label.account": "nlp"}, "workload": "atlas-7b"}


def one_machine(folder: Path, **labels: str) -> World:
    """An hour of a machine, half of which run r of atlas-7b held."""
    world = World(folder)
    world.hours("2025-10-03T10:00:00", 1, "trn1.32xlarge", 16, HPC, ResourceId="i-1")
    deliver(world.pulled().data, [JOB | {"workload": "atlas-7b"} | labels])
    return world


def test_other_extra_tags_need_no_new_warehouse(tmp_path: Path) -> None:
    """One less, one more, and another instead."""
    world = one_machine(tmp_path, labels='{"team": "blue"}')
    for extra in (("team",), (), ("user:team",), ("cost-center",)):
        names = ", ".join(["run", *(f'"tag_{key}"' for key in extra)])
        marts = some_marts(world.settings(tags={"extra": extra}), "spend_daily")
        known = {f"tag_{key}": "blue" if "team" in key else None for key in extra}
        found = marts.rows(f"SELECT {names} FROM spend_daily WHERE run = 'r'")
        assert found == [{"run": "r", **known}]


@pytest.fixture(scope="module")
def long_jobs(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Three days of a machine and of a SageMaker job, each held by one job with a label.

    The charges of the third day of SageMaker's are those of machines that are kept warm.
    """
    world = World(tmp_path_factory.mktemp("long"))
    for day in (3, 4, 5):
        at = f"2025-10-0{day}T10:00:00"
        world.hours(at, 1, "trn1.32xlarge", 16, HPC, ResourceId="i-1")
        world.hours(at, 1, "trn1.32xlarge", 16, {}, ResourceId=ARN, SubAccountId="999900000002")
    job = held("2025-10-03T01:00:00", "2025-10-05T20:00:00", accelerators=16, job=1)
    on = {"cluster": "sagemaker", "share": 1, "job": ARN, "resource": ARN}
    kept_warm = held("2025-10-03T01:00:00", "2025-10-04T20:00:00", **on)
    queued = {"queued_at": "2025-10-03T00:00:00Z"}
    deliver(world.pulled().data, [job | LABELS | queued, kept_warm | LABELS])
    return world


def ruled(world: World, *rules: dict[str, Any]) -> SomeMarts:
    """The company by other rules, in the same warehouse."""
    settings = world.settings(tag_rules=[RULE | rule for rule in rules])
    return some_marts(settings, "spend_daily", "run_jobs")


@pytest.fixture(scope="module")
def one_day(long_jobs: World) -> SomeMarts:
    """By a rule of the second day alone."""
    return ruled(long_jobs, {"run": "ruled", "from": "2025-10-04", "until": "2025-10-04"})


@pytest.fixture(scope="module")
def two_runs(long_jobs: World, one_day: SomeMarts) -> SomeMarts:
    """By a rule of the first two days, then by another for whatever it leaves."""
    return ruled(long_jobs, {"run": "r1", "until": "2025-10-04"}, {"run": "r2"})


def runs(marts: SomeMarts, where: str) -> list[tuple[int, str | None]]:
    """Of each day."""
    rows = marts.rows(f"SELECT date, run FROM spend_daily WHERE {where} ORDER BY date")
    return [(row["date"].day, row["run"]) for row in rows]


def test_a_rule_holds_for_the_days_of_a_job_that_it_names(
    one_day: SomeMarts, two_runs: SomeMarts
) -> None:
    """Not for all of a job that began while it held, nor for none of one that began before."""
    assert runs(one_day, MACHINE) == [(3, None), (4, "ruled"), (5, None)]
    assert runs(two_runs, MACHINE) == [(3, "r1"), (4, "r1"), (5, "r2")]


def test_runs_that_a_rule_makes_of_one_job_wait_once_and_all_but_the_last_have_ended(
    two_runs: SomeMarts,
) -> None:
    query = "SELECT run, wait_hours, ended FROM run_jobs WHERE job = '1' ORDER BY run"
    found = [tuple(row.values()) for row in two_runs.rows(query)]
    ends = tuple(map(datetime.fromisoformat, ("2025-10-05", "2025-10-05T20:00")))
    assert found == [("r1", 1, ends[0]), ("r2", 0, ends[1])]


def test_a_rule_of_a_sagemaker_job_holds_as_on_its_first_day(
    one_day: SomeMarts, two_runs: SomeMarts
) -> None:
    """All of its charges are its own, also of the hour in which its machines are kept warm."""
    assert runs(one_day, SAGEMAKER) == [(3, None), (4, None), (5, None)]
    assert runs(two_runs, SAGEMAKER) == [(3, "r1"), (4, "r1"), (5, "r1")]


def test_a_rule_that_gives_all_machines_to_a_run_counts_them_once(tmp_path: Path) -> None:
    """The bill has no line but theirs: what was divided before has to go."""
    world = one_machine(tmp_path)
    rule = {"match": {"team": "red"}, "workload": "atlas-7b", "run": "all"}
    costs = []
    for rules in ([], [rule], []):
        marts = some_marts(world.settings(tag_rules=rules), "spend_daily")
        query = "SELECT run, sum(effective_cost) AS cost FROM spend_daily GROUP BY run ORDER BY run"
        costs.append({row["run"]: row["cost"] for row in marts.rows(query)})
    assert costs == [{"r": 12, None: 4}, {"all": 16}, {"r": 12, None: 4}]
