"""METHOD §6: the portfolio is the sum of its workloads, and of what was spent on each."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
PLANNED = 3700 + 3000 + Decimal("903.225806452")
"""Three months and 28 of 31 days of upkeep, and two entries."""


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A and a dear run in October; beside it workloads of payers that fell silent."""
    world = migrated(World(tmp_path_factory.mktemp("portfolio")))
    world.run("t4", TRN1, "2025-10-01T00:00:00", 100, 50, 4)
    for workload in ("stalled", "slow"):
        for run, day, hours in (("g1", "02", 100), ("g2", "12", 110)):
            world.run(run, P4D, f"2025-05-{day}T00:00:00", hours, 25, 10, workload=workload)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload="slow")
    world.run("t2", TRN1, "2025-09-08T00:00:00", "32.5", 16, 5, workload="slow")
    for workload, day in (("week", 21), ("longer", 20)):
        payer = {"BillingAccountId": workload, "SubAccountId": workload}
        world.charge(f"2025-10-{day}T00:00:00", 1, tags={"workload": workload}, **payer)
    for charge in world.charges:
        for workload in ("stalled", "slow"):
            if f'"workload": "{workload}"' in charge.get("Tags", ""):
                charge |= {"BillingAccountId": workload, "SubAccountId": workload}
    spent = (
        ("atlas-7b", "2025-08-15", {"kind": "tooling", "amount": 1000}),
        ("stalled", "2025-08-15", {"kind": "tooling", "amount": 5000}),
        ("planned", "2025-07-01", {"kind": "upkeep", "amount_per_month": 1000}),
        ("planned", "2025-07-10", {"kind": "tooling", "amount": 3000}),
        ("planned", "2025-08-10", {"kind": "partner", "amount": 700}),
    )
    entries = [{"workload": w, "date": date.fromisoformat(day)} | e for w, day, e in spent]
    settings = world.pulled(investments=entries, workloads=[{"name": "planned"}])
    return some_marts(settings, "break_even", "monthly_summary", "portfolio_daily", "paces")


def test_what_is_spent_on_a_workload_without_a_bill_is_invested(marts: Marts) -> None:
    row = marts.standing("planned")
    assert (row["status"], row["cumulative_investment"]) == ("investing", PLANNED)


def test_the_portfolio_has_every_loss_and_every_investment(marts: Marts) -> None:
    """1,138.125 + 703.50 − 5,000 of atlas, 303.50 + 359.375 of the slow payer's workload."""
    row = marts.standing("(portfolio)")
    net = Decimal("-3158.375") + Decimal("662.875")
    assert (row["status"], row["cumulative_net_saving"]) == ("losing", net)
    assert row["cumulative_investment"] == 1000 + 5000 + PLANNED
    assert row["cumulative_net"] == net - 6000 - PLANNED
    months = marts.row(
        "SELECT sum(net_saving) AS net, sum(investment) AS spent, sum(trn_cost) AS cost "
        "FROM monthly_summary WHERE workload = '(portfolio)'"
    )
    assert tuple(months.values()) == (net, 6000 + PLANNED, 1500 + 5000 + 920)
    flows = marts.row(
        "SELECT sum(counterfactual - trn_cost) AS flows, sum(gross_saving) AS gross "
        "FROM portfolio_daily WHERE settled"
    )
    assert flows["flows"] == flows["gross"] == net


def test_until_a_first_run_is_settled_nothing_was_saved_and_nothing_is_unknown(
    world: World,
) -> None:
    """$100 were spent, and the one Trainium run, that no GPU run compares with, is of yesterday."""
    world.run("g1", P4D, "2025-05-02T00:00:00", 10, 25, 1)
    world.run("t1", TRN1, "2025-10-30T00:00:00", 10, 16, 1)
    spent = {"kind": "tooling", "amount": 100, "date": date.fromisoformat("2025-09-01")}
    row = some_marts(world.pulled(investments=[spent]), "break_even").standing("(portfolio)")
    assert (row["status"], row["cumulative_net_saving"], row["cumulative_net"]) == (
        "investing", 0, -100,
    )  # fmt: skip


def test_runs_to_come_are_counted_by_the_runs_there_were(marts: Marts) -> None:
    """None is 0 of them, and no reason to know nothing."""
    rows = marts.rows(
        "SELECT workload, runs, recent_runs, monthly_upkeep, upkeep_so_far "
        "FROM paces WHERE workload <> 'week' AND workload <> 'longer' ORDER BY workload"
    )
    upkeep = PLANNED - 3700
    assert [tuple(row.values()) for row in rows] == [
        ("(portfolio)", 6, 6, 1000, upkeep),
        ("atlas-7b", 4, 4, 0, 0),
        ("planned", 0, 0, 1000, upkeep),
        ("slow", 2, 2, 0, 0),
        ("stalled", 0, 0, 0, 0),
    ]


def test_a_payer_that_fell_silent_is_named(marts: Marts) -> None:
    said = (
        "settled through 2025-05-16 only: nothing newer was delivered for billing account stalled"
    )
    assert said in marts.standing("stalled")["reason"]
    held = "less far settled than the rest: longer, slow, stalled"
    assert marts.standing("(portfolio)")["reason"].partition("; ")[2].startswith(held)
    assert "only: nothing newer" not in marts.standing("week")["reason"]
    assert "settled" not in marts.standing("atlas-7b")["reason"]
