"""What-if: the arithmetic by hand, and METHOD §8 A as one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from models.errors import ConfigError
from models.settings import Settings
from models.starting_point import StartingPoint, assumed, starting_point
from models.what_if import Migration, what_if
from tests.world import Marts, World

D = Decimal
A = Migration(D("879.375"), D(500), runs_per_month=D(2), porting_cost=D(10000))
"""METHOD §8 A: five epochs a run, 175.875 on GPU, 100 on Trainium; twice a month."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """METHOD §8 A with upkeep, and beside it a workload without any GPU run; as of September."""
    world = World(tmp_path_factory.mktemp("told"))
    for name, hours, day in (("g1", 100, "02"), ("g2", 110, "12")):
        world.run(name, "p4d.24xlarge", f"2025-05-{day}T00:00:00", hours, 25, 10)
    for name, day, hours, epochs in (("t1", "02", 25, 4), ("t2", "08", "32.5", 5)):
        world.run(name, "trn1.32xlarge", f"2025-09-{day}T00:00:00", hours, 16, epochs)
    world.run("t3", "trn1.32xlarge", "2025-09-15T00:00:00", "36.25", 16, 6)
    world.run("n1", "trn1.32xlarge", "2025-09-15T00:00:00", 10, 16, 2, workload="nova-1b")
    for workload in ("vega", "dud"):
        for name, hours, day in (("g1", 100, "02"), ("g2", 110, "12")):
            start = f"2025-05-{day}T00:00:00"
            world.run(name, "p4d.24xlarge", start, hours, 25, 10, workload=workload)
    world.run("v1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4, workload="vega")
    odd = {"workload": "vega", "recipe": "qlora"}
    world.run("v2", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 4, **odd)
    world.run("d1", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 0, workload="dud")
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    engineering = {"kind": "engineering", "days": 10, "day_rate": 1000}
    upkeep = {"kind": "upkeep", "amount_per_month": 150}
    world.config["investments"] = [
        {"workload": "atlas-7b", "date": "2025-08-15"} | engineering,
        {"workload": "vega", "date": "2025-08-15"} | engineering,
        {"workload": "atlas-7b", "date": "2025-10-31"} | upkeep,
        {"workload": "atlas-7b", "date": "2026-10-31"} | upkeep,
    ]
    return world.build().settings


def test_a_as_a_what_if() -> None:
    found = what_if(A)
    assert found.saving_per_run == D("379.375")
    assert found.saving_per_month == found.net_per_month == D("758.75")
    assert found.runs_to_break_even == 27  # 10,000 ÷ 379.375 = 26.36
    assert found.payback_months == D("13.179571664")  # 10,000 ÷ 758.75
    assert found.cumulative_net == D("8210.00")  # 24 × 758.75 − 10,000
    assert found.roi == D("0.821")
    assert (found.never, found.reason) == (False, "if it goes on at this pace")


def test_what_was_saved_before_is_not_saved_again() -> None:
    found = what_if(Migration(D("879.375"), D(500), D(2), D(10000), saved_so_far=D("1138.125")))
    assert found.runs_to_break_even == 24  # 8,861.875 ÷ 379.375 = 23.36
    assert found.cumulative_net == D("9348.125")
    done = what_if(Migration(D(2), D(1), D(2), D(10), saved_so_far=D(10)))
    assert (done.runs_to_break_even, done.payback_months) == (0, 0)
    assert done.reason == "nothing is left to pay back"


def test_upkeep_slows_the_payback_and_is_invested() -> None:
    found = what_if(Migration(D(500), D(300), D(5), D(3600), upkeep_per_month=D(100)))
    assert (found.saving_per_month, found.net_per_month) == (1000, 900)
    assert found.runs_to_break_even == 20  # 3,600 ÷ (200 − 100 ÷ 5): exactly
    assert found.payback_months == 4
    assert found.cumulative_net == 18000  # 24 × 900 − 3,600
    assert found.roi == 3  # ÷ (3,600 + 2,400)


def test_prices_and_discounts_change_what_a_run_costs() -> None:
    changed = Migration(
        D(1000),
        D(600),
        gpu_price_change=D("-0.2"),
        gpu_discount=D("0.1"),
        trn_price_change=D("0.05"),
        trn_discount=D("0.5"),
    )
    found = what_if(changed)
    assert (found.gpu_cost_per_run, found.trn_cost_per_run) == (720, 315)
    assert found.saving_per_run == 405


def test_rounding_is_half_up_and_once() -> None:
    third = what_if(Migration(D("0.0000000015"), D(0), runs_per_month=D(3)))
    assert third.saving_per_run == D("0.000000002")
    assert third.saving_per_month == D("0.000000005")  # 0.0000000045, not 3 × 0.000000002


def test_a_cost_without_end_needs_no_run_more() -> None:
    known = StartingPoint(D(6), D(3), D(10) / D(3), None, D(10), D(0), D(0))
    assert what_if(assumed({}, known, 24)).runs_to_break_even == 1  # 10 ÷ (10 ÷ 3 × 3)


@pytest.mark.parametrize("trn", [D(500), D(501)])
def test_a_run_that_saves_nothing_never_pays(trn: Decimal) -> None:
    found = what_if(Migration(D(500), trn, D(1), D(100)))
    assert found.saving_per_run == 500 - trn
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.never
    assert found.cumulative_net == (500 - trn) * 24 - 100


def test_runs_that_do_not_carry_their_upkeep_never_pay() -> None:
    found = what_if(Migration(D(500), D(400), D(1), D(100), upkeep_per_month=D(100)))
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.reason == "never: the runs of a month save no more than their upkeep"


def test_what_is_unknown_stays_unknown_and_is_not_never() -> None:
    unpriced = what_if(Migration(None, D(500), D(1), D(100)))
    assert unpriced.saving_per_run is unpriced.roi is unpriced.runs_to_break_even is None
    assert unpriced.trn_cost_per_run == 500
    assert unpriced.reason == "unknown: nobody knows what a GPU run costs"
    idle = what_if(Migration(D(500), D(400), porting_cost=D(150)))
    assert (idle.runs_to_break_even, idle.payback_months) == (2, None)
    assert idle.reason == "months unknown: nobody said how many runs a month"
    history = what_if(Migration(D(500), D(400), D(1), D(150), saved_so_far=None))
    assert history.runs_to_break_even is history.cumulative_net is None
    assert "saved so far" in history.reason
    assert not any(outcome.never for outcome in (unpriced, idle, history))


def test_a_workload_starts_where_it_stands_today(told: Settings) -> None:
    point = starting_point("atlas-7b", told)
    assert point.runs_per_month is not None
    assert round(point.runs_per_month, 9) == D("1.083333333")  # 3 ÷ 12 weeks × 52 ÷ 12
    assert replace(point, runs_per_month=None) == StartingPoint(
        gpu_cost_per_epoch=D("175.875"),
        trn_cost_per_epoch=D(100),
        epochs_per_run=D(5),
        runs_per_month=None,
        porting_cost=D(10000),
        upkeep_per_month=D(150),
        saved_so_far=D("1138.125"),
    )
    found = what_if(assumed({"upkeep_per_month": D(0)}, point, 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("379.375"), 24)
    cheaper = what_if(assumed({"trn_cost_per_run": D(400), "runs_per_month": D(2)}, point, 24))
    assert cheaper.net_per_month == D("808.75")  # 2 × 479.375 − 150


def test_runs_that_do_not_compare_are_runs_here_as_on_the_overview(told: Settings) -> None:
    """METHOD §6: 9,696.50 owed ÷ (303.50 ÷ 2 production lineages), rounded up."""
    marts = Marts(told)
    assert marts.standing("vega")["runs_to_break_even"] == 64
    found = what_if(assumed({}, starting_point("vega", told), 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("151.75"), 64)


def test_without_an_epoch_a_run_has_no_cost_on_gpu_rather_than_none(told: Settings) -> None:
    point = starting_point("dud", told)
    assert (point.gpu_cost_per_epoch, point.epochs_per_run) == (D("175.875"), None)
    assert "GPU" in what_if(assumed({}, point, 24)).reason


def test_without_a_baseline_the_gpu_cost_is_unknown_and_can_be_given(told: Settings) -> None:
    point = starting_point("nova-1b", told)
    assert (point.gpu_cost_per_epoch, point.trn_cost_per_epoch) == (None, 80)
    assert "GPU" in what_if(assumed({}, point, 24)).reason
    given = {"gpu_cost_per_epoch": D(100), "saved_so_far": D(0), "porting_cost": D(50)}
    found = what_if(assumed(given, point, 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (40, 2)


def test_a_workload_of_no_name_is_stated(told: Settings) -> None:
    for name in ("atlas", "(portfolio)"):
        with pytest.raises(ConfigError, match="atlas-7b") as caught:
            starting_point(name, told)
        assert "\n" not in str(caught.value)
