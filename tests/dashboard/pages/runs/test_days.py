"""METHOD §1: a run whose work is tokens has days of tokens, and no epochs."""

from __future__ import annotations

from flask import Flask

from dashboard.pages.runs.sections import draw_run
from dashboard.snapshot.context import attach_data
from tests.support.dashboard.text import text
from tests.support.world import World

BILLION = 10**9


def trained(world: World, run: str, kind: str, month: str, rate: int, *tokens: int) -> None:
    """A run of two days that reports billions of tokens at the beginning and each day's end."""
    for day in ("02", "03"):
        start = f"2025-{month}-{day}T00:00:00"
        world.hours(start, 24, kind, rate, {"workload": "atlas-7b", "run": run})
    for day, billions in zip(("02", "03", "04"), (0, *tokens), strict=True):
        at = f"2025-{month}-{day}T00:00:00"
        world.sample(at, run, None, tokens=billions * BILLION, loss=1.5)


def test_the_days_of_a_run_are_in_its_unit(world: World) -> None:
    trained(world, "g1", "p4d.24xlarge", "04", 25, 30, 50)
    trained(world, "g2", "p4d.24xlarge", "05", 25, 20, 50)
    trained(world, "t1", "trn1.32xlarge", "09", 16, 20, 60)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    app = Flask("tokens")
    attach_data(app, world.build().settings)
    with app.app_context():
        shown = text(draw_run("atlas-7b/t1"))
    assert "Billions of tokens 60.00" in shown
    assert "Day Cost, $ Accel.-hours Billions of tokens Repeated Loss" in shown
    assert "3 Sep 2025 384.00 384.0 40.000 0.000" in shown
    assert "2 Sep 2025 384.00 384.0 20.000 0.000" in shown
