"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from flask import Flask

from dashboard.pages.decide import queries as decide_queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.moved_and_unmoved import read_moved_and_unmoved
from dashboard.pages.decide.ranking.prospects import saving_share
from dashboard.pages.decide.what_if import assumptions_made, outcome_of, starting_point_of
from dashboard.pages.decide.wording import what_if_sentence
from dashboard.snapshot.context import attach_data
from models.engine.starting_points import starting_point
from tests.support.world import World


def test_a_move_that_loses_all_it_costs_is_among_those_that_moved(tmp_path: Path) -> None:
    """Four epochs at $60, with a worse loss: $240 lost of what would have cost $400 on GPU."""
    world = World(tmp_path)
    for workload, rate, loss in (("gains", 10, 1.5), ("loses", 10, 1.9)):
        for run, day in (("g1", "01"), ("g2", "07")):
            start = f"2025-05-{day}T00:00:00"
            world.run(run, "p4d.24xlarge", start, 100, 10, 10, workload=workload)
        start = "2025-09-01T00:00:00"
        world.run("t", "trn1.32xlarge", start, 24, rate, 4, workload=workload, loss=loss)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    server = Flask("moved")
    attach_data(server, world.build(baseline={"method": "measured"}).settings)
    with server.app_context():
        found = saving_share(decide_queries.moved_shares(), Assumptions())
    assert found == (Decimal("-0.6"), Decimal("-0.1"), Decimal("0.4"))


def test_a_workload_that_nothing_prices_on_gpu_has_not_moved_either(tmp_path: Path) -> None:
    """Its one run ported it for $100, so an answer assumes that the port will cost no more."""
    world = World(tmp_path)
    start = "2025-09-01T00:00:00"
    world.run("p1", "trn1.32xlarge", start, 10, 10, 1, workload="ported", purpose="port")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    server = Flask("unpriced")
    attach_data(server, world.build().settings)
    asked = Assumptions(workload="ported", gpu=Decimal(200), trn=Decimal(100), runs=Decimal(1))
    with server.app_context():
        of = read_moved_and_unmoved()
        own, moved = starting_point_of("ported", of)
    assert (of.unmoved, own.status, moved) == ([], "investing", False)
    made = assumptions_made(asked, own, moved, of)
    assert what_if_sentence("ported", outcome_of(asked, own)[1], made) == (
        "\u2068ported\u2069 would pay for itself in 1.0\u00a0months, after 1 more run, if the $100 "
        "spent so far is the whole cost."
    )


def test_what_the_config_plans_counts_until_a_workload_has_moved(tmp_path: Path) -> None:
    """$100 are spent on runs and $300 declared, $500 are planned; the grant to come is no cost.

    `moved` trains on Trainium already: its cost is what is spent, as in `break_even`.
    """
    world = World(tmp_path)
    start = "2025-09-01T00:00:00"
    world.run("g", "p4d.24xlarge", start, 10, 10, 1, workload="ported")
    world.run("p", "trn1.32xlarge", start, 10, 10, 1, workload="ported", purpose="port")
    world.run("t", "trn1.32xlarge", start, 10, 10, 1, workload="moved")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    entries = [
        {"workload": workload, "kind": kind, "date": day, "amount": amount}
        for workload in ("ported", "moved")
        for kind, day, amount in (
            ("partner", "2025-09-02", 300),
            ("tooling", "2025-12-01", 500),
            ("funding", "2025-12-02", -200),
        )
    ]
    server = Flask("planned")
    built = world.build(investments=entries)
    attach_data(server, built.settings)
    with server.app_context():
        of = read_moved_and_unmoved()
        points = {name: starting_point_of(name, of) for name in ("ported", "moved")}
    assert [row["workload"] for row in of.unmoved] == ["ported"]
    costs = {name: (own.porting_cost, own.planned_port) for name, (own, _) in points.items()}
    assert costs == {"ported": (900, 500), "moved": (300, 500)}
    assert starting_point("ported", built.settings).porting_cost == 900
    made = {name: assumptions_made(Assumptions(), *points[name], of)[-1] for name in points}
    assert made == {
        "ported": "the $400 spent so far and the $500 planned are the whole cost",
        "moved": "the $500 still planned are left out",
    }


def test_upkeep_is_the_configured_one_until_a_workload_has_moved(tmp_path: Path) -> None:
    """Also for one without GPU runs: $60 a month, which begins when the move is over."""
    world = World(tmp_path)
    start = "2025-09-01T00:00:00"
    world.run("p1", "trn1.32xlarge", start, 10, 10, 1, workload="ported", purpose="port")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    planned = {"workload": "ported", "kind": "upkeep", "date": "2025-12-01"}
    server = Flask("upkeep")
    built = world.build(investments=[{**planned, "amount_per_month": 60}])
    attach_data(server, built.settings)
    with server.app_context():
        own, moved = starting_point_of("ported", read_moved_and_unmoved())
    assert (own.upkeep_per_month, moved) == (60, False)
    assert starting_point("ported", built.settings).upkeep_per_month == 60
