"""Zones that offer a type: accounts name the same zones differently."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask import Flask

from dashboard.pages.rates import queries
from dashboard.snapshot.context import attach_data
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

SEEN = {"111111111111": "ab", "222222222222": "cde"}
"""The names by which two accounts see zones of one region."""


@pytest.fixture(autouse=True)
def server(tmp_path: Path) -> Iterator[None]:
    def edit(tables: dict[str, list[Row]]) -> None:
        tables["offered"] = [
            {"account": account, "region": "us-east-1", "zone": f"us-east-1{name}",
             "instance_type": "p5.48xlarge", "observed_on": date(2026, 10, 30)}
            for account, names in SEEN.items() for name in names
        ]  # fmt: skip

    world.publish(tmp_path, (), edit=edit)
    app = Flask("zones")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context():
        yield


def test_zones_of_several_accounts_are_not_added() -> None:
    (row,) = queries.offered()
    assert row["zones"] == 3
