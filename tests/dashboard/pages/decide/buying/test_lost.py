"""What runs lose to restarts, of a workload without runs of its own: that of all others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask

from dashboard.pages.decide.buying.machine import machine_facts
from dashboard.pages.decide.buying.queries import LOST
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows import read_rows
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

BEGAN = datetime.fromisoformat("2026-09-01")


@pytest.fixture(autouse=True)
def server(tmp_path: Path) -> Iterator[None]:
    """Two workloads have a run of the same name; one of them resumed its own once."""

    def edit(tables: dict[str, list[Row]]) -> None:
        of_all = {
            "hardware": "trainium", "cost": Decimal(50), "idle_cost": Decimal(5),
            "started_at": BEGAN, "purpose": "production", "epochs": Decimal(1),
        }  # fmt: skip
        tables["runs"] = [
            of_all | {"workload": name, "run": run, "lineage": "t", "accelerator_hours": Decimal(8)}
            for name, run in (("a", "t"), ("b", "t"), ("b", "again"))
        ]

    world.publish(tmp_path, (), edit=edit)
    app = Flask("lost")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context():
        yield


def test_runs_of_one_name_of_two_workloads_are_no_restart() -> None:
    rows = read_rows(LOST, workload="c", hardware="trainium")
    lost = machine_facts([], [], [], None, rows, None, world.AS_OF).lost[False]
    assert (lost.runs, lost.restarts, lost.share, lost.own) == (3, 1, Decimal("0.1"), False)
