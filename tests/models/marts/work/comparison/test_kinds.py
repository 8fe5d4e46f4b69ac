"""METHOD §3.4: kinds of work and their unit. GPU hours cost $10 and Trainium hours $5."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from models.documents.paper import drafted
from tests.support.marts.kinds_of_work import P4D, did, full_and_qlora
from tests.support.world import Marts, World

BILLION = 10**9
MILLION = 10**6


def work(world: World, workload: str) -> partial[None]:
    return partial(did, world, workload=workload)


def tokens_alone(world: World) -> None:
    """Example V in another size: 50 billion for $1,000 twice, 60 billion for $900."""
    ran = work(world, "tokens")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        ran(run, day, 100, None, P4D, tokens=50 * BILLION)
    ran("t", "09-01", 180, None, tokens=60 * BILLION)
    ran("silent", "09-21", 20, None)
    world.samples = [s for s in world.samples if s["run"] != "silent"]


def units(world: World) -> None:
    """Two GPU runs and Trainium runs that report in several ways."""
    sized = {"samples_per_epoch": MILLION}
    for workload, trn in (
        ("by samples", {"epochs": 2, "samples_per_epoch": 2 * MILLION}),
        ("by epochs", {"epochs": 4, **sized}),
        ("one in a hundred", {"epochs": 4, "samples_per_epoch": 1_010_000}),
        ("nothing shared", {"epochs": None, "tokens": BILLION}),
    ):
        ran = work(world, workload)
        for run, day in (("g", "05-01"), ("h", "05-11")):
            ran(run, day, 40, 4, P4D, **sized)
        ran("t", "09-01", 40, trn.pop("epochs"), **trn)
    ran = work(world, "most cost")
    for run, day, epochs in (("g", "05-01", 4), ("h", "05-11", 4)):
        ran(run, day, 40, epochs, P4D, tokens=4 * BILLION, **sized)
    ran("t", "09-01", 190, 19, tokens=19 * BILLION, **sized)
    ran("u", "09-21", 10, None, tokens=BILLION)
    ran = work(world, "more of it")
    for run, day, epochs in (("g", "05-01", 4), ("h", "05-11", 4)):
        ran(run, day, 40, epochs, P4D, tokens=4 * BILLION, **sized)
    ran("t", "09-01", 180, 18, tokens=18 * BILLION, **sized)
    ran("u", "09-21", 20, None, tokens=2 * BILLION)
    ran = work(world, "pinned")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        ran(run, day, 40, 4, P4D, tokens=2 * BILLION)
    ran("t", "09-01", 40, 4, tokens=2 * BILLION)


def odd_samples(world: World) -> None:
    """A counter that goes on with that of a base model, and epochs that change their size."""
    sized = {"samples_per_epoch": MILLION}
    ran = work(world, "based")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        ran(run, day, 40, 4, P4D, samples=4 * MILLION)
    ran("t", "09-01", 40, 4, samples=4 * MILLION)
    for sample in world.samples[-3:]:
        sample["samples"] += 5000 * MILLION
    ran = work(world, "resized")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        ran(run, day, 40, 4, P4D, **sized)
    ran("t", "09-01", 40, 4, **sized)
    world.samples[-1]["samples_per_epoch"] = 2 * MILLION


def qualifying(world: World) -> None:
    """A tenth of the median work, by cost, is enough: 5 of 50 billion tokens, not 4.9."""
    ran = work(world, "least")
    for run, day, hours, billions in (
        ("g", "05-01", 100, 50), ("h", "05-11", 10, 5), ("i", "05-21", 10, 4.9),
    ):  # fmt: skip
        ran(run, day, hours, None, P4D, tokens=billions * BILLION)
    ran("t", "09-01", 100, None, tokens=50 * BILLION)


def late(world: World) -> None:
    """Tokens that begin above ten of their own distances, unless the run says where it began."""
    for workload, said in (("late", {}), ("declared", {"start_epoch": 0})):
        ran = work(world, workload)
        for run, day in (("g", "05-01"), ("h", "05-11")):
            ran(run, day, 100, None, P4D, tokens=50 * BILLION)
        ran("t", "09-01", 20, None, tokens=0)
        for sample, at in zip(world.samples[-3:], (21, 22, 23), strict=True):
            sample |= {"tokens": at * BILLION, **said}


def other_recipes(world: World) -> None:
    full_and_qlora(world)
    full_and_qlora(world, "without t1", "t1")
    ran = work(world, "alone")
    for run, day in (("g", "05-01"), ("h", "05-11")):
        ran(run, day, 100, 10, P4D, recipe="full")
    ran("t", "09-01", 100, 10, recipe="full")
    ran("u", "09-11", 10, 1, recipe="dpo")
    ran("v", "09-12", 10, 1, recipe="few")
    ran("w", "05-21", 10, 1, P4D, recipe="few")
    ran("both", "09-13", 10, 1, recipe="full")
    world.samples[-1]["recipe"] = "dpo"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("kinds"))
    for case in (tokens_alone, units, odd_samples, qualifying, late, other_recipes):
        case(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    pinned = [{"name": name, "unit": "million_samples"} for name in ("pinned", "based")]
    return world.build(baseline={"method": "measured", "min_runs": 2}, workloads=pinned)


def baseline(marts: Marts, workload: str) -> tuple[Any, ...]:
    day = "date = '2025-10-01' AND main AND workload = ?"
    row = marts.row(f"SELECT unit, value, runs FROM baselines WHERE {day}", workload)
    return row["unit"], row["value"], row["runs"]


def words(marts: Marts, workload: str) -> dict[str, str | None]:
    rows = marts.rows("SELECT run, comparability FROM runs WHERE workload = ?", workload)
    return {row["run"]: row["comparability"] for row in rows}


def test_tokens_alone_are_enough(marts: Marts) -> None:
    """2,000 ÷ 100 = $20 a billion; 60 × 20 − 900, and a run that never reported costs $100."""
    assert baseline(marts, "tokens") == ("billion_tokens", 20, 2)
    standing = marts.standing("tokens")
    assert standing["cumulative_gross_saving"] == 1200 - 900 - 100
    assert standing["unit"] == "billion_tokens"
    assert standing["saving_per_epoch"] == Decimal("3.333333333")
    run = marts.row("SELECT unit, epochs, cost_per_epoch FROM runs WHERE run = 't' AND "
                    "workload = 'tokens'")  # fmt: skip
    assert run == {"unit": "billion_tokens", "epochs": 60, "cost_per_epoch": 15}
    month = marts.row("SELECT unit, trn_epochs, trn_cost_per_epoch, counterfactual "
                      "FROM monthly_summary WHERE workload = 'tokens' "
                      "AND month = '2025-09'")  # fmt: skip
    assert month == {
        "unit": "billion_tokens",
        "trn_epochs": 60,
        "trn_cost_per_epoch": Decimal("16.666666667"),
        "counterfactual": 1200,
    }


@pytest.mark.parametrize(
    ("workload", "found"),
    [
        ("by samples", ("million_samples", 100, 2)),
        ("by epochs", ("epoch", 100, 2)),
        ("one in a hundred", ("epoch", 100, 2)),
        ("most cost", ("epoch", 100, 2)),  # epochs tell $950 of $1,000
        ("more of it", ("billion_tokens", 100, 2)),  # and here $900
        ("least", ("billion_tokens", 20, 2)),  # the short run ended after the last that counts
    ],
)
def test_the_unit_is_the_first_that_tells_nearly_all(
    marts: Marts, workload: str, found: tuple[object, ...]
) -> None:
    assert baseline(marts, workload) == found


def test_a_run_that_the_unit_does_not_tell_is_left_out_with_its_cost(marts: Marts) -> None:
    assert words(marts, "most cost")["u"] == "it reports no epochs"
    assert marts.standing("most cost")["left_out"] == {"not_comparable": 50}
    assert words(marts, "nothing shared")["t"] == "it reports no epochs"
    assert marts.standing("nothing shared")["status"] == "not_comparable"


def test_epochs_that_change_their_size_on_the_way_are_no_samples_either(marts: Marts) -> None:
    """Two epochs of a million and two of two are not four of two: $200 would earn $800."""
    assert baseline(marts, "resized") == ("epoch", 100, 2)
    assert words(marts, "resized")["t"] == "samples per epoch differ"
    assert marts.standing("resized")["left_out"] == {"not_comparable": 200}
    run = "SELECT cost_per_million_samples FROM runs WHERE workload = 'resized' AND run = 't'"
    assert marts.row(run) == {"cost_per_million_samples": None}


def test_samples_that_go_on_with_those_of_a_base_model_are_no_unit(marts: Marts) -> None:
    """Of 5,004 million that a run of $200 counts, 5,000 are the base model's: $500,200 gained."""
    assert words(marts, "based")["t"] == "run t began to count samples far above 0"
    assert marts.standing("based")["left_out"] == {"not_comparable": 200}


