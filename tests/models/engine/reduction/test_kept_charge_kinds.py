"""What is kept of each delivery's charges follows the bill and the catalogue."""

from __future__ import annotations

import pytest

from models.contract import catalogue
from tests.support import shared_worlds
from tests.support.some_marts import some_marts
from tests.support.world import World

SPENT = "SELECT component, effective_cost, accelerator_hours FROM spend_daily"
TAGS = {"workload": "atlas-7b", "run": "t1"}


def test_a_restated_bill_and_another_catalogue_leave_nothing_of_what_was_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spent() -> list[dict[str, object]]:
        return some_marts(world.pulled(), "spend_daily").rows(SPENT)

    world.hours("2025-09-01", 2, "trn1.32xlarge", 25, TAGS)
    spend = {"component": "accelerator", "effective_cost": 50, "accelerator_hours": 32}
    assert spent() == [spend]
    world.charges.clear()
    world.hours("2025-09-01", 1, "trn1.32xlarge", 20, TAGS)
    spend = {"component": "accelerator", "effective_cost": 20, "accelerator_hours": 16}
    assert spent() == [spend]
    monkeypatch.setattr(catalogue, "accelerators", lambda: ())
    spend = {"component": "other", "effective_cost": 20, "accelerator_hours": None}
    with shared_worlds.computed_anew():
        assert spent() == [spend]
