"""One server over a world of more rows than a page has; every test reads it over a real socket."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import requests

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine.warehouse.snapshots import POINTER
from models.raw import atomic_files
from tests.support.dashboard import world
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, Served, served

REPEATED = """CREATE OR REPLACE TABLE spend_daily AS
    SELECT spend_daily.* REPLACE (greatest(number, 1)::VARCHAR AS account)
    FROM spend_daily, range(12) AS numbers(number) ORDER BY ALL"""
"""Each day of the bill stands twelve times, under another account; the first two are alike."""
TAGS = '[tags]\nworkload = "model-name"\nextra = ["team"]\n'


@dataclass(frozen=True)
class Api:
    """The API of a running server, and the folder that it serves."""

    server: Served
    folder: Path
    settings: Settings

    def get(self, path: str, **headers: str) -> requests.Response:
        """What the API answers to a path below `/api/v1`, or to a whole one."""
        whole = path if path.startswith("/api/") else f"/api/v1/{path}"
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.get(self.server.url + whole, headers=given, timeout=PATIENCE_SECONDS)

    def rows(self, path: str) -> list[dict[str, Any]]:
        """The rows of all pages that begin with this one."""
        found: list[dict[str, Any]] = []
        following: str | None = path
        while following:
            answer = self.get(following)
            assert answer.status_code == 200, answer.text
            document = answer.json()
            found += document["rows"]
            following = document["next"]
        return found

    def mart(self, name: str) -> pa.Table:
        """A mart as the current snapshot holds it, in the order of the exports."""
        file = max((self.folder / "snapshots").glob("*.duckdb"))
        with duckdb.connect(str(file), read_only=True) as snapshot:
            return snapshot.sql(f"SELECT * FROM {name} ORDER BY ALL").to_arrow_table()


def publish(folder: Path, snapshot_id: str, *changes: str) -> None:
    """Publishes the current snapshot again under another id, with changes in SQL."""
    current = max((folder / "snapshots").glob("*.duckdb"))
    following = current.with_name(f"{int(current.stem) + 1:06}.duckdb")
    shutil.copy(current, following)
    with duckdb.connect(str(following)) as snapshot:
        for change in (f"UPDATE snapshot SET snapshot_id = '{snapshot_id}'", *changes):
            snapshot.execute(change)
    atomic_files.replace_json(folder / "snapshots" / POINTER, {"file": following.name})


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("api")
    world.publish(folder)
    publish(folder, "000002", REPEATED)
    table = {
        "as_of": world.AS_OF,
        "warehouse": {"path": str(folder / "warehouse.duckdb")},
        "tags": {"workload": "model-name", "extra": ["team"]},
    }
    text = PLAIN.replace('tags.workload = "model-name"\n', "") + TAGS
    with served(folder, text) as server:
        yield Api(server, folder, validated_settings(table, home=folder))
