"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from flask import Flask

from dashboard.pages.overview import queries as overview_queries
from dashboard.snapshot.context import attach_data
from tests.support.world import World


def test_a_tag_that_is_not_activated_never_passes_for_a_move_not_begun(world: World) -> None:
    """Progress names a workload, all of the bill stands under no tag: nothing is judged."""
    world.hours("2025-09-02T00:00:00", 10, "trn1.32xlarge", 16, {})
    world.hours("2025-09-02T00:00:00", 10, "p4d.24xlarge", 25, {})
    world.sample("2025-09-02T00:00:00", "t1", 0)
    world.sample("2025-09-02T10:00:00", "t1", 2)
    world.charge("2025-10-30T00:00:00", 1)
    marts = world.build()
    said = (
        "no production Trainium run has settled yet; "
        "but $160.00 (effective) of Trainium spend names no run or workload"
    )
    told = marts.rows("SELECT workload, status, reason FROM break_even ORDER BY 1")
    assert [tuple(row.values()) for row in told] == [
        ("(portfolio)", "not_started", said),
        ("atlas-7b", "not_started", said),
    ]
    app = Flask("untagged")
    attach_data(app, marts.settings)
    with app.app_context():
        assert not overview_queries.anything_tagged()
        spend = {row["hardware"]: row["cost"] for row in overview_queries.untagged_hardware()}
    assert spend == {"gpu": 250, "trainium": 160}
