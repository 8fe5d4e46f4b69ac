"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.overview import queries as overview_queries
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind.source_rows import inputs
from dashboard.snapshot.rows_behind.spend import SHARE
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


def test_the_share_of_training_is_of_90_settled_days_whatever_other_bills_wait_for(
    world: World,
) -> None:
    """Another payer's bill ends on 30 June; the GPU run of May is not of the last 90 days."""
    stalled = {"BillingAccountId": "999900000002", "SubAccountId": "999900000002"}
    world.run("g1", "p4d.24xlarge", "2025-05-01T00:00:00", 24, 10, 2)
    world.run("t1", "trn1.32xlarge", "2025-10-01T00:00:00", 24, 16, 2)
    world.charge("2025-06-30T00:00:00", 1, x_UsageType="Requests-Tier1", **stalled)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    app = Flask("stalled")
    attach_data(app, world.build().settings)
    with app.app_context():
        assert overview_queries.training_share() == [
            {"hardware": "trainium", "hours": 384, "cost": 384}
        ]
        behind = inputs(SHARE, View())
    assert (behind["Trainium accelerator-hours"], behind["GPU accelerator-hours"]) == (384, 0)
