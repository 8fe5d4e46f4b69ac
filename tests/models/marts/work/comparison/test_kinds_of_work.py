"""METHOD §3.4 where a workload trains in several kinds of work on both chips."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.loading import parse
from models.documents.paper import drafted
from models.marts.work.comparison.kinds_of_work import counted, kinds_of_work
from models.sending import alerts
from tests.support.marts.hand_written_tables import rows, table
from tests.support.marts.kinds_of_work import P4D, TRN1, did, full_and_qlora
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import Marts, World


def company(folder: Path) -> World:
    """One workload for each case."""
    world = World(folder)
    full_and_qlora(world)
    for lost in ("t1", "t2", "none"):
        full_and_qlora(world, f"without {lost}", lost)
        for recipe in ("full", "qlora"):
            full_and_qlora(world, f"{recipe} per token without {lost}", lost, per_token=recipe)
    full_and_qlora(world, "few")
    did(world, "t3", "09-21", 10, 10, recipe="qlora", workload="few")
    full_and_qlora(world, "blind")
    for charge in world.charges:
        if json.loads(charge["Tags"]).get("run") in ("q0", "q1") and "blind" in charge["Tags"]:
            charge["x_UsageType"] = "BoxUsage:p5e.48xlarge"
    sizes(world)
    losses(world)
    late(world)
    dearer(world)
    for workload, second in (("quoted", "full"), ("unclear", "qlora")):
        did(world, "t1", "09-01", 100, 10, recipe="full", workload=workload)
        did(world, "t2", "09-11", 90, 90, recipe=second, workload=workload)
    # nobody says what the GPU run was, so the quote is not for it
    world.hours("2025-05-01T00:00:00", 10, P4D, 10, {"workload": "quoted", "run": "silent"})
    for run, size in (("t1", 1000), ("t2", 10)):
        did(world, run, "09-01", 10, 1, samples_per_epoch=size, workload="unclear sizes")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    quoted = ("mix", "without t1", "without t2", "quoted", "unclear", "unclear sizes")
    quotes = [{"name": name, "fixed_cost_per_epoch": 100} for name in quoted]
    world.config["workloads"] = quotes
    return world


def only(folder: Path, *workloads: str, **baseline: object) -> SomeMarts:
    """Some workloads of the company, under another rule for baselines."""
    world = company(folder)
    world.charges = [
        line
        for line in world.charges
        if "Tags" not in line or json.loads(line["Tags"])["workload"] in workloads
    ]
    world.samples = [line for line in world.samples if line["workload"] in workloads]
    settings = world.pulled(baseline={"min_runs": 1} | baseline)
    return some_marts(settings, "break_even")


def sizes(world: World) -> None:
    """$100 an epoch on GPU; half of it at half the samples."""
    for run, day, hours, epochs, size in (
        ("g", "05-01", 100, 10, 1_000_000),
        ("h", "05-11", 50, 10, 500_000),
        ("t", "09-01", 20, 4, 1_004_000),
        ("u", "09-11", 30, 6, 500_000),
    ):
        kind = {"kind": P4D} if run in "gh" else {}
        did(world, run, day, hours, epochs, samples_per_epoch=size, workload="sizes", **kind)


def dearer(world: World) -> None:
    """Ten epochs for $250 in August and for $500 in September, in two recipes or in one."""
    for workload, recipe in (("other recipe", "qlora"), ("dearer", "full")):
        for run, day, hours, kind, of in (
            ("g1", "04-01", 50, P4D, "full"), ("g2", "05-01", 50, P4D, recipe),
            ("t8", "08-01", 50, TRN1, recipe), ("t9", "09-01", 100, TRN1, "full"),
        ):  # fmt: skip
            did(world, run, day, hours, 10, kind, recipe=of, workload=workload)
    did(world, "t10", "10-29", 10, 1, recipe="full", workload="dearer")


def late(world: World) -> None:
    """$100 an epoch on GPU; the first Trainium run reports from its fourth day of five on."""
    for workload, tagged in (("late", True), ("late without t1", False)):
        did(world, "g", "05-01", 100, 10, P4D, workload=workload)
        did(world, "t1", "09-01", 120, 1, tagged=tagged, workload=workload)
        world.samples[-2]["observed_at"] = "2025-09-04T12:00:00"
        did(world, "t2", "09-11", 10, 1, workload=workload)


def losses(world: World) -> None:
    """On GPU `full` ends at 1.5 and `qlora` at 2.0; on Trainium both at 2.0.

    In `left out` all of `full` ends at 1.5, and a run that compares with nothing at 2.0.
    """
    did(world, "g", "05-01", 100, 10, P4D, recipe="full", workload="left out")
    did(world, "t1", "09-01", 48, 3, recipe="full", workload="left out")
    did(world, "t2", "09-09", 24, 7, recipe="dpo", loss=2.0, workload="left out")
    for run, day, hours, epochs, recipe, loss in (
        ("g", "05-01", 100, 10, "full", 1.5),
        ("q", "05-11", 10, 10, "qlora", 2.0),
        ("t1", "09-01", 100, 10, "full", 2.0),
        ("t2", "09-11", 10, 9, "qlora", 2.0),
    ):
        kind = {"kind": P4D} if run in "gq" else {}
        did(world, run, day, hours, epochs, loss=loss, recipe=recipe, workload="losses", **kind)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    baseline = {"min_runs": 1, "method": "measured"}
    return company(tmp_path_factory.mktemp("kinds")).build(baseline=baseline)


@pytest.fixture(scope="module")
def quoted(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """What a quote says of the workloads that have one, and that ask for it."""
    asked = ("mix", "without t1", "without t2", "quoted", "unclear", "unclear sizes")
    return only(tmp_path_factory.mktemp("quoted"), *asked, method="fixed")


def test_each_kind_is_held_against_gpu_runs_of_its_own(marts: Marts) -> None:
    """10 × $100 − $500 and 9 × $10 − $900: a loss is no smaller for being of another recipe."""
    standing = marts.standing("mix")
    assert (standing["cumulative_gross_saving"], standing["status"]) == (500 - 810, "losing")
    assert standing["left_out"] is None
    rows = marts.rows(
        "SELECT run, comparability, credited_epochs FROM runs WHERE workload = 'mix' ORDER BY run"
    )
    assert {row["comparability"] for row in rows} == {"comparable"}
    assert [row["credited_epochs"] for row in rows if row["run"] in ("t1", "t2")] == [10, 9]


def test_the_day_of_either_kind_is_worth_its_own_baseline(marts: Marts) -> None:
    days = marts.rows(
        """SELECT strftime(date, '%m') || (date >= '2025-09-11') AS part,
                  sum(counterfactual) AS worth, sum(credited_epochs) AS epochs
           FROM savings_daily WHERE workload = 'mix' AND credited_epochs > 0
           GROUP BY ALL ORDER BY worth DESC"""
    )
    assert [(row["worth"], row["epochs"]) for row in days] == [(1000, 10), (90, 9)]


def test_the_baseline_of_the_main_kind_names_the_others(marts: Marts) -> None:
    """The kind that most Trainium epochs are of stands in `baselines`; the others beside it."""
    day = "WHERE workload = 'mix' AND date = '2025-10-01'"
    row = marts.row(f"SELECT value, runs, flags, reason FROM baselines {day}")
    assert (row["value"], row["runs"], row["flags"]) == (100, 1, ["several_kinds"])
    assert row["reason"] == (
        "full: measured $100.00: what an epoch cost (1 GPU run); "
        "qlora: measured $10.00: what an epoch cost (2 GPU runs)"
    )
    further = marts.row(f"SELECT kind, recipe, value, runs FROM further_baselines {day}")
    assert further == {"kind": 1, "recipe": "qlora", "value": 10, "runs": 2}


def test_nobody_is_alarmed_by_a_month_of_another_recipe(marts: Marts) -> None:
    """An epoch of `qlora` cost $25 in August and one of `full` $50 in September."""
    said, _ = alerts.news(marts.rows, marts.settings, {})
    assert [line for line in said if line.startswith("An epoch of ")] == [
        "An epoch of dearer on Trainium cost $50.00 in 2025-09, 100% more than $25.00 in 2025-08."
    ]


def test_the_pace_of_late_is_of_the_last_twelve_weeks(marts: Marts) -> None:
    """The run of early August is older than that, and that of yesterday is not settled."""
    row = marts.row("SELECT * FROM recent_windows WHERE newest AND workload = 'dearer'")
    assert (row["trn_cost"], row["counterfactual"]) == (500, 500)


def test_a_statement_has_the_runs_behind_each_baseline(marts: Marts) -> None:
    """$1,000 ÷ 10 and (2 × $100) ÷ 20."""
    told = drafted(marts.settings, "2025-09", marts.rows)
    tables = {
        name: [row for row in told.tables[name] if row["workload"] == "mix"]
        for name in ("baselines", "baseline_runs", "baseline_hours")
    }
    assert [(row["kind_of_work"], row["value"]) for row in tables["baselines"]] == [
        (None, 100), ("qlora", 10),
    ]  # fmt: skip
    assert [
        (row["kind_of_work"], row["lineage"], row["cost"], row["epochs"])
        for row in tables["baseline_runs"]
    ] == [(None, "g", 1000, 10), ("qlora", "q0", 100, 10), ("qlora", "q1", 100, 10)]
    hours = [(row["kind_of_work"], row["instance_hours"]) for row in tables["baseline_hours"]]
    assert hours == [(None, 100), ("qlora", 20)]
    assert told.several("mix")
    assert not told.several("(portfolio)")


@pytest.mark.parametrize("unit", ["", "full per token ", "qlora per token "])
def test_a_lost_run_tag_never_raises_the_headline(marts: Marts, unit: str) -> None:
    """Whichever recipe then has most epochs, in whatever unit: the other's loss still counts."""
    nets = {
        lost: marts.standing(f"{unit}without {lost}")["cumulative_net_saving"]
        for lost in ("none", "t1", "t2")
    }
    assert nets == {"none": -310, "t1": -1310, "t2": -400}


