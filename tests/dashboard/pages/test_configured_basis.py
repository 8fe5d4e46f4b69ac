"""METHOD §2.1: what pages show of the bill is on the basis that they name, and on one basis."""

from __future__ import annotations

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.overview import queries as overview
from dashboard.pages.rates import queries as rates
from dashboard.pages.runs import queries as runs
from dashboard.pages.trust import queries as trust
from dashboard.snapshot import published
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind.source_rows import inputs
from dashboard.snapshot.rows_behind.spend import SHARE, UNTAGGED_SPEND
from dashboard.widgets.headline.sentence import basis_line
from tests.support.dashboard.text import text
from tests.support.world import World


def test_untagged_spend_and_shares_are_on_the_basis_that_the_page_names(world: World) -> None:
    """10 hours without a tag are $160.00 as paid, and at list prices $215.00; 20 of a run $430."""
    world.hours("2025-09-02T00:00:00", 10, "trn1.32xlarge", 16, {})
    world.run("t1", "trn1.32xlarge", "2025-09-03T00:00:00", 20, 16, 2)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    server = Flask("listed")
    attach_data(server, world.build(cost={"basis": "list"}).settings)
    with server.app_context():
        assert overview.untagged() == {"cost": 215}
        assert [row["cost"] for row in overview.untagged_hardware()] == [215]
        assert [row["cost"] for row in overview.training_share()] == [430]
        assert trust.untagged_share() == {"untagged": 215, "cost": 645}
        assert inputs(UNTAGGED_SPEND, View())["Untagged, $"] == 215
        assert inputs(SHARE, View())["Trainium cost, $"] == 430
        said = text(basis_line(published.snapshot() or {}))
    assert said.startswith("List cost")


def test_hours_that_were_paid_for_before_have_no_cost_as_billed(world: World) -> None:
    """Ten hours of a plan paid upfront are $0 on their day's bill and cost $160.00: not nothing."""
    tags, paid = {"workload": "atlas-7b", "run": "t1"}, {"BilledCost": 0}
    world.hours("2025-09-02T00:00:00", 10, "trn1.32xlarge", 16, tags, **paid)
    world.sample("2025-09-02T00:00:00", "t1", 0)
    world.sample("2025-09-02T10:00:00", "t1", 2)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    server = Flask("prepaid")
    attach_data(server, world.build(cost={"basis": "billed"}).settings)
    with server.app_context():
        (day,) = runs.run_days("atlas-7b", "t1", "epoch")
        (rate,) = rates.rates(View())
        assert (runs.run("atlas-7b", "t1") or {})["cost"] is day["cost"] is None
        assert (rate["hours"], rate["cost"], rate["unpriced"]) == (None, None, 160)
        assert trust.untagged_share() == {"untagged": 0, "cost": None}
