"""The statement of a month that is not over."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from models.closing import draft
from models.records.statement import Statement
from tests.support.world import World


@pytest.fixture(scope="module")
def statement(tmp_path_factory: pytest.TempPathFactory) -> Statement:
    """Five days of a run at $384, of which three are settled; and the same of another workload.

    That one has hours at $0 on the fifth, which no commitment pays.
    """
    world = World(tmp_path_factory.mktemp("open"), config={"as_of": "2025-09-06"})
    for workload, run in (("atlas-7b", "t1"), ("free", "f1")):
        start = "2025-09-01T00:00:00"
        world.run(run, "trn1.32xlarge", start, 120, 16, 30, workload=workload)
    tags = {"workload": "free", "run": "f1"}
    world.hours("2025-09-05T00:00:00", 2, "trn1.32xlarge", 0, tags)
    return draft.draft(world.pulled(), "2025-09").close.statement


def ran(statement: Statement, run: str) -> dict[str, Any]:
    (found,) = (row for row in statement.tables["runs"] if row["run"] == run)
    return found


def test_what_a_run_cost_meets_what_it_did_on_settled_days_alone(statement: Statement) -> None:
    """$1,152 for 18 of the 30 epochs, $64 each."""
    run = ran(statement, "t1")
    names = ("accelerator_hours", "epochs", "cost", "unsettled")
    assert [run[name] for name in names] == [1152, 18, 1152, 768]
    month = statement.row("atlas-7b")
    assert (month["trn_cost"], month["trn_epochs"]) == (run["cost"], run["epochs"])
    assert month["trn_cost_per_epoch"] == Decimal(64)


def test_an_unsettled_day_of_unknown_cost_leaves_unknown_what_is_not_settled(
    statement: Statement,
) -> None:
    """Hours at $0 have no price yet: their cost is unknown, not $0."""
    run = ran(statement, "f1")
    assert (run["cost"], run["unsettled"]) == (1152, None)
