"""What-if: the arithmetic by hand, and METHOD §8 A as one."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.documents.what_if import document, lines
from models.engine.starting_points import starting_point
from models.forecast.assumptions import assumed, lacking
from models.forecast.migration import Migration
from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import what_if
from tests.support.world import Marts, World

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
    for workload in ("vega", "dud", "waned", "poor", "kept", "later"):
        for name, hours, day in (("g1", 100, "02"), ("g2", 110, "12")):
            start = f"2025-05-{day}T00:00:00"
            world.run(name, "p4d.24xlarge", start, hours, 25, 10, workload=workload)
    world.run("v1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4, workload="vega")
    odd = {"workload": "vega", "recipe": "qlora"}
    world.run("v2", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 4, **odd)
    world.run("d1", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 0, workload="dud")
    world.run("w0", "trn1.32xlarge", "2025-07-01T00:00:00", 25, 16, 20, workload="waned")
    for week in range(12):
        start = f"{date(2025, 8, 6) + timedelta(weeks=week)}T00:00:00"
        world.run(f"w{week + 1}", "trn1.32xlarge", start, 10, 16, "0.8", workload="waned")
    for month in ("07", "09"):
        start = f"2025-{month}-02T00:00:00"
        world.run(f"k{month}", "trn1.32xlarge", start, 25, 16, 4, workload="kept")
    for day in ("02", "09"):
        start = f"2025-09-{day}T00:00:00"
        world.run(f"p{day}", "trn1.32xlarge", start, 25, 16, 4, workload="poor", loss=3.0)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    engineering = {"kind": "engineering", "days": 10, "day_rate": 1000}
    upkeep = {"kind": "upkeep", "amount_per_month": 150}
    world.config["investments"] = [
        {"workload": "atlas-7b", "date": "2025-08-15"} | engineering,
        {"workload": "vega", "date": "2025-08-15"} | engineering,
        *({"workload": w, "date": "2025-06-15"} | engineering for w in ("waned", "poor", "kept")),
        {"workload": "kept", "date": "2025-09-28"} | upkeep | {"amount_per_month": 15},
        {"workload": "kept", "date": "2025-10-28"} | upkeep | {"amount_per_month": 6},
        {"workload": "kept", "date": "2025-10-29"} | upkeep | {"amount_per_month": 9},
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
        upkeep_per_month=D(0),  # begins after the last settled day
        saved_so_far=D("1138.125"),
        gpu_cost_per_run=D("879.375"),
        trn_cost_per_run=D(500),
        mean_gpu_cost_per_run=D("879.375"),
        mean_trn_cost_per_run=D(500),
        mean_upkeep_per_run=D(0),
        status="recovering",
    )
    found = what_if(assumed({}, point, 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("379.375"), 24)
    said = {"trn_cost_per_run": D(400), "runs_per_month": D(2), "upkeep_per_month": D(150)}
    cheaper = what_if(assumed(said, point, 24))
    assert cheaper.net_per_month == D("808.75")  # 2 × 479.375 − 150
    assert cheaper.runs_to_break_even == 22  # 8,861.875 ÷ (479.375 − 75) = 21.91


def test_what_runs_cost_and_saved_is_published_of_all_days_and_of_the_last_weeks(
    told: Settings,
) -> None:
    (pace,) = Marts(told).rows("SELECT * FROM paces WHERE workload = 'waned'")
    assert (pace["runs"], pace["recent_runs"]) == (13, 12)
    assert (pace["epochs"], pace["recent_epochs"]) == (D("29.6"), D("9.6"))
    assert (pace["counterfactual"], pace["recent_counterfactual"]) == (D("5205.9"), D("1688.4"))
    assert (pace["trn_cost"], pace["recent_trn_cost"]) == (2320, 1920)
    (unknown,) = Marts(told).rows("SELECT * FROM paces WHERE workload = 'nova-1b'")
    assert (unknown["epochs"], unknown["counterfactual"]) == (2, None)


def test_a_workload_that_lost_its_saving_is_losing_and_never_pays_at_this_pace(
    told: Settings,
) -> None:
    """Once 20 epochs for $400; since then 12 runs of $160 for 0.8 × $175.875 of GPU work."""
    standing = Marts(told).standing("waned")
    assert (standing["status"], standing["payback_months"]) == ("losing", None)
    assert standing["runs_to_break_even"] == 33  # 7,114.10 ÷ ((3,117.50 − 231.60) ÷ 13) = 32.05
    asked = assumed({}, starting_point("waned", told), 24)
    found = what_if(asked)
    assert (found.gpu_cost_per_run, found.trn_cost_per_run) == (D("140.7"), 160)
    assert found.net_per_month == D("-83.633333333")  # −19.30 × 12 ÷ 12 × 52 ÷ 12
    assert (found.payback_months, found.runs_to_break_even, found.never) == (None, 33, True)
    assert found.cumulative_net == D("-9121.3")  # −7,114.10 − 24 × 83.633…
    said = lines(asked, found)
    assert said[0].startswith("Losing")
    assert "$221.99 each" in said[-1]
    assert any(line.split() == ["Months", "to", "break", "even", "never"] for line in said)
    hope = what_if(assumed({"gpu_cost_per_run": D(200)}, starting_point("waned", told), 24))
    assert hope.net_per_run == 40  # what is said of a run, whatever those before it saved
    assert hope.runs_to_break_even == 178  # 7,114.10 ÷ 40


def test_upkeep_is_that_of_the_settled_days_as_in_break_even(told: Settings) -> None:
    """15 a month from 28 Sep, 6 from 28 Oct: 1.50 + 13.548… + 0.193… until 28 Oct; 9 come later."""
    standing = Marts(told).standing("kept")
    found = what_if(assumed({}, starting_point("kept", told), 24))
    # 10,015.241935484 − 607 ÷ (303.50 − 15.241935484 ÷ 2)
    assert found.net_per_run == D("295.879032258")
    assert found.runs_to_break_even == standing["runs_to_break_even"] == 32
    # ÷ (303.50 ÷ 12 × 52 ÷ 12 − 21)
    assert found.payback_months == round(D(standing["payback_months"]), 9) == D("106.191161523")


@pytest.mark.parametrize("name", ["atlas-7b", "waned", "kept", "poor", "dud", "vega"])
def test_options_that_change_nothing_change_nothing(told: Settings, name: str) -> None:
    known = starting_point(name, told)
    plain = what_if(assumed({}, known, 24))
    options = {n: v for n, v in asdict(known).items() if isinstance(v, D) and n != "credited"}
    options = {n: v for n, v in options.items() if not n.startswith("mean_")}
    exact = {n: v for n, v in options.items() if n == "runs_per_month"}
    rounded = {n: round(v, 9) for n, v in options.items() if n not in exact}
    none = {
        f"{side}_{what}": D(0) for side in ("gpu", "trn") for what in ("price_change", "discount")
    }
    for same in (rounded, exact, none, rounded | exact | none):
        assert what_if(assumed(same, known, 24)) == plain
    assert plain.runs_to_break_even == Marts(told).standing(name)["runs_to_break_even"]


@pytest.mark.parametrize("name", ["atlas-7b", "waned", "kept"])
def test_a_little_more_of_an_option_is_a_little_more_of_the_result(
    told: Settings, name: str
) -> None:
    known = starting_point(name, told)
    plain, little = what_if(assumed({}, known, 24)), D("0.0000001")
    assert known.runs_per_month is not None
    assert known.porting_cost is not None
    nudges = {
        "runs_per_month": known.runs_per_month * (1 + little),
        "porting_cost": known.porting_cost + little,
        "upkeep_per_month": known.upkeep_per_month + little,
        "gpu_price_change": little,
        "trn_discount": little,
    }
    for option, value in nudges.items():
        found = what_if(assumed({option: value}, known, 24))
        assert found != plain
        for figure in ("net_per_run", "net_per_month", "cumulative_net"):
            assert abs(getattr(found, figure) - getattr(plain, figure)) < D("0.01"), option


def test_upkeep_and_cadence_that_change_change_what_a_run_bears_of_it(told: Settings) -> None:
    """Of 303.50 it bore 7.620967742 so far, at 21 a month and a run each 12 weeks."""
    known = starting_point("kept", told)
    found = {
        name: what_if(assumed(said, known, 24)).net_per_run
        for name, said in {
            "without": {"upkeep_per_month": D(0)},
            "double": {"upkeep_per_month": D(42)},
            "often": {"runs_per_month": D(52) / D(72)},
        }.items()
    }
    assert found == {
        "without": D("303.5"),
        "double": D("288.258064516"),
        "often": D("299.689516129"),
    }


def test_runs_that_do_not_compare_are_runs_here_as_on_the_overview(told: Settings) -> None:
    """METHOD §6: 9,696.50 owed ÷ (303.50 ÷ 2 production lineages), rounded up."""
    marts = Marts(told)
    assert marts.standing("vega")["runs_to_break_even"] == 64
    found = what_if(assumed({}, starting_point("vega", told), 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("151.75"), 64)


def test_what_earns_no_credit_loses_what_it_costs(told: Settings) -> None:
    for name, why in (("poor", "below parity"), ("dud", "no progress")):
        found = what_if(assumed({}, starting_point(name, told), 24))
        assert (found.saving_per_run, found.never) == (-400, True)
        assert why in found.reason
        assert found.reason.endswith("a Trainium run loses $400.00")
    longer = assumed({"epochs_per_run": D(8)}, starting_point("poor", told), 24)
    assert (longer.gpu_cost_per_run, longer.trn_cost_per_run) == (0, 800)
    given = assumed({"gpu_cost_per_epoch": D(500)}, starting_point("poor", told), 24)
    assert given.gpu_cost_per_run == 0


def test_a_workload_that_has_not_moved_is_asked_for_its_epochs(told: Settings) -> None:
    asked = assumed({}, starting_point("later", told), 24)
    found = what_if(asked)
    assert "how many epochs a run trains, each $175.88 on GPU" in found.reason
    assert "what a Trainium run costs" in found.reason
    lacks = ["--epochs-per-run", "--trn-cost-per-run", "--runs-per-month", "--porting-cost"]
    assert lacking(asked) == lacks
    assert ", ".join(lacks) in lines(asked, found, lacking(asked))[-1]
    some = assumed({"epochs_per_run": D(4)}, starting_point("later", told), 24)
    assert some.gpu_cost_per_run == D("703.5")


def test_without_an_investment_nothing_is_paid_back(told: Settings) -> None:
    """As METHOD §6 claims no break-even; a cost of the move that is said gives one."""
    known = replace(starting_point("atlas-7b", told), porting_cost=None)
    found = what_if(assumed({}, known, 24))
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.reason == "unknown: nobody knows what the move cost"


def test_what_has_paid_already_is_not_never_and_says_when_it_is_lost_again() -> None:
    paid = Migration(D(500), D(600), D(2), D(1000), saved_so_far=D(1500))
    found = what_if(paid)
    assert (found.never, found.paid, found.payback_months) == (False, True, None)
    assert found.months_until_lost == D("2.5")  # 500 ÷ 200
    assert found.reason == (
        "paid back already: at this pace a month loses $200.00, and the $500.00 that it is ahead "
        "are lost again in 2.5 months"
    )
    assert any(line.endswith("paid already") for line in lines(paid, found))
    still = what_if(replace(paid, trn_cost_per_run=D(500)))
    assert still.reason == "paid back already: at this pace a month saves nothing more"
    assert what_if(replace(paid, saved_so_far=D(900))).never


def test_a_document_has_no_more_places_than_are_stored() -> None:
    asked = Migration(D(10) / 3, D(1), D(1), D(10) / 7)
    told = document(asked, what_if(asked))
    assert told["assumed"]["gpu_cost_per_run"] == "3.333333333"
    assert told["assumed"]["porting_cost"] == "1.428571429"


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
    assert "a what-if is about one workload" in str(caught.value)
