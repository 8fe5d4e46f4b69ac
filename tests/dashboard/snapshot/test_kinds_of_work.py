"""Pages of a workload of several kinds of work: no figure of one kind stands for all."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.compare import queries as compare_queries
from dashboard.pages.compare.wording import comparison_sentence
from dashboard.pages.decide import queries as decide_queries
from dashboard.pages.finance import month_end, statement_tables
from dashboard.pages.overview import queries as overview_queries
from dashboard.pages.overview.standings import standings_table
from dashboard.pages.workload import queries as workload_queries
from dashboard.pages.workload.wording import saving_note
from dashboard.snapshot import compared_runs, run_dimensions
from dashboard.snapshot.context import attach_data
from tests.support.dashboard.text import text
from tests.support.marts.kinds_of_work import P4D, did, full_and_qlora
from tests.support.world import World


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    world = World(tmp_path_factory.mktemp("mix"))
    full_and_qlora(world)
    for run, day, hours, epochs, recipe in (
        ("f1", "09-01", 120, 12, "full"), ("q1", "09-11", 11, 11, "qlora"),
        ("f2", "10-01", 120, 12, "full"), ("q2", "10-11", 11, 11, "qlora"),
    ):  # fmt: skip
        did(world, run, day, hours, epochs, P4D, recipe=recipe, workload="still")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    server = Flask("kinds")
    attach_data(server, world.build(baseline={"method": "measured", "min_runs": 1}).settings)
    with server.app_context():
        yield server


@pytest.mark.usefixtures("server")
def test_no_gpu_epoch_of_one_recipe_stands_beside_the_mean_of_both() -> None:
    """$1,400 for 19 epochs of two recipes is not to be held against $100 for one of them."""
    row = overview_queries.epoch_costs(["mix"])["mix"]
    assert (row["gpu_cost_per_epoch"], row["trn_month"] is None) == (None, False)
    (standing,) = (each for each in overview_queries.standings() if each["workload"] == "mix")
    assert " several " in text(standings_table([standing | row]))
    assert workload_queries.baselines("mix", View.parse({})) == []
    assert compare_queries.comparison_left_out(View.parse({}))["differ"] == ["mix", "still"]


@pytest.mark.usefixtures("server")
def test_what_has_not_moved_costs_a_month_what_its_main_kind_of_work_does() -> None:
    """$100 an epoch is not what one of the other recipe costs."""
    (row,) = decide_queries.unmoved()
    names = ("workload", "gpu_cost_per_epoch", "epochs", "lineages", "recent")
    assert [row[name] for name in names] == ["still", 100, 24, 2, 2]


@pytest.mark.usefixtures("server")
def test_no_mean_of_several_recipes_is_called_cheaper() -> None:
    view = View.parse({})
    axes = compared_runs.axes(view, run_dimensions.known_dimensions())
    told = comparison_sentence(
        compare_queries.comparison(view), axes, compare_queries.comparison_left_out(view)
    )
    assert told == "No workload here did one and the same work on both GPU and Trainium."


@pytest.mark.usefixtures("server")
def test_the_epochs_of_several_kinds_are_said_to_be_so() -> None:
    further = workload_queries.further_kinds("mix")
    assert further == ["qlora"]
    assert "the main kind and qlora are each held" in str(saving_note({}, further))


@pytest.mark.usefixtures("server")
def test_the_month_of_both_has_no_single_baseline() -> None:
    """19 epochs, and what they had cost on GPU at two prices."""
    said = text(statement_tables.summary(month_end.draft("2025-09").statement))
    assert "19.00 73.68 several 1,090.00" in said


@pytest.mark.usefixtures("server")
def test_what_was_saved_is_held_against_both_counterfactuals() -> None:
    """$1,000 and $90; the share at list prices of one baseline would be of neither."""
    sums = overview_queries.saved_of_gpu_cost()
    assert (sums["saved"], sums["gpu"]) == (-310, 1090)
    at_list = 10 * 10 * Decimal("32.7726") + 9 * Decimal("32.7726")
    assert (sums["at_list_gpu"], sums["unpriced_days"]) == (at_list, 0)
    assert sums["at_list_saved"] == at_list - (100 + 180) * Decimal("21.50")
