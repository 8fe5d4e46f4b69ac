"""A probe tells a process that answers from one that has something to show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from models.engine.warehouse.snapshots import POINTER
from tests.support.dashboard import world
from tests.support.dashboard.server import Served, served


def ready(server: Served, status: int) -> dict[str, Any]:
    """What a probe is told, with this status, while the process answers all the while."""
    for path in ("/livez", "/healthz"):
        assert server.ask("GET", path).status == 200
    answer = server.ask("GET", "/readyz")
    assert answer.status == status
    told: dict[str, Any] = json.loads(answer.text)
    return told


def test_it_is_ready_while_a_snapshot_of_this_version_is_there(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        reason = "nothing is published yet; run `breakeven build`"
        assert ready(server, 503) == {"status": reason}
        world.publish(tmp_path)
        assert ready(server, 200) == {
            "status": "ok",
            "version": "0.1.0",
            "snapshot_id": "000001",
            "settled_through": "2026-10-28",
        }
        publish_without_recipe(tmp_path)
        assert ready(server, 503)["status"].startswith(
            "the snapshot was published by another version and lacks what this one shows: "
            "runs.recipe"
        )


def publish_without_recipe(folder: Path) -> None:
    """Publishes a snapshot as another version makes it: a table lacks a column."""
    apart = folder / "apart"
    world.publish(apart)
    (snapshot,) = (apart / "snapshots").glob("*.duckdb")
    with duckdb.connect(str(snapshot)) as older:
        older.execute("ALTER TABLE runs DROP COLUMN recipe")
    snapshot.replace(folder / "snapshots" / "000002.duckdb")
    pointer = apart / "snapshots" / POINTER
    pointer.write_text(pointer.read_text().replace("000001", "000002"))
    pointer.replace(folder / "snapshots" / POINTER)
