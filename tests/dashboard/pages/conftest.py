"""A world that was really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from dashboard.server.downloads import add_downloads
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot.context import attach_data
from tests.conftest import migrated
from tests.support.world import Marts, World


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = migrated(World(tmp_path_factory.mktemp("world")))
    tags = {"workload": "atlas-7b", "run": "t4", "team": "research"}
    world.hours("2025-09-20T00:00:00", 10, "trn1.32xlarge", 16, tags)
    world.hours("2025-09-21T00:00:00", 20, "trn1.32xlarge", 10, tags, RegionId="us-west-2")
    for at, epoch in (("2025-09-20T00:00:00", 0), ("2025-09-21T20:00:00", 6)):
        world.sample(at, "t4", epoch, loss=1.5)
    world.run("v1", "trn1.32xlarge", "2025-09-25T00:00:00", 10, 16, 1, purpose="validation")
    world.sample("2025-09-26T00:00:00", "ghost", 0, loss=1.5)
    world.sample("2025-09-27T00:00:00", "ghost", 3, loss=1.5)
    volume = {"x_UsageType": "EBS:VolumeUsage.gp3", "tags": {"workload": "atlas-7b"}}
    world.charge("2025-09-03T00:00:00", "53.50", **volume)
    return world.build(tags={"extra": ["purpose", "recipe", "team"]})


@pytest.fixture
def server(built: Marts) -> Iterator[Flask]:
    server = Flask("comparison")
    attach_data(server, built.settings)
    add_identity(server, built.settings)
    add_downloads(server)
    with server.app_context():
        yield server