def test_sizes_that_both_chips_have_compare_each_with_its_own(marts: Marts) -> None:
    """4 epochs at $100 less $100 and, of half the samples, 6 at $50 less $150."""
    assert marts.standing("sizes")["cumulative_gross_saving"] == 300 + 150
    row = marts.row("SELECT reason FROM baselines WHERE workload = 'sizes' AND date = '2025-10-01'")
    assert "; without a recipe in epochs of 1000000 samples: measured $100.00" in row["reason"]


def test_parity_is_with_the_losses_of_the_same_kind(marts: Marts) -> None:
    """2.0 is as good as `qlora` gets on GPU, and worse than `full`: only `t1` earns nothing."""
    rows = marts.rows(
        "SELECT run, parity FROM runs WHERE workload = 'losses' AND hardware = 'trainium'"
    )
    told = {row["run"]: row["parity"] for row in rows}
    assert told == {"t1": "below_parity", "t2": "parity"}
    assert marts.standing("losses")["cumulative_gross_saving"] == -500 + 90 - 50


def test_a_run_that_is_left_out_says_nothing_of_the_quality_of_those_that_count(
    marts: Marts,
) -> None:
    standing = marts.standing("left out")
    assert (standing["parity"], standing["cumulative_gross_saving"]) == ("parity", 300 - 240)


