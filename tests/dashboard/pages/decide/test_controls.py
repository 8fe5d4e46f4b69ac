"""The sliders of a what-if say where each figure comes from."""

from __future__ import annotations

from typing import Any

from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.controls import sliders
from dashboard.pages.decide.moved_and_unmoved import MovedAndUnmoved
from tests.support.dashboard.figures import D
from tests.support.dashboard.text import text

PORTED: dict[str, Any] = {
    "workload": "ported",
    "status": "investing",
    "invested": D(100),
    "planned": D(0),
    "gpu_cost_per_epoch": D(10),
    "lineages": 2,
    "epochs": D(40),
    "recent": 2,
    "upkeep": D(0),
    "months_to_end": None,
}
SAVED = {"workload": "gone", "parity": "at_parity", "saved": D(40), "counterfactual": D(100)}


def test_a_workload_with_a_port_alone_is_not_told_that_no_run_was_on_trainium() -> None:
    """Its run on Trainium ported it and tells nothing of production."""
    found = [
        text(one)
        for one in sliders(Assumptions(workload="ported"), MovedAndUnmoved([PORTED], [SAVED]))
    ]
    (trn,) = [said for said in found if said.startswith("A run on Trainium, $")]
    assert "No settled production run on Trainium yet: the median share" in trn


def test_what_the_config_plans_is_in_the_cost_of_the_move() -> None:
    of = MovedAndUnmoved([PORTED | {"planned": D(500)}], [SAVED])
    found = [text(one) for one in sliders(Assumptions(workload="ported"), of)]
    (port,) = [said for said in found if said.startswith("Cost of the move, $")]
    assert "Spent so far, and planned in the configuration." in port
