"""Worlds that the tests of the models share."""

from __future__ import annotations

import pytest

from tests.world import World


@pytest.fixture
def bill(world: World) -> World:
    """An empty world that has a bill and no progress."""
    world.config["sources"] = [{"kind": "focus", "location": "bill.csv"}]
    return world
