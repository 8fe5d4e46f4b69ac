"""Decide over marts that were really built: what moved, what did not, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.moved_and_unmoved import MovedAndUnmoved, read_moved_and_unmoved
from dashboard.pages.decide.ranking.prospects import prospects, saving_share
from dashboard.pages.decide.what_if import assumptions_made, outcome_of, starting_point_of
from dashboard.pages.decide.wording import what_if_sentence
from dashboard.snapshot.context import attach_data
from models.engine.starting_points import starting_point
from tests.support.world import Marts, World

ENTRIES = [
    {"workload": workload, "kind": kind, "date": day, "amount": amount}
    for workload in ("ported", "moved")
    for kind, day, amount in (
        ("partner", "2025-09-02", 300),
        ("tooling", "2025-12-01", 500),
        ("funding", "2025-12-02", -200),
    )
]
LORA = tuple((f"l{number}", 10, "lora") for number in (1, 2, 3))
UPKEEP = {"workload": "upkept", "kind": "upkeep", "date": "2025-12-01", "amount_per_month": 60}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """`gains` and `loses` moved in September; of `moved` there is no run on GPU.

    Runs ported `ported`, which trained once on GPU, and `unpriced` and `upkept`, which never did.
    `twofold` trains by two recipes on GPU: two runs of $1,000, and three of $100, one of which
    was resumed by a run that does not repeat the recipe.
    """
    world = World(tmp_path_factory.mktemp("decide"))
    start = "2025-09-01T00:00:00"
    for workload, loss in (("gains", 1.5), ("loses", 1.9)):
        for run, day in (("g1", "01"), ("g2", "07")):
            on_gpu = f"2025-05-{day}T00:00:00"
            world.run(run, "p4d.24xlarge", on_gpu, 100, 10, 10, workload=workload)
        world.run("t", "trn1.32xlarge", start, 24, 10, 4, workload=workload, loss=loss)
    world.run("g", "p4d.24xlarge", start, 10, 10, 1, workload="ported")
    world.run("t", "trn1.32xlarge", start, 10, 10, 1, workload="moved")
    for workload in ("ported", "unpriced", "upkept"):
        world.run("p", "trn1.32xlarge", start, 10, 10, 1, workload=workload, purpose="port")
    for run, hours, recipe in (("g1", 100, None), ("g2", 100, None), *LORA):
        world.run(run, "p4d.24xlarge", start, hours, 10, 10, workload="twofold", recipe=recipe)
    later = "2025-09-03T00:00:00"
    world.run("l4", "p4d.24xlarge", later, 10, 10, 20, workload="twofold", resumed_from="l3")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return world.build(
        baseline={"method": "measured"},
        investments=[*ENTRIES, UPKEEP],
        workloads=[{"name": name, "ends": "2026-01-09"} for name in ("twofold", "upkept", "moved")],
    )


@pytest.fixture
def of(built: Marts) -> Iterator[MovedAndUnmoved]:
    """What Decide reads of the company."""
    server = Flask("decide")
    attach_data(server, built.settings)
    with server.app_context():
        yield read_moved_and_unmoved()


def test_a_move_that_loses_all_it_costs_is_among_those_that_moved(of: MovedAndUnmoved) -> None:
    """Four epochs at $60, with a worse loss: $240 lost of what would have cost $400 on GPU."""
    found = saving_share(of.moved, Assumptions())
    assert found == (Decimal("-0.6"), Decimal("-0.1"), Decimal("0.4"))


def test_a_workload_that_nothing_prices_on_gpu_has_not_moved_either(of: MovedAndUnmoved) -> None:
    """Its one run ported it for $100, so an answer assumes that the port will cost no more."""
    asked = Assumptions(workload="unpriced", gpu=Decimal(200), trn=Decimal(100), runs=Decimal(1))
    own, moved = starting_point_of("unpriced", of)
    assert "unpriced" not in {row["workload"] for row in of.unmoved}
    assert (own.status, moved) == ("investing", False)
    made = assumptions_made(asked, own, moved, of)
    assert what_if_sentence("unpriced", outcome_of(asked, own)[1], made) == (
        "\u2068unpriced\u2069 would pay for itself in 1.0\u00a0months, after 1 more run, "
        "if the $100 spent so far is the whole cost."
    )


def test_what_the_config_plans_counts_until_a_workload_has_moved(
    built: Marts, of: MovedAndUnmoved
) -> None:
    """$100 are spent on runs and $300 declared, $500 are planned; the grant to come is no cost.

    `moved` trains on Trainium already: its cost is what is spent, as in `break_even`.
    """
    points = {name: starting_point_of(name, of) for name in ("ported", "moved")}
    assert [row["workload"] for row in of.unmoved] == ["ported", "twofold"]
    costs = {name: (own.porting_cost, own.planned_port) for name, (own, _) in points.items()}
    assert costs == {"ported": (900, 500), "moved": (300, 500)}
    assert starting_point("ported", built.settings).porting_cost == 900
    made = {name: assumptions_made(Assumptions(), *points[name], of)[-1] for name in points}
    assert made == {
        "ported": "the $400 spent so far and the $500 planned are the whole cost",
        "moved": "the $500 still planned are left out",
    }


def test_runs_of_another_recipe_do_not_have_the_price_of_the_main_one(of: MovedAndUnmoved) -> None:
    """Ten epochs at $100 in each of two runs; an epoch of the three others costs $10."""
    (row,) = (row for row in of.unmoved if row["workload"] == "twofold")
    assert (row["gpu_cost_per_epoch"], row["epochs"], row["lineages"]) == (100, 20, 2)
    (found,) = prospects([row], None, Assumptions(), None)
    assert round(found.gpu_per_month or 0, 2) == Decimal("722.22")


def test_upkeep_is_the_configured_one_until_a_workload_has_moved(
    built: Marts, of: MovedAndUnmoved
) -> None:
    """Also for one without GPU runs: $60 a month, which begins when the move is over."""
    own, moved = starting_point_of("upkept", of)
    assert (own.upkeep_per_month, moved) == (60, False)
    assert starting_point("upkept", built.settings).upkeep_per_month == 60


def test_training_ends_when_the_config_says_also_before_a_pace_is_known(
    built: Marts, of: MovedAndUnmoved
) -> None:
    """73 days after the last settled day, 28 October: 2.4 months of 365 ÷ 12 days.

    `moved` trains on Trainium for less than 84 days, `twofold` on GPU alone, `upkept` on neither.
    """
    for name in ("moved", "twofold", "upkept"):
        own, _ = starting_point_of(name, of)
        assert own.months_to_end == Decimal("2.4")
        assert starting_point(name, built.settings).months_to_end == Decimal("2.4")
    asked = Assumptions(runs=Decimal(1), gpu=Decimal(200), trn=Decimal(100), port=Decimal(300))
    own, _ = starting_point_of("twofold", of)
    _, found = outcome_of(asked, own)
    assert (found.ends_first, found.cumulative_net) == (True, -60)