def test_a_pinned_unit_that_nothing_tells_compares_nothing(marts: Marts) -> None:
    assert set(words(marts, "pinned").values()) == {"it reports no millions of samples"}
    assert marts.standing("pinned")["status"] == "not_comparable"


def test_tokens_that_begin_late_are_counted_from_their_first_sample(marts: Marts) -> None:
    """2 billion at $20 less $100; where it began at 0, 23 billion."""
    assert marts.standing("late")["cumulative_gross_saving"] == 40 - 100
    assert marts.standing("declared")["cumulative_gross_saving"] == 460 - 100
    flags = marts.row("SELECT flags FROM runs WHERE workload = 'late' AND run = 't'")["flags"]
    assert "undeclared_start" in flags


def test_each_recipe_is_held_against_gpu_runs_of_its_own(marts: Marts) -> None:
    """10 × $100 − $500; `qlora` 9 × $10 − $900. One GPU run of `full` is too few for two."""
    standing = marts.standing("mix")
    assert standing["cumulative_gross_saving"] == 90 - 900
    assert standing["left_out"] == {"insufficient_baseline": 500}
    kinds = marts.rows(
        "SELECT recipe, main, sum(trn_cost) AS cost, sum(epochs) AS epochs, "
        "sum(gross_saving) AS saved FROM savings_by_kind WHERE workload = 'mix' GROUP BY ALL "
        "ORDER BY recipe"
    )
    assert kinds == [
        {"recipe": "full", "main": False, "cost": 500, "epochs": 10, "saved": None},
        {"recipe": "qlora", "main": True, "cost": 900, "epochs": 9, "saved": -810},
    ]
    assert (standing["unit"], standing["saving_per_epoch"]) == ("epoch", -90)