def test_a_lost_run_tag_hides_no_day_before_the_first_sample(marts: Marts) -> None:
    """120 h at $5: its one epoch earns $100 no more, and none of its five days goes."""
    assert marts.standing("late")["cumulative_net_saving"] == 200 - 600 - 50
    assert marts.standing("late without t1")["cumulative_net_saving"] == 100 - 600 - 50


def test_a_kind_with_too_few_gpu_runs_is_left_out_whole(tmp_path: Path) -> None:
    """Two runs are needed: `full` has one, so what it saves is unknown, and named.

    Whether it has more epochs than `qlora` or fewer.
    """
    marts = only(tmp_path, "few", "mix", method="measured", min_runs=2)
    assert marts.standing("few")["cumulative_gross_saving"] == 190 - 900 - 50
    standing = marts.standing("mix")
    assert (standing["cumulative_gross_saving"], standing["status"]) == (90 - 900, "losing")
    assert list(standing["left_out"]) == ["not_comparable"]


def test_a_quote_is_for_the_recipe_of_most_gpu_epochs(quoted: SomeMarts) -> None:
    """$100 for an epoch of `qlora`, whatever ran on Trainium: 9 × $100 − $900.

    Of `full` nothing is known; without its run's tag its $500 are overhead.
    """
    nets = {
        name: quoted.standing(name)["cumulative_net_saving"]
        for name in ("mix", "without t1", "without t2")
    }
    assert nets == {"mix": 0, "without t1": -500, "without t2": None}
    assert list(quoted.standing("mix")["left_out"]) == ["not_comparable"]


