"""Pages of a workload of several kinds of work: no figure of one kind stands for all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from dashboard import month_end, queries
from dashboard.components import statement
from dashboard.door import open_door
from dashboard.view import View
from tests.dashboard.text import text
from tests.kinds import full_and_qlora
from tests.world import World


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    world = World(tmp_path_factory.mktemp("mix"))
    full_and_qlora(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    server = Flask("kinds")
    open_door(server, world.build(baseline={"method": "measured", "min_runs": 1}).settings)
    with server.app_context():
        yield server


@pytest.mark.usefixtures("server")
def test_no_gpu_epoch_of_one_recipe_stands_beside_the_mean_of_both() -> None:
    """$1,400 for 19 epochs of two recipes is not to be held against $100 for one of them."""
    row = queries.epoch_costs(["mix"])["mix"]
    assert (row["gpu_cost_per_epoch"], row["trn_month"] is None) == (None, False)
    assert queries.baselines("mix", View.parse({})) == []
    assert queries.comparison_left_out(View.parse({}))["differ"] == ["mix"]


@pytest.mark.usefixtures("server")
def test_the_month_of_both_has_no_single_baseline() -> None:
    """19 epochs, and what they had cost on GPU at two prices."""
    said = text(statement.summary(month_end.draft("2025-09").statement))
    assert "19.00 73.68 several 1,090.00" in said


@pytest.mark.usefixtures("server")
def test_what_was_saved_is_held_against_both_counterfactuals() -> None:
    """$1,000 and $90; the share at list prices of one baseline would be of neither."""
    sums = queries.saved_of_gpu_cost()
    assert (sums["saved"], sums["gpu"]) == (-310, 1090)
    assert (sums["at_list_gpu"], sums["unpriced_days"]) == (None, 0)
