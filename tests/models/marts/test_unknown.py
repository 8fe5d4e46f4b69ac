"""What is not known is null and says why: on a run, a workload, the portfolio."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1 = "trn1.32xlarge"
GROSS = Decimal("1138.125")
PORTFOLIO = "(portfolio)"
NEVER_ON_GPU = "no GPU run is known to compare with"
MONTHS = "SELECT * FROM monthly_summary WHERE workload = '(portfolio)' ORDER BY month"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A beside a workload with one GPU run, Trainium overhead and a loss of its own."""
    world = World(tmp_path_factory.mktemp("unknown"))
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    world.run("t2", TRN1, "2025-09-08T00:00:00", "32.5", 16, 5)
    world.run("t3", TRN1, "2025-09-15T00:00:00", "36.25", 16, 6)
    world.run("h0", "p4d.24xlarge", "2025-05-03T00:00:00", 10, 25, 1, workload="harbor")
    world.run("hp", TRN1, "2025-08-20T00:00:00", 10, 16, 1, workload="harbor", purpose="port")
    more = {"workload": "harbor", "resumed_from": "hp"}
    world.run("h1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, **more)
    world.hours("2025-09-20T00:00:00", 5, TRN1, 16, {"workload": "harbor"})
    world.sample("2025-09-21T00:00:00", "lost", 0, workload="silent")
    world.sample("2025-09-22T00:00:00", "lost", 3, workload="silent")
    world.run("o0", "p4d.24xlarge", "2025-05-03T00:00:00", 10, 25, 1, workload="odd", recipe="full")
    world.run("o1", TRN1, "2025-10-02T00:00:00", 10, 16, 1, workload="odd", recipe="lora")
    world.run("o2", TRN1, "2025-10-29T00:00:00", 10, 16, 1, workload="odd", recipe="full")
    world.run("t4", TRN1, "2025-10-29T00:00:00", 10, 16, 2)
    world.run("t5", TRN1, "2025-10-05T00:00:00", 10, 16, 2, recipe="lora")
    unpriced = {"workload": "atlas-7b", "run": "t6"}
    world.hours("2025-10-06T00:00:00", 10, TRN1, 0, unpriced, ListCost=0)
    for hour, epoch in ((0, 0), (9, 2)):
        world.sample(f"2025-10-06T0{hour}:00:00", "t6", epoch, loss=1.5)
    world.charge("2025-10-30T00:00:00", 1)
    asked = ("break_even", "monthly_summary", "savings_daily", "baselines", "runs")
    return some_marts(world.pulled(), *asked)


def test_what_is_left_out_is_named_with_its_dollars(marts: Marts) -> None:
    """351.75 less 160; what compares with nothing, or has no baseline, is named with its cost."""
    saved, cost = Decimal("191.75"), Decimal(160)
    own = {"cost_unknown": None, "not_comparable": cost, "unsettled": saved}
    assert marts.standing()["left_out"] == own
    whole = marts.standing(PORTFOLIO)["left_out"]
    known = {"insufficient_baseline": 400, "not_comparable": 320, "unsettled": Decimal("351.75")}
    assert whole == known | dict.fromkeys(("cost_unknown", "no_accelerator_hours"))
    words = "Trainium runs on Capacity Blocks are left out"
    assert words in marts.standing()["reason"]
    assert words in marts.standing(PORTFOLIO)["reason"]


def test_a_month_with_a_run_of_unknown_cost_has_an_unknown_cost(marts: Marts) -> None:
    """What compares is saved all the same: the run is left out of it."""
    found = marts.rows(
        "SELECT month, trn_cost, gross_saving FROM monthly_summary "
        "WHERE workload = 'atlas-7b' AND month >= '2025-09' ORDER BY month"
    )
    assert [tuple(row.values()) for row in found] == [
        ("2025-09", Decimal(1500), GROSS),
        ("2025-10", None, 0),
    ]


def test_where_only_another_recipe_has_settled_a_lack_of_gpu_runs_is_what_is_said(
    marts: Marts,
) -> None:
    standing = marts.standing("odd")
    assert standing["status"] == "insufficient_baseline"
    assert "Capacity Blocks" not in standing["reason"]


def test_the_portfolios_saving_per_epoch_is_of_the_epochs_that_saved(marts: Marts) -> None:
    whole = marts.standing(PORTFOLIO)
    assert whole["cumulative_gross_saving"] == GROSS
    assert whole["saving_per_epoch"] == GROSS / 15


def test_every_overhead_is_deducted_from_the_portfolio(marts: Marts) -> None:
    (september,) = [row for row in marts.rows(MONTHS) if row["month"] == "2025-09"]
    assert september["gross_saving"] == GROSS
    assert september["overhead"] == 80
    assert september["net_saving"] == GROSS - 80
    assert marts.standing(PORTFOLIO)["cumulative_net_saving"] == GROSS - 80


def test_a_baseline_that_lacks_a_run_says_how_many_there_are(marts: Marts) -> None:
    found = marts.row(
        "SELECT DISTINCT runs, value, reason FROM baselines "
        "WHERE workload = 'harbor' AND date = '2025-09-02'"
    )
    assert (found["runs"], found["value"]) == (1, None)
    assert found["reason"].endswith("fewer than 2 qualifying GPU runs have ended (1)")


def test_quality_is_judged_without_a_baseline_and_the_days_are_named(marts: Marts) -> None:
    month = "SELECT * FROM monthly_summary WHERE workload = 'harbor' AND month = '2025-09'"
    assert marts.row(month)["parity"] is None
    run = marts.row("SELECT parity, credited_epochs FROM runs WHERE run = 'h1'")
    assert run == {"parity": "parity", "credited_epochs": 3}  # 4, one of them the port's
    standing = marts.standing("harbor")
    assert standing["left_out"] == {"insufficient_baseline": 400}
    assert not standing["flagged"]
    days = "SELECT gross_saving FROM savings_daily WHERE workload = 'harbor' AND date = ?"
    known = {day: marts.row(days, date(2025, *day))["gross_saving"] for day in ((8, 20), (9, 2))}
    assert known == {(8, 20): 0, (9, 2): None}
    assert marts.standing(PORTFOLIO)["left_out"]["insufficient_baseline"] == 400


def test_a_run_that_nothing_was_charged_for_has_no_cost(marts: Marts) -> None:
    assert marts.standing("silent")["reason"] == "no production Trainium run has settled yet"
    run = marts.row("SELECT * FROM runs WHERE run = 'lost'")
    assert run["epochs"] == 3
    for name in ("cost", "cost_per_epoch", "idle_cost", "repeated_cost", "unsettled"):
        assert run[name] is None, name


def test_a_month_of_runs_that_no_bill_names_has_no_cost(marts: Marts) -> None:
    """The portfolio's is that of the runs that are known; what is left out is named."""
    costs = "SELECT gpu_cost, trn_cost FROM monthly_summary WHERE month = '2025-09' AND workload"
    assert marts.row(f"{costs} = 'silent'") == {"gpu_cost": None, "trn_cost": None}
    assert marts.row(f"{costs} = '(portfolio)'") == {"gpu_cost": 0, "trn_cost": 1500 + 400}
    (after,) = marts.rows(
        "SELECT gpu_cost, trn_cost FROM monthly_summary"
        " WHERE month = '2025-10' AND workload = 'silent'"
    )
    assert after == {"gpu_cost": 0, "trn_cost": 0}


def test_where_no_saving_is_known_the_portfolio_has_none(world: World) -> None:
    world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4)
    for run in ("h1", "h2"):  # a baseline of a workload that has not moved
        world.run(run, "p4d.24xlarge", "2025-05-02T00:00:00", 10, 25, 1, workload="harbor")
    world.charge("2025-10-30T00:00:00", 1)
    entry = {"date": date(2025, 8, 15), "kind": "partner", "amount": 500, "workload": "atlas-7b"}
    marts = some_marts(world.pulled(investments=[entry]), "break_even", "monthly_summary")
    whole = marts.standing(PORTFOLIO)
    assert (whole["status"], whole["reason"]) == ("not_comparable", NEVER_ON_GPU)
    for name in ("cumulative_gross_saving", "cumulative_net", "saving_per_epoch", "roi"):
        assert whole[name] is None, name
    assert whole["cumulative_investment"] == 500
    savings = {row["month"]: row["net_saving"] for row in marts.rows(MONTHS)}
    assert savings == dict.fromkeys(("2025-05", "2025-06", "2025-07"), 0) | {
        "2025-08": 0,
        "2025-09": None,
        "2025-10": None,
    }