def test_what_compares_with_no_gpu_run_is_left_out_whole(marts: Marts) -> None:
    """`dpo` ran on no GPU, `few` on one only, and a run of two recipes is of none."""
    found = words(marts, "alone")
    assert (found["u"], found["v"]) == ("recipe differs", "comparable")
    assert found["both"] == "its samples differ in recipe"
    standing = marts.standing("alone")
    assert standing["cumulative_gross_saving"] == 500
    assert standing["left_out"] == {"not_comparable": 100, "insufficient_baseline": 50}


def test_a_lost_run_tag_never_raises_the_headline(marts: Marts) -> None:
    whole, lost = marts.standing("mix"), marts.standing("without t1")
    assert lost["cumulative_net_saving"] <= whole["cumulative_net_saving"]


def test_a_workload_is_the_sum_of_its_kinds(marts: Marts) -> None:
    """Recomputed from what is published, each kind at its own baseline of the day."""
    off = marts.rows(
        """WITH kinds AS (
             SELECT date, workload, sum(trn_cost) AS cost,
               sum((SELECT round(value * credited_epochs, 9) FROM baselines AS held
                    WHERE held.date = kind.date AND held.workload = kind.workload
                      AND held.recipe IS NOT DISTINCT FROM kind.recipe)) AS worth
             FROM savings_by_kind AS kind WHERE settled AND gross_saving IS NOT NULL GROUP BY ALL)
           SELECT workload, date FROM savings_daily JOIN kinds USING (workload, date)
           WHERE abs(counterfactual - worth) > 1e-8 OR trn_cost <> cost
              OR abs(gross_saving - (worth - cost)) > 1e-8"""
    )
    assert off == []


def test_a_statement_says_the_unit_and_each_recipes_baseline(marts: Marts) -> None:
    told = drafted(marts.settings, "2025-09", marts.rows)
    rows = {
        (row["workload"], row["kind_of_work"]): (row["unit"], row["value"])
        for row in told.tables["baselines"]
    }
    assert rows["tokens", None] == ("billion_tokens", 20)
    assert rows["mix", None] == ("epoch", 10)
    assert rows["mix", "full"] == ("epoch", None)
    assert told.unit is None
    runs = {row["run"]: row for row in told.tables["runs"] if row["workload"] == "tokens"}
    assert (runs["t"]["unit"], runs["t"]["epochs"]) == ("billion_tokens", 60)
