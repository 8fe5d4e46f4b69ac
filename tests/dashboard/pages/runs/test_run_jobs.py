"""What the panel of a run says of what identifies it, its wait and its jobs."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.pages.clusters.queries import name_of
from dashboard.pages.runs import queries, sections
from dashboard.pages.runs.run_jobs import SHOWN, identified, jobs_section, waited
from dashboard.snapshot.rows import read_rows
from dashboard.wording.format import cents
from tests.dashboard.conftest import World
from tests.support.dashboard.text import text

JOB = {
    "job": "17", "cluster": "hpc", "pool": "hpc/trn1.32xlarge", "queued_at": None,
    "began": datetime.fromisoformat("2026-09-01T06:30"),
    "ended": datetime.fromisoformat("2026-09-02T07:00"),
    "wait_hours": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("allocation", "Allocation"),
        ("rule", "Rule"),
        ("tag", "Tag"),
        (None, "no hours on the bill"),
    ],
)
def test_what_identifies_a_run_is_said_in_words(way: str | None, said: str) -> None:
    assert text(identified({"identified_by": way})) == said


def test_an_allocation_may_be_told_by_the_pods_of_a_bill() -> None:
    told = identified({"identified_by": "allocation"})
    meaning = "A scheduler, a file or the bill's own pods said who held which machine."
    assert told.to_plotly_json()["props"]["data-tip"] == meaning


def test_a_wait_that_no_scheduler_tells_is_unknown() -> None:
    assert waited({"wait_hours": None}) == "unknown"
    assert waited({"wait_hours": Decimal(0)}) == "0.0 hours"
    shown = text(jobs_section([JOB]))
    assert "17 hpc unknown 1 Sep 2026, 06:30 2 Sep 2026, 07:00 unknown" in shown
    assert "2026, 06:30 not seen unknown" in text(jobs_section([JOB | {"ended": None}]))
    assert "The newest 50 of 51 jobs." in text(jobs_section([JOB] * (SHOWN + 1)))
    assert jobs_section([]) == []


def test_a_run_of_a_cluster_lists_its_jobs_and_leads_to_the_pool(serving: World) -> None:
    jobs = queries.run_jobs("atlas-7b", "atlas-7b-t34")
    known = [row for row in serving["run_jobs"] if row["run"] == "atlas-7b-t34"]
    assert {row["job"] for row in jobs} == {row["job"] for row in known}
    assert {row["pool"] for row in jobs} == {"hpc/trn1.32xlarge"}
    shown = text(sections.draw_run("atlas-7b/atlas-7b-t34"))
    assert "Identified by Allocation" in shown
    assert "Jobs" in shown
    assert "Identified by Tag Waited in the queue unknown" in text(
        sections.draw_run("atlas-7b/atlas-7b-g1")
    )


def test_a_job_on_machines_of_unknown_type_leads_to_their_pool_too(serving: World) -> None:
    of = "FROM (SELECT * REPLACE (NULL AS instance_type) FROM pool_use)"
    sql = queries.RUN_JOBS.replace("FROM pool_use", of)
    jobs = read_rows(sql, workload="atlas-7b", run="atlas-7b-t34")
    assert {row["pool"] for row in jobs} == {name_of({"cluster": "hpc", "instance_type": None})}


def test_the_pool_of_a_job_is_what_its_run_held_most_of_in_all(serving: World) -> None:
    """The run's longest day was on another pool, its other days together are more."""
    held = [row for row in serving["pool_use"] if row["run"] == "atlas-7b-t34"]
    longest = max(held, key=lambda row: row["accelerator_hours"])
    other = f"CASE date WHEN '{longest['date']}' THEN 'trn2.48xlarge' ELSE instance_type END"
    of = f"FROM (SELECT * REPLACE ({other} AS instance_type) FROM pool_use)"
    sql = queries.RUN_JOBS.replace("FROM pool_use", of)
    jobs = read_rows(sql, workload="atlas-7b", run="atlas-7b-t34")
    assert {row["pool"] for row in jobs} == {"hpc/trn1.32xlarge"}


def test_a_day_whose_allocations_are_missing_is_settled_for_no_run_of_the_workload(
    server: Flask,
) -> None:
    """Its bill is complete, but what jobs held of it is not: the run's cost leaves it out."""
    run = {"workload": "atlas-7b", "run": "t1"}
    first, *_ = queries.run_days(**run, unit="epoch")
    missing = "(SELECT * REPLACE (settled AND date <> $open AS settled) FROM savings_daily)"
    days, charges = (
        read_rows(sql.replace("savings_daily", missing), **run, open=first["date"])
        for sql in (queries.RUN_DAYS.format(measure="epochs", size=1), queries.RUN_CHARGES)
    )
    assert [row["settled"] for row in days[:2]] == [False, True]
    every = sum(row["effective"] for row in queries.run_charges(**run))
    assert sum(row["effective"] for row in charges) == every - first["cost"] > 0


def test_what_has_no_instance_type_is_named_without_a_gap(server: Flask) -> None:
    said = text(sections.draw_run("atlas-7b/t1"))
    assert "Storage (its share), us-east-1" in said
    assert " ," not in said


def test_what_a_run_counts_beside_its_unit_and_its_hours_have_prices(serving: World) -> None:
    (run,) = (row for row in serving["runs"] if row["run"] == "atlas-7b-g1")
    shown = text(sections.draw_run("atlas-7b/atlas-7b-g1"))
    for title, price in (
        ("per million samples", run["cost_per_million_samples"]),
        ("per accelerator-hour", run["cost"] / run["accelerator_hours"]),
        ("per accelerator-hour at list prices", run["list_cost"] / run["accelerator_hours"]),
    ):
        assert f"Cost {title}, $ {cents(price)}" in shown
    assert "per billion tokens" not in shown
    assert "per million samples" not in text(sections.draw_run("atlas-7b/atlas-7b-t34"))
