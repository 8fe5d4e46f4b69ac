"""A warehouse with allocations follows a change of tags and rules: nobody has to delete it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from models.engine import build
from tests.support.delivered_allocations import deliver, held
from tests.support.world import Marts, World, one_core


@pytest.mark.parametrize(
    ("before", "after"), [((), ("team",)), (("team",), ()), (("team",), ("cost-center",))]
)
def test_another_extra_tag_needs_no_new_warehouse(
    tmp_path: Path, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    world = World(tmp_path)
    tags = {"parallelcluster:cluster-name": "hpc", "team": "red"}
    world.hours("2025-10-03T10:00:00", 1, "trn1.32xlarge", 16, tags, ResourceId="i-1")
    job = held("2025-10-03T10:00:00", "2025-10-03T10:30:00", accelerators=16, run="r", job=1)
    labelled = job | {"workload": "atlas-7b", "labels": '{"team": "blue"}'}
    deliver(world.pulled(tags={"extra": before}).data, [labelled])
    for extra in (before, after):
        settings = world.settings(tags={"extra": extra})
        with one_core():
            build.build(settings)
        names = ", ".join(["run", *(f'"tag_{key}"' for key in extra)])
        found = Marts(settings).rows(f"SELECT {names} FROM spend_daily WHERE run = 'r'")
        known = {f"tag_{key}": "blue" if key == "team" else None for key in extra}
        assert found == [{"run": "r", **known}]


def test_a_rule_holds_for_the_days_of_a_job_that_it_names(tmp_path: Path) -> None:
    """Not for all of a job that began while it held, nor for none of one that began before."""
    world = World(tmp_path)
    for day in (3, 4, 5):
        at, tags = f"2025-10-0{day}T10:00:00", {"parallelcluster:cluster-name": "hpc"}
        world.hours(at, 1, "trn1.32xlarge", 16, tags, ResourceId="i-1")
    job = held("2025-10-03T00:00:00", "2025-10-06T00:00:00", accelerators=16, job=1)
    rule = {"match": {"label.account": "nlp"}, "workload": "atlas-7b", "run": "ruled"}
    dated = rule | {"from": "2025-10-04", "until": "2025-10-04"}
    deliver(world.pulled().data, [job | {"labels": '{"account": "nlp"}'}])
    settings = world.settings(tag_rules=[dated])
    with one_core():
        build.build(settings)
    found = Marts(settings).rows("SELECT date, run FROM spend_daily ORDER BY date")
    assert [(row["date"].day, row["run"]) for row in found] == [(3, None), (4, "ruled"), (5, None)]


def test_runs_that_a_rule_makes_of_one_job_wait_once_and_all_but_the_last_have_ended(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    for day in (3, 4, 5):
        at, tags = f"2025-10-0{day}T10:00:00", {"parallelcluster:cluster-name": "hpc"}
        world.hours(at, 1, "trn1.32xlarge", 16, tags, ResourceId="i-1")
    job = held("2025-10-03T01:00:00", "2025-10-05T20:00:00", accelerators=16, job=1)
    told = job | {"labels": '{"account": "nlp"}', "queued_at": "2025-10-03T00:00:00Z"}
    rule = {"match": {"label.account": "nlp"}, "workload": "atlas-7b"}
    rules = [rule | {"run": "r1", "until": "2025-10-04"}, rule | {"run": "r2"}]
    deliver(world.pulled().data, [told])
    settings = world.settings(tag_rules=rules)
    with one_core():
        build.build(settings)
    query = "SELECT run, wait_hours, ended FROM run_jobs ORDER BY run"
    found = [tuple(row.values()) for row in Marts(settings).rows(query)]
    ends = tuple(map(datetime.fromisoformat, ("2025-10-05", "2025-10-05T20:00")))
    assert found == [("r1", 1, ends[0]), ("r2", 0, ends[1])]


def test_a_rule_of_a_sagemaker_job_holds_as_on_its_first_day(tmp_path: Path) -> None:
    """All of its charges are its own, also of the hour in which its machines are kept warm."""
    world = World(tmp_path)
    arn = "arn:aws:sagemaker:us-east-1:999900000001:training-job/j1"
    for day in (3, 4, 5):
        world.hours(f"2025-10-0{day}T10:00:00", 1, "trn1.32xlarge", 16, {}, ResourceId=arn)
    job = held("2025-10-03T01:00:00", "2025-10-04T20:00:00", share=1, job=arn, resource=arn)
    rule = {"match": {"label.account": "nlp"}, "workload": "atlas-7b", "run": "ruled"}
    deliver(world.pulled().data, [job | {"labels": '{"account": "nlp"}'}])
    for dated, run in (({"until": "2025-10-03"}, "ruled"), ({"from": "2025-10-04"}, None)):
        settings = world.settings(tag_rules=[rule | dated])
        with one_core():
            build.build(settings)
        rows = Marts(settings).rows("SELECT DISTINCT run FROM spend_daily")
        assert [row["run"] for row in rows] == [run]


def test_a_rule_that_gives_all_machines_to_a_run_counts_them_once(tmp_path: Path) -> None:
    """The bill has no line but theirs: what was divided before has to go."""
    world = World(tmp_path)
    tags = {"parallelcluster:cluster-name": "hpc", "team": "red"}
    world.hours("2025-10-03T10:00:00", 1, "trn1.32xlarge", 16, tags, ResourceId="i-1")
    job = held("2025-10-03T10:00:00", "2025-10-03T10:30:00", accelerators=16, run="r", job=1)
    deliver(world.pulled().data, [job | {"workload": "atlas-7b"}])
    rule = {"match": {"team": "red"}, "workload": "atlas-7b", "run": "all"}
    costs = []
    for rules in ([], [rule], []):
        settings = world.settings(tag_rules=rules)
        with one_core():
            build.build(settings)
        query = "SELECT run, sum(effective_cost) AS cost FROM spend_daily GROUP BY run ORDER BY run"
        costs.append({row["run"]: row["cost"] for row in Marts(settings).rows(query)})
    assert costs == [{"r": 12, None: 4}, {"all": 16}, {"r": 12, None: 4}]