def test_a_bill_without_any_workload_still_has_its_portfolio(world: World) -> None:
    world.charge("2025-10-30T00:00:00", 7)
    world.hours("2025-10-20T00:00:00", 1, TRN1, 0, {}, ListCost=0)
    whole = some_marts(world.pulled(), "break_even").row("SELECT * FROM break_even")
    assert (whole["workload"], whole["status"]) == (PORTFOLIO, "not_started")
    assert whole["reason"] == "no production Trainium run has settled yet"
    assert whole["cumulative_net"] is None
    spent = {"date": date(2025, 9, 1), "kind": "partner", "amount": 500}
    settings = world.settings(investments=[spent])
    whole = some_marts(settings, "break_even").row("SELECT * FROM break_even")
    assert (whole["workload"], whole["status"]) == (PORTFOLIO, "investing")
    assert (whole["cumulative_investment"], whole["cumulative_net"]) == (500, -500)


@pytest.fixture(scope="module")
def unpaid(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A, ported on a block without a fee; "boxes" left such hours idle, "plan" a plan.

    The one production run of "block" is on such a block, and a GPU run of "plan".
    """
    world = migrated(World(tmp_path_factory.mktemp("unpaid")))
    ported = {"workload": "atlas-7b", "run": "port"}
    world.hours("2025-08-20T00:00:00", 24, TRN1, 0, ported, ListCost=0)
    world.hours("2025-09-20T00:00:00", 9, TRN1, 0, {"workload": "block", "run": "b"}, ListCost=0)
    free = {"workload": "plan", "run": "free"}
    world.hours("2025-09-20T00:00:00", 9, "p4d.24xlarge", 0, free, ListCost=0)
    for workload, run, month in (("atlas-7b", "port", "08"), ("block", "b", "09"),
                                 ("plan", "free", "09")):  # fmt: skip
        for hour in (0, 9):
            at = f"2025-{month}-20T{hour:02}:00:00"
            world.sample(at, run, hour / 9, workload=workload, loss=1.5)
    world.hours("2025-08-20T00:00:00", 24, TRN1, 16, ported | {"run": "again"})
    for workload in ("boxes", "plan"):
        for run, machine, day in (("g1", "p4d.24xlarge", "05-02"), ("g2", "p4d.24xlarge", "05-12"),
                                  ("t1", TRN1, "09-02"), ("t2", TRN1, "09-12")):  # fmt: skip
            start = f"2025-{day}T00:00:00"
            world.run(f"{workload}-{run}", machine, start, 24, 25, 2, workload=workload)
    world.hours("2025-09-20T00:00:00", 24, TRN1, 0, {"workload": "boxes"}, ListCost=0)
    covered = {"CommitmentDiscountId": "plan-1", "CommitmentDiscountStatus": "Used"}
    taken_back = covered | {"ChargeClass": "Correction"}
    for run, hours, how in (("t1", 5, covered), ("t2", 5, covered), ("t2", -5, taken_back)):
        tags = {"workload": "plan", "run": f"plan-{run}"}
        day = {"t1": "02", "t2": "12"}[run]
        world.hours(f"2025-09-{day}T00:00:00", hours, TRN1, 10, tags, **how)
    unused = {"CommitmentDiscountId": "plan-1", "CommitmentDiscountStatus": "Unused"}
    world.charge("2025-09-14T00:00:00", 100, BilledCost=0, x_UsageType="ComputeSP:1yr", **unused)
    cheap = world.config["investments"][0] | {"day_rate": 50}
    runs = [{"run": name, "purpose": "port"} for name in ("port", "again")]
    settings = world.pulled(runs=runs, investments=[cheap])
    return some_marts(settings, "break_even", "monthly_summary", "savings_daily")


def test_a_port_run_without_a_price_is_an_unknown_investment(unpaid: Marts) -> None:
    """$500 of engineering is known, so break-even would be claimed."""
    for workload in ("atlas-7b", PORTFOLIO):
        august = unpaid.row(
            "SELECT investment, cumulative_net FROM monthly_summary "
            "WHERE workload = ? AND month = '2025-08'",
            workload,
        )
        assert august == {"investment": None, "cumulative_net": None}
        assert unpaid.standing(workload)["cumulative_investment"] is None
    row = unpaid.standing()
    assert (row["status"], row["cumulative_net_saving"]) == ("recovering", GROSS)
    assert row["reason"].startswith("what the migration cost is not known yet, so no break-even")


def test_only_a_run_that_would_save_is_said_to_be_left_out(unpaid: Marts) -> None:
    rows = unpaid.rows("SELECT workload, reason, left_out FROM break_even ORDER BY workload")
    said = "; Trainium runs on Capacity Blocks are left out: their cost is not known yet"
    assert {row["workload"]: (said in row["reason"], row["left_out"] or {}) for row in rows} == {
        "(portfolio)": (True, {"cost_unknown": None}),
        "atlas-7b": (False, {}),
        "block": (True, {"cost_unknown": None}),
        "boxes": (False, {}),
        "plan": (False, {}),
    }


def test_idle_hours_without_a_price_are_an_unknown_overhead(unpaid: Marts) -> None:
    for workload in ("boxes", PORTFOLIO):
        row = unpaid.standing(workload)
        assert (row["status"], row["cumulative_net_saving"]) == ("insufficient_baseline", None)
        assert row["reason"].startswith("some Trainium hours outside any run have no known cost")
        september = unpaid.row(
            "SELECT overhead, net_saving FROM monthly_summary "
            "WHERE workload = ? AND month = '2025-09'",
            workload,
        )
        assert september == {"overhead": None, "net_saving": None}


def test_hours_that_were_taken_back_bear_no_idle_commitment(unpaid: Marts) -> None:
    idle = unpaid.rows("SELECT date, overhead FROM savings_daily WHERE overhead <> 0")
    assert idle == [{"date": date(2025, 9, 2), "overhead": 100}]
