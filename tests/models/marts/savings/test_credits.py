"""Credits stand apart (METHOD §7), and what is tagged as all workloads is nobody's (§2.6)."""

from __future__ import annotations

import pytest

from tests.conftest import migrated
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

ASKED = ("cost_per_epoch", "break_even", "monthly_summary", "tie_out")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    return some_marts(migrated(World(tmp_path_factory.mktemp("plain"))).pulled(), *ASKED)


@pytest.fixture(scope="module")
def charged(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """With credits, and with charges that are tagged as all workloads."""
    world = migrated(World(tmp_path_factory.mktemp("charged")))
    credited = {"workload": "atlas-7b", "run": "t1"}
    world.charge("2025-09-02T00:00:00", -300, ChargeCategory="Credit", tags=credited)
    world.charge("2025-09-30T00:00:00", -50, ChargeCategory="Credit")
    world.charge("2025-03-15T00:00:00", -40, ChargeCategory="Credit")
    tags = {"workload": "(portfolio)"}
    world.hours("2025-09-20", 10, "trn1.32xlarge", 30, tags)
    world.hours("2025-09-21", 1, "trn1.32xlarge", 50, {**tags, "run": "t8"})
    world.charge("2025-09-20T00:00:00", 7, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    return some_marts(world.pulled(), *ASKED)


def test_credits_change_no_cost_per_epoch(plain: Marts, charged: Marts) -> None:
    query = "SELECT * FROM cost_per_epoch ORDER BY ALL"
    assert charged.rows(query) == plain.rows(query) != []
    paid, free = charged.standing(), plain.standing()
    assert paid.pop("credit_share") > free.pop("credit_share") == 0
    assert paid == free
    credit = charged.rows(
        "SELECT workload, credits FROM monthly_summary WHERE month = '2025-09' ORDER BY 1"
    )
    assert [tuple(row.values()) for row in credit] == [("(portfolio)", -350), ("atlas-7b", -300)]


def test_a_credit_of_a_month_without_training_stands_on_the_portfolio_row(charged: Marts) -> None:
    """METHOD §7: every credit stands on the portfolio's row of its billing month."""
    rows = charged.rows(
        "SELECT month, credits FROM monthly_summary WHERE workload = '(portfolio)' AND credits != 0"
    )
    assert {row["month"]: row["credits"] for row in rows} == {"2025-03": -40, "2025-09": -350}


def test_a_workload_tagged_as_all_of_them_is_untagged_and_adds_no_dollar(
    plain: Marts, charged: Marts
) -> None:
    """METHOD §2.6: each cent in one bucket; a run that names no workload is `untagged`."""
    same = plain.standing("(portfolio)")
    share = charged.standing("(portfolio)")["credit_share"]
    assert charged.standing("(portfolio)") == same | {"credit_share": share}
    assert [
        row["workload"]
        for row in charged.rows(
            "SELECT workload FROM monthly_summary WHERE month = '2025-09' ORDER BY 1"
        )
    ] == ["(portfolio)", "atlas-7b"]
    row = charged.row(
        "SELECT sum(direct) AS direct, sum(untagged) AS untagged, sum(other) AS other,"
        " sum(credit) AS credit, sum(bill_total) AS total, sum(remainder) AS remainder"
        " FROM tie_out WHERE month = '2025-09' AND basis = 'effective'"
    )
    spent = {"direct": 1500, "untagged": 350, "other": 7}
    assert row == {**spent, "credit": -350, "total": 1857 - 350, "remainder": 0}
