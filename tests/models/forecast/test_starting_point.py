"""A what-if about a published workload starts from its figures and changes what is given."""

from __future__ import annotations

from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.documents.what_if import lines
from models.engine.starting_points import starting_point
from models.forecast.assumptions import assumed, lacking
from models.forecast.migration import Migration
from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import what_if
from tests.support.world import Marts, World

D = Decimal
A = Migration(D("879.375"), D(500), runs_per_month=D(2), porting_cost=D(10000))
"""METHOD §8 A: five epochs a run, 175.875 on GPU, 100 on Trainium; twice a month."""


def test_a_workload_starts_where_it_stands_today(settings: Settings) -> None:
    point = starting_point("atlas-7b", settings)
    assert point == StartingPoint(
        gpu_cost_per_epoch=D("175.875"),
        trn_cost_per_epoch=D(100),
        epochs_per_run=D(5),
        runs_per_month=None,  # 84 settled days have not passed since the cutover
        porting_cost=D(10000),
        upkeep_per_month=D(0),  # begins after the last settled day
        saved_so_far=D("1138.125"),
        gpu_cost_per_run=D("879.375"),
        trn_cost_per_run=D(500),
        status="recovering",
        covered_share=D(1),
        net_at_old_volume=D("-9642.215447190"),  # 20 ÷ 123 × 29 of 15 epochs: 357.78 saved
    )
    found = what_if(assumed({}, point, 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("379.375"), 24)
    said = {"trn_cost_per_run": D(400), "runs_per_month": D(2), "upkeep_per_month": D(150)}
    cheaper = what_if(assumed(said, point, 24))
    assert cheaper.net_per_month == D("808.75")  # 2 × 479.375 − 150
    assert cheaper.runs_to_break_even == 22  # 8,861.875 ÷ (479.375 − 75) = 21.91


def test_what_runs_of_the_recent_window_cost_and_saved_is_published(settings: Settings) -> None:
    sql = "SELECT * FROM recent_windows WHERE newest AND workload = ?"
    window = Marts(settings).row(sql, "waned")
    assert (window["lineages"], window["runs"], window["whole"]) == (12, 12, True)
    assert (window["epochs"], window["counterfactual"]) == (D("9.6"), D("1688.4"))
    assert (window["trn_cost"], window["net_saving"]) == (1920, D("-231.6"))
    unknown = Marts(settings).row(sql, "nova-1b")
    assert (unknown["epochs"], unknown["counterfactual"]) == (2, None)
    assert (unknown["lineages"], unknown["runs"], unknown["whole"]) == (1, 0, False)


def test_a_workload_that_lost_its_saving_is_losing_and_never_pays_at_this_pace(
    settings: Settings,
) -> None:
    """Once 20 epochs for $400; since then 12 runs of $160 for 0.8 × $175.875 of GPU work."""
    standing = Marts(settings).standing("waned")
    assert (standing["status"], standing["payback_months"]) == ("losing", None)
    assert standing["runs_to_break_even"] is None
    asked = assumed({}, starting_point("waned", settings), 24)
    found = what_if(asked)
    assert (found.gpu_cost_per_run, found.trn_cost_per_run) == (D("140.7"), 160)
    assert found.net_per_month == D("-83.633333333")  # −19.30 × 12 ÷ 12 × 52 ÷ 12
    assert found.net_per_month == standing["forward_per_month"]
    assert (found.payback_months, found.runs_to_break_even, found.never) == (None, None, True)
    assert found.cumulative_net == D("-9121.3")  # −7,114.10 − 24 × 83.633…
    said = lines(asked, found)
    assert said[0].startswith("Losing")
    assert any(line.split() == ["Months", "to", "break", "even", "never"] for line in said)
    hope = what_if(assumed({"gpu_cost_per_run": D(200)}, starting_point("waned", settings), 24))
    assert hope.net_per_run == 40
    assert hope.runs_to_break_even == 178  # 7,114.10 ÷ 40


def test_upkeep_is_that_of_the_recent_window_as_in_break_even(settings: Settings) -> None:
    """15 a month from 28 Sep, 6 from 28 Oct: 1.50 + 13.548… + 0.193… until 28 Oct; 9 come later.

    The window holds one of both runs.
    """
    standing = Marts(settings).standing("kept")
    found = what_if(assumed({}, starting_point("kept", settings), 24))
    upkeep = D("15.241935484")
    assert found.net_per_run == D("303.5") - upkeep
    owed = 10_000 - (607 - upkeep)
    assert found.runs_to_break_even == standing["runs_to_break_even"] == 33  # 32.64
    assert found.net_per_month == standing["forward_per_month"]
    assert found.net_per_month == round((D("303.5") - upkeep) * 52 / 144, 9)
    assert found.payback_months == round(D(standing["payback_months"]), 9)
    assert abs(found.payback_months * found.net_per_month - owed) < D("1e-6")


def test_the_end_of_training_is_that_of_break_even(settings: Settings) -> None:
    """A year of 12 months from 28 Oct 2025 on, of 24 that were asked for."""
    standing = Marts(settings).standing("kept")
    found = what_if(assumed({}, starting_point("kept", settings), 24))
    assert (found.ends_first, standing["ends_first"]) == (True, True)
    assert found.reason.endswith("but training ends first, in 12 months")
    assert abs(found.cumulative_net - standing["value_to_end"]) < D("1e-6")
    assert starting_point("waned", settings).months_to_end is None


@pytest.mark.parametrize("name", ["atlas-7b", "waned", "kept", "poor", "dud", "vega"])
def test_options_that_change_nothing_change_nothing(settings: Settings, name: str) -> None:
    known = starting_point(name, settings)
    plain = what_if(assumed({}, known, 24))
    options = {n: v for n, v in asdict(known).items() if isinstance(v, D) and n != "credited"}
    exact = {n: v for n, v in options.items() if n == "runs_per_month"}
    rounded = {n: round(v, 9) for n, v in options.items() if n not in exact}
    none = {
        f"{side}_{what}": D(0) for side in ("gpu", "trn") for what in ("price_change", "discount")
    }
    for same in (rounded, exact, none, rounded | exact | none):
        assert what_if(assumed(same, known, 24)) == plain
    assert plain.runs_to_break_even == Marts(settings).standing(name)["runs_to_break_even"]


@pytest.mark.parametrize("name", ["waned", "kept"])
def test_a_little_more_of_an_option_is_a_little_more_of_the_result(
    settings: Settings, name: str
) -> None:
    known = starting_point(name, settings)
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


def test_upkeep_and_cadence_that_change_change_what_a_run_bears_of_it(settings: Settings) -> None:
    """Of 303.50 the run of the window bore 15.241935484, the upkeep of 12 weeks."""
    known = starting_point("kept", settings)
    found = {
        name: what_if(assumed(said, known, 24)).net_per_run
        for name, said in {
            "without": {"upkeep_per_month": D(0)},
            "double": {"upkeep_per_month": known.upkeep_per_month * 2},
            "often": {"runs_per_month": D(52) / D(72)},
        }.items()
    }
    assert found == {
        "without": D("303.5"),
        "double": D("273.016129032"),
        "often": D("295.879032258"),
    }


def test_runs_that_do_not_compare_are_none_here_as_on_the_overview(settings: Settings) -> None:
    """METHOD §6: 9,696.50 owed ÷ the 303.50 of the one lineage with a known saving, rounded up."""
    marts = Marts(settings)
    assert marts.standing("vega")["runs_to_break_even"] == 32
    found = what_if(assumed({}, starting_point("vega", settings), 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (D("303.5"), 32)


def test_what_earns_no_credit_loses_what_it_costs(settings: Settings) -> None:
    for name, why in (("poor", "below parity"), ("dud", "no progress")):
        found = what_if(assumed({}, starting_point(name, settings), 24))
        assert (found.saving_per_run, found.never) == (-400, True)
        assert why in found.reason
        assert found.reason.endswith("a Trainium run loses $400.00")
    longer = assumed({"epochs_per_run": D(8)}, starting_point("poor", settings), 24)
    assert (longer.gpu_cost_per_run, longer.trn_cost_per_run) == (0, 800)
    given = assumed({"gpu_cost_per_epoch": D(500)}, starting_point("poor", settings), 24)
    assert given.gpu_cost_per_run == 0


def test_a_workload_that_has_not_moved_is_asked_for_its_epochs(settings: Settings) -> None:
    asked = assumed({}, starting_point("later", settings), 24)
    found = what_if(asked)
    assert "how many epochs a run trains, each $175.88 on GPU" in found.reason
    assert "what a Trainium run costs" in found.reason
    lacks = ["--epochs-per-run", "--trn-cost-per-run", "--runs-per-month", "--porting-cost"]
    assert lacking(asked) == lacks
    assert ", ".join(lacks) in lines(asked, found, lacking(asked))[-1]
    some = assumed({"epochs_per_run": D(4)}, starting_point("later", settings), 24)
    assert some.gpu_cost_per_run == D("703.5")


def test_without_an_investment_nothing_is_paid_back(settings: Settings) -> None:
    """As METHOD §6 claims no break-even; a cost of the move that is said gives one."""
    known = replace(starting_point("atlas-7b", settings), porting_cost=None)
    found = what_if(assumed({}, known, 24))
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.reason == "unknown: no data on what the move cost"


def test_without_a_baseline_the_gpu_cost_is_unknown_and_can_be_given(settings: Settings) -> None:
    point = starting_point("nova-1b", settings)
    assert (point.gpu_cost_per_epoch, point.trn_cost_per_epoch) == (None, 80)
    assert "GPU" in what_if(assumed({}, point, 24)).reason
    given = {"gpu_cost_per_epoch": D(100), "saved_so_far": D(0), "porting_cost": D(50)}
    found = what_if(assumed(given, point, 24))
    assert (found.saving_per_run, found.runs_to_break_even) == (40, 2)


def test_a_workload_of_no_name_is_stated(settings: Settings) -> None:
    for name in ("atlas", "(portfolio)"):
        with pytest.raises(ConfigError, match="atlas-7b") as caught:
            starting_point(name, settings)
        assert "\n" not in str(caught.value)
    assert "a what-if is about one workload" in str(caught.value)


def test_figures_per_epoch_are_of_the_main_recipe_and_those_per_run_of_all(tmp_path: Path) -> None:
    """METHOD §6: 4 epochs of `full` for $400 and 10 of `lora` for $80, with $120 of overhead.

    An epoch of `full` costs 175.875 on GPU, and 400 ÷ 480 of the overhead are its: $125.00 an epoch
    on Trainium. With all that both cost it would have been $217.75 and $150.00.
    """
    world = World(tmp_path)
    for recipe, hours in (("full", (100, 110)), ("lora", (10, 10))):
        for day, each in zip(("02", "12"), hours, strict=True):
            start = f"2025-05-{day}T00:00:00"
            world.run(f"{recipe}{day}", "p4d.24xlarge", start, each, 25, 10, recipe=recipe)
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4, recipe="full")
    world.run("t2", "trn1.32xlarge", "2025-09-08T00:00:00", 5, 16, 10, recipe="lora")
    idle = {"workload": "atlas-7b"}
    world.hours("2025-09-20T00:00:00", "7.5", "trn1.32xlarge", 16, idle)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    point = starting_point("atlas-7b", world.build().settings)
    assert (point.gpu_cost_per_epoch, point.trn_cost_per_epoch) == (D("175.875"), D(125))
    assert (point.epochs_per_run, point.credited) == (4, 1)
    assert (point.gpu_cost_per_run, point.trn_cost_per_run) == (D("435.5"), D(300))
    longer = assumed({"epochs_per_run": D(8)}, point, 24)
    assert (longer.gpu_cost_per_run, longer.trn_cost_per_run) == (1407, 1000)
