"""The statement of a month that is not over."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from models.closing import draft
from tests.support.world import World


def test_what_a_run_cost_meets_what_it_did_on_settled_days_alone(tmp_path: Path) -> None:
    """Of five days at $384 three are settled: $1,152 for 18 of the 30 epochs, $64 each."""
    world = World(tmp_path, config={"as_of": "2025-09-06"})
    world.run("t1", "trn1.32xlarge", "2025-09-01T00:00:00", 120, 16, 30)
    statement = draft.draft(world.pulled(), "2025-09").close.statement
    (run,) = statement.tables["runs"]
    names = ("accelerator_hours", "epochs", "cost", "unsettled")
    assert [run[name] for name in names] == [1152, 18, 1152, 768]
    month = statement.row("atlas-7b")
    assert (month["trn_cost"], month["trn_epochs"]) == (run["cost"], run["epochs"])
    assert month["trn_cost_per_epoch"] == Decimal(64)


def test_an_unsettled_day_of_unknown_cost_leaves_unknown_what_is_not_settled(
    tmp_path: Path,
) -> None:
    """Hours at $0 that no commitment pays have no price yet: their cost is unknown, not $0."""
    world = World(tmp_path, config={"as_of": "2025-09-06"})
    world.run("t1", "trn1.32xlarge", "2025-09-01T00:00:00", 120, 16, 30)
    tags = {"workload": "atlas-7b", "run": "t1"}
    world.hours("2025-09-05T00:00:00", 2, "trn1.32xlarge", 0, tags)
    (run,) = draft.draft(world.pulled(), "2025-09").close.statement.tables["runs"]
    assert (run["cost"], run["unsettled"]) == (1152, None)
