"""METHOD §3.4: the main kind has most Trainium cost. GPU hours cost $10, Trainium hours $5."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest

from tests.support.marts.kinds_of_work import P4D, did
from tests.support.world import Marts, World


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """`full` costs $300 on Trainium; a run of `qlora` costs $1,000 on GPU, then $100 there."""
    world = World(tmp_path_factory.mktemp("main"))
    full, qlora = partial(did, world, recipe="full"), partial(did, world, recipe="qlora")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        full(run, day, 100, 10, P4D)
    for run, day in (("q0", "05-21"), ("q1", "05-22")):
        qlora(run, day, 10, 10, P4D)
    qlora("begun", "08-01", 100, 100, P4D)
    qlora("resumed", "09-01", 20, 110, resumed_from="begun")
    full("t", "09-11", 60, 6)
    did(world, "silent", "09-21", 10, None)
    world.samples = [s for s in world.samples if s["run"] != "silent"]
    return world.build(baseline={"method": "measured"})


def test_what_a_lineage_cost_on_gpu_before_is_no_trainium_cost(marts: Marts) -> None:
    """$1,100 of the resumed one made `qlora` the main kind, and a silent run's $50 its cost."""
    kinds = marts.rows(
        "SELECT recipe, main, sum(trn_cost) AS cost FROM savings_by_kind GROUP BY ALL "
        "ORDER BY recipe"
    )
    assert kinds == [
        {"recipe": "full", "main": True, "cost": 300 + 50},
        {"recipe": "qlora", "main": False, "cost": 100},
    ]


def test_figures_per_unit_are_those_of_the_kind_with_most_trainium_cost(marts: Marts) -> None:
    """(6 × $100 − $350) ÷ 6; of `qlora` it would be (10 × $10 − $150) ÷ 10."""
    assert marts.standing("mix")["saving_per_epoch"] == Decimal("41.666666667")
