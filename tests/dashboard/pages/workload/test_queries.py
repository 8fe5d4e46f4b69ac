"""The GPU baseline that pages show is that of the workload's last settled day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.overview import queries as overview_queries
from dashboard.pages.workload import queries
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from dashboard.snapshot.rows_behind.source_rows import inputs
from dashboard.wording.explanations import overview as explained
from tests.support.world import World


def test_a_price_that_changes_on_a_day_not_settled_changes_no_baseline_yet(world: World) -> None:
    """p4d became a third cheaper on 1 June; settled through 30 May: measured $262.50 stands."""
    world.run("g1", "p4d.24xlarge", "2025-05-01T00:00:00", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-08T00:00:00", 110, 25, 10)
    world.run("g3", "p4d.24xlarge", "2025-06-02T00:00:00", 1, 25, 1)
    marts = world.build(as_of="2025-06-02")
    newest = marts.row("SELECT date, value FROM baselines ORDER BY date DESC LIMIT 1")
    assert (newest["date"], newest["value"]) == (date(2025, 6, 2), Decimal("175.875"))
    app = Flask("repriced")
    attach_data(app, marts.settings)
    behind = ROWS_BEHIND[explained.GPU_EPOCH.key]
    with app.app_context():
        shown = queries.baseline("atlas-7b") or {}
        parts = queries.baseline_parts("atlas-7b")
        overview = overview_queries.epoch_costs(["atlas-7b"])["atlas-7b"]
        source = inputs(behind, View(workload="atlas-7b"))
    assert (shown["date"], shown["value"]) == (date(2025, 5, 30), Decimal("262.5"))
    assert [part["date"] for part in parts] == [shown["date"]]
    assert overview["gpu_cost_per_epoch"] == source["Used, $"] == Decimal("262.5")
