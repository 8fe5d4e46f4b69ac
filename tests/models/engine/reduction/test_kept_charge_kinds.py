"""What is kept of each delivery's charges follows the bill and the catalogue."""

from __future__ import annotations

import pytest

from ingest import pull
from models.contract import catalogue
from models.engine import build
from tests.support.world import World, write

SPENT = "SELECT component, effective_cost, accelerator_hours FROM spend_daily"
TAGS = {"workload": "atlas-7b", "run": "t1"}


def test_a_restated_bill_and_another_catalogue_leave_nothing_of_what_was_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.hours("2025-09-01", 2, "trn1.32xlarge", 25, TAGS)
    marts = world.build()
    spent = {"component": "accelerator", "effective_cost": 50, "accelerator_hours": 32}
    assert marts.rows(SPENT) == [spent]
    world.charges.clear()
    world.hours("2025-09-01", 1, "trn1.32xlarge", 20, TAGS)
    write(world.folder / "bill.csv", world.charges)
    pull.pull(marts.settings).raise_failures()
    build.build(marts.settings)
    spent = {"component": "accelerator", "effective_cost": 20, "accelerator_hours": 16}
    assert marts.rows(SPENT) == [spent]
    monkeypatch.setattr(catalogue, "accelerators", lambda: ())
    build.build(marts.settings)
    spent = {"component": "other", "effective_cost": 20, "accelerator_hours": None}
    assert marts.rows(SPENT) == [spent]
