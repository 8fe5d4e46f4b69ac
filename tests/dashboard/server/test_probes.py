"""A probe tells a process that answers from one that has something to show."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

from tests.support.dashboard import world
from tests.support.dashboard.server import served


def test_it_is_ready_once_a_snapshot_of_this_version_is_there(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for path in ("/livez", "/healthz"):
            assert server.ask("GET", path).status == 200
        answer = server.ask("GET", "/readyz")
        assert answer.status == 503
        reason = "nothing is published yet; run `breakeven build`"
        assert json.loads(answer.text) == {"status": reason}
        world.publish(tmp_path)
        answer = server.ask("GET", "/readyz")
        assert answer.status == 200
        assert json.loads(answer.text) == {
            "status": "ok",
            "version": "0.1.0",
            "snapshot_id": "000001",
            "settled_through": "2026-10-28",
        }


def test_a_snapshot_of_other_tables_is_not_served_as_ready(tmp_path: Path) -> None:
    world.publish(tmp_path)
    (snapshot,) = (tmp_path / "snapshots").glob("*.duckdb")
    with duckdb.connect(str(snapshot)) as older:
        older.execute("ALTER TABLE runs DROP COLUMN recipe")
    with served(tmp_path) as server:
        answer = server.ask("GET", "/readyz")
        assert answer.status == 503
        assert json.loads(answer.text)["status"].startswith(
            "the snapshot was published by another version and lacks what this one shows: "
            "runs.recipe"
        )
        assert server.ask("GET", "/livez").status == 200
