"""METHOD §6: the portfolio is the sum of its workloads, and of what was spent on each."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
UPKEEP = 3000 + Decimal("903.225806452")
"""Three months and 28 of 31 days."""
LATELY = Decimal("838.709677419") + 1000 + Decimal("903.225806452")
"""Of them, the 84 days from 6 August on."""


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
    return some_marts(
        settings, "break_even", "monthly_summary", "portfolio_daily", "recent_windows"
    )


def test_what_is_spent_on_a_workload_without_a_bill_is_invested_and_its_upkeep_lost(
    marts: Marts,
) -> None:
    row = marts.standing("planned")
    assert (row["status"], row["cumulative_investment"]) == ("investing", 3700)
    assert row["cumulative_net_saving"] == -UPKEEP


def test_the_portfolio_has_every_loss_and_every_investment(marts: Marts) -> None:
    """1,138.125 + 703.50 − 5,000 of atlas, 303.50 + 359.375 of the slow payer's workload."""
    row = marts.standing("(portfolio)")
    gross = Decimal("-3158.375") + Decimal("662.875")
    net = gross - UPKEEP
    assert (row["status"], row["cumulative_net_saving"]) == ("losing", net)
    assert row["cumulative_investment"] == 1000 + 5000 + 3700
    assert row["cumulative_net"] == net - 9700
    months = marts.row(
        "SELECT sum(net_saving) AS net, sum(investment) AS spent, sum(trn_cost) AS cost "
        "FROM monthly_summary WHERE workload = '(portfolio)'"
    )
    assert tuple(months.values()) == (net, 9700, 1500 + 5000 + 920)
    flows = marts.row(
        "SELECT sum(counterfactual - trn_cost) AS flows, sum(gross_saving) AS gross "
        "FROM portfolio_daily WHERE settled"
    )
    assert flows["flows"] == flows["gross"] == gross


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


def test_the_window_of_the_portfolio_is_the_sum_of_its_workloads_windows(marts: Marts) -> None:
    """That of the slow payer's workload ends on the last day that its bill settles, in September.

    None is 0 runs, and no reason to know nothing.
    """
    rows = marts.rows(
        "SELECT workload, cutoff, runs, upkeep, net_saving FROM recent_windows "
        "WHERE newest AND workload <> 'week' AND workload <> 'longer' ORDER BY workload"
    )
    settled, own, slow = date(2025, 10, 28), Decimal("-3158.375"), Decimal("662.875")
    assert [tuple(row.values()) for row in rows] == [
        ("(portfolio)", settled, 6, LATELY, own + slow - LATELY),
        ("atlas-7b", settled, 4, 0, own),
        ("planned", settled, 0, LATELY, -LATELY),
        ("slow", date(2025, 9, 9), 2, 0, slow),
        ("stalled", date(2025, 5, 16), 0, 0, 0),
    ]


def test_a_payer_that_fell_silent_is_named(marts: Marts) -> None:
    said = (
        "settled through 2025-05-16 only: nothing newer was delivered for billing account stalled"
    )
    assert said in marts.standing("stalled")["reason"]
    held = "settled less far than the others: longer, slow, stalled"
    assert marts.standing("(portfolio)")["reason"].partition("; ")[2].startswith(held)
    assert "only: nothing newer" not in marts.standing("week")["reason"]
    assert "settled" not in marts.standing("atlas-7b")["reason"]