def test_of_several_kinds_on_trainium_alone_none_is_known_to_be_what_was_quoted(
    quoted: SomeMarts,
) -> None:
    """100 epochs of one recipe are worth $10,000 by the quote, and cost $950."""
    assert quoted.standing("quoted")["cumulative_gross_saving"] == 10_000 - 950
    for workload in ("unclear", "unclear sizes"):
        standing = quoted.standing(workload)
        assert (standing["status"], standing["cumulative_net_saving"]) == ("not_comparable", None)
        assert "the quote is for one kind of work" in standing["reason"]


def test_each_kind_is_repriced_by_its_own_hours(tmp_path: Path) -> None:
    """Paid $10 of $32.7726 an hour; since June that share of $21.957642 is $6.70."""
    row = only(tmp_path, "mix", method="conservative").standing("mix")
    epoch = Decimal(10) / Decimal("32.7726") * Decimal("21.957642")
    expected = 10 * 10 * epoch + 9 * epoch - 500 - 900
    assert abs(row["cumulative_gross_saving"] - expected) < Decimal("1e-6")
    assert row["left_out"] is None


def test_where_one_kind_has_no_price_nothing_is_claimed_of_any(tmp_path: Path) -> None:
    """p5e has no public price: `repriced`, the worth of `qlora` is unknown, and so is the sum."""
    marts = only(tmp_path, "blind", "mix", "sizes", "losses", method="repriced")
    standing = marts.standing("blind")
    assert (standing["status"], standing["cumulative_net_saving"]) == (
        "insufficient_baseline",
        None,
    )
    total = "SELECT sum(cumulative_gross_saving) AS saved FROM break_even WHERE workload <> ?"
    known = marts.row(total, "(portfolio)")["saved"]
    assert marts.standing("(portfolio)")["cumulative_gross_saving"] == known


SAID = ("counted", "ended", "reports", "reports_epochs")
UNSAID = ("recipes_differ", "unsized", "reported_late", "partly_reported")
FACTS = {
    **dict.fromkeys(("workload", "lineage", "recipe"), "string"),
    **dict.fromkeys(("samples_per_epoch", "least_size", "most_size", "epochs"), "decimal(38, 9)"),
    **dict.fromkeys((*SAID, *UNSAID, "on_gpu", "on_trainium"), "boolean"),
}


def lineage(
    workload: str, size: int, epochs: object, *, gpu: bool = True, **said: object
) -> dict[str, object]:
    """One that ended and told all its epochs, of one recipe and size unless said otherwise."""
    sizes = dict.fromkeys(("samples_per_epoch", "least_size", "most_size"), size)
    told = dict.fromkeys(SAID, True) | dict.fromkeys(UNSAID, False)
    done = {"workload": workload, "recipe": "full", "epochs": Decimal(str(epochs))}
    return sizes | told | done | {"on_gpu": gpu, "on_trainium": not gpu} | said


def test_the_main_kind_is_whole_and_has_runs_enough_on_both_chips() -> None:
    """Least of all are lineages of several recipes or sizes; then GPU epochs decide."""
    done = [
        *(lineage(of, 10, 5) for of in ("recipes", "sizes")),
        *(lineage(of, 20, 1) for of in ("recipes", "sizes")),
        lineage("recipes", 10, 9, recipes_differ=True),
        lineage("sizes", 10, 9, most_size=30),
        lineage("few", 10, 9),
        *[lineage("few", 20, "0.9")] * 2,
        *[lineage("unused", 10, 9), lineage("unused", 20, 1)] * 2,
        *(lineage(of, 20, 1, gpu=False) for of in ("few", "unused")),
    ]
    settings = parse({"baseline": {"min_runs": 2}}, home=Path())
    found = kinds_of_work(counted(table(FACTS, *done)), settings)
    names = ("workload", "kind", "samples_per_epoch", "recipes_differ", "sizes_differ", "leads")
    assert rows(found, *names) == [
        ("few", 0, 20, False, False, True),
        ("few", 1, 10, False, False, False),
        ("recipes", 0, 10, False, False, True),
        ("recipes", 1, 20, False, False, False),
        ("recipes", 2, 10, True, False, False),
        ("sizes", 0, 10, False, False, True),
        ("sizes", 1, 20, False, False, False),
        ("sizes", 2, 10, False, True, False),
        ("unused", 0, 20, False, False, True),
        ("unused", 1, 10, False, False, False),
    ]
