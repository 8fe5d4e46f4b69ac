"""One app per process (Dash keeps its callbacks in globals), over the world of `world.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dash
import pytest

from dashboard.server.app import create_app
from models.config.loading import validated_settings
from models.config.settings import Settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

World = dict[str, list[Row]]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's warehouse would be."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def settings(folder: Path) -> Settings:
    table = {
        "as_of": world.AS_OF,
        "warehouse": {"path": str(folder / "warehouse.duckdb")},
        "workloads": [{"name": "atlas-7b", "target_loss": 1.48}],
    }
    return validated_settings(table, home=folder)


@pytest.fixture(scope="session")
def published(folder: Path) -> World:
    """Every row of the published snapshot."""
    return world.publish(folder)


@pytest.fixture(scope="session")
def app(settings: Settings) -> dash.Dash:
    return create_app(settings)


@pytest.fixture
def serving(app: dash.Dash, published: World) -> Iterator[World]:
    """Inside the server, with the world published."""
    with app.server.app_context():
        yield published
