"""Why the saving at the old volume is unknown: which work was trained too little on GPU."""

from __future__ import annotations

from flask import Flask

from dashboard.snapshot import break_even
from dashboard.snapshot.context import attach_data
from tests.conftest import migrated
from tests.support.world import World


def test_work_without_a_pace_is_named_and_work_that_has_one_is_not(world: World) -> None:
    """`atlas-7b` trained for months on GPU; `quick` twice in eleven days, then on Trainium.

    `single` has one GPU run, so nothing is known to be saved, and nothing is missing there.
    """
    migrated(world)
    for run, machine, day in (
        ("g1", "p4d.24xlarge", "08-20"), ("g2", "p4d.24xlarge", "08-24"),
        ("t1", "trn1.32xlarge", "08-31"),
    ):  # fmt: skip
        world.run(run, machine, f"2025-{day}T00:00:00", 10, 20, 2, workload="quick", recipe="full")
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 10, 20, 2, workload="single")
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 10, 16, 2, workload="single")
    world.charge("2025-10-30T00:00:00", 1)
    marts = world.build()
    app = Flask("paceless")
    attach_data(app, marts.settings)
    with app.app_context():
        whole, own = break_even.paceless_kinds(), break_even.paceless_kinds("atlas-7b")
    assert whole == [{"workload": "quick", "recipe": "full", "gpu_runs": 2, "gpu_days": 11}]
    assert own == []
    assert marts.standing()["saving_at_old_volume"] is not None
    assert marts.standing("(portfolio)")["saving_at_old_volume"] is None
