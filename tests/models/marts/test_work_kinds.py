"""METHOD §3.4 where a workload trains in several kinds of work on both chips."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.kinds import P4D, did, full_and_qlora
from tests.world import Marts, World

Made = Callable[..., Marts]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(
        fill: Callable[[World], None],
        method: str = "measured",
        least: int = 1,
        quote: int | None = None,
    ) -> Marts:
        world = World(tmp_path / str(len(list(tmp_path.iterdir()))))
        world.folder.mkdir()
        fill(world)
        world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
        quotes = [{"name": "mix", "fixed_cost_per_epoch": quote}] if quote else []
        return world.build(baseline={"method": method, "min_runs": least}, workloads=quotes)

    return make


def test_each_kind_is_held_against_gpu_runs_of_its_own(made: Made) -> None:
    """10 × $100 − $500 and 9 × $10 − $900: a loss is no smaller for being of another recipe."""
    marts = made(full_and_qlora)
    standing = marts.standing("mix")
    assert (standing["cumulative_gross_saving"], standing["status"]) == (500 - 810, "losing")
    assert standing["left_out"] is None
    rows = marts.rows("SELECT run, comparability, credited_epochs FROM runs ORDER BY run")
    assert {row["comparability"] for row in rows} == {"comparable"}
    assert [row["credited_epochs"] for row in rows if row["run"] in ("t1", "t2")] == [10, 9]


def test_the_day_of_either_kind_is_worth_its_own_baseline(made: Made) -> None:
    marts = made(full_and_qlora)
    days = marts.rows(
        """SELECT strftime(date, '%m') || (date >= '2025-09-11') AS part,
                  sum(counterfactual) AS worth, sum(credited_epochs) AS epochs
           FROM savings_daily WHERE workload = 'mix' AND credited_epochs > 0
           GROUP BY ALL ORDER BY worth DESC"""
    )
    assert [(row["worth"], row["epochs"]) for row in days] == [(1000, 10), (90, 9)]


def test_the_baseline_of_the_main_kind_names_the_others(made: Made) -> None:
    """The kind that most Trainium epochs are of stands in `baselines`; the others beside it."""
    marts = made(full_and_qlora)
    day = "WHERE workload = 'mix' AND date = '2025-10-01'"
    row = marts.row(f"SELECT value, runs, flags, reason FROM baselines {day}")
    assert (row["value"], row["runs"], row["flags"]) == (100, 1, ["several_kinds"])
    assert row["reason"] == (
        "measured $100.00: what an epoch cost (1 GPU run); "
        "qlora: measured $10.00: what an epoch cost (2 GPU runs)"
    )
    further = marts.row(f"SELECT kind, recipe, value, runs FROM further_baselines {day}")
    assert further == {"kind": 1, "recipe": "qlora", "value": 10, "runs": 2}


@pytest.mark.parametrize("lost", ["t1", "t2"])
def test_a_lost_run_tag_never_raises_the_headline(made: Made, lost: str) -> None:
    """Whichever recipe then has most epochs: the other's loss still counts."""

    def untagged(world: World) -> None:
        did(world, "g", "05-01", 100, 10, P4D, recipe="full")
        did(world, "q0", "05-11", 10, 10, P4D, recipe="qlora")
        for run, day, hours, epochs, recipe in (
            ("t1", "09-01", 100, 10, "full"),
            ("t2", "09-11", 180, 9, "qlora"),
        ):
            did(world, run, day, hours, epochs, recipe=recipe, tagged=run != lost)

    before = made(full_and_qlora).standing("mix")["cumulative_net_saving"]
    after = made(untagged).standing("mix")["cumulative_net_saving"]
    assert (before, after) == (-310, {"t1": -1310, "t2": -400}[lost])


def test_sizes_that_both_chips_have_compare_each_with_its_own(made: Made) -> None:
    """4 epochs at $100 less $100 and, of half the samples, 6 at $50 less $150."""

    def sizes(world: World) -> None:
        did(world, "g", "05-01", 100, 10, P4D, samples_per_epoch=1_000_000)
        did(world, "h", "05-11", 50, 10, P4D, samples_per_epoch=500_000)
        did(world, "t", "09-01", 20, 4, samples_per_epoch=1_004_000)
        did(world, "u", "09-11", 30, 6, samples_per_epoch=500_000)

    marts = made(sizes)
    assert marts.standing("mix")["cumulative_gross_saving"] == 300 + 150
    row = marts.row("SELECT reason FROM baselines WHERE workload = 'mix' AND date = '2025-10-01'")
    assert "; without a recipe in epochs of 1000000 samples: measured $100.00" in row["reason"]


def test_a_kind_with_too_few_gpu_runs_is_left_out_whole(made: Made) -> None:
    """Two runs are needed: `full` has one, so what it saves is unknown, and named."""

    def few(world: World) -> None:
        full_and_qlora(world)
        did(world, "t3", "09-21", 10, 10, recipe="qlora")

    standing = made(few, least=2).standing("mix")
    assert standing["cumulative_gross_saving"] == 190 - 900 - 50
    assert list(standing["left_out"]) == ["not_comparable"]


def test_parity_is_with_the_losses_of_the_same_kind(made: Made) -> None:
    """2.0 is as good as `qlora` gets on GPU, and worse than `full`: only `t1` earns nothing."""

    def losses(world: World) -> None:
        did(world, "g", "05-01", 100, 10, P4D, recipe="full")
        did(world, "q", "05-11", 10, 10, P4D, recipe="qlora", loss=2.0)
        did(world, "t1", "09-01", 100, 10, recipe="full", loss=2.0)
        did(world, "t2", "09-11", 10, 9, recipe="qlora", loss=2.0)

    marts = made(losses)
    rows = marts.rows("SELECT run, parity FROM runs WHERE hardware = 'trainium' ORDER BY run")
    assert [row["parity"] for row in rows] == ["below_parity", "parity"]
    assert marts.standing("mix")["cumulative_gross_saving"] == -500 + 90 - 50


def test_a_quote_is_for_the_main_kind_alone(made: Made) -> None:
    """$100 is what an epoch of `full` was quoted at: nothing is known of `qlora`."""
    marts = made(full_and_qlora, method="fixed", quote=100)
    standing = marts.standing("mix")
    assert standing["cumulative_gross_saving"] == 500
    assert list(standing["left_out"]) == ["not_comparable"]


def test_each_kind_is_repriced_by_its_own_hours(made: Made) -> None:
    """Paid $10 of $32.7726 an hour; since June that share of $21.957642 is $6.70."""
    row = made(full_and_qlora, method="conservative").standing("mix")
    epoch = Decimal(10) / Decimal("32.7726") * Decimal("21.957642")
    expected = 10 * 10 * epoch + 9 * epoch - 500 - 900
    assert abs(row["cumulative_gross_saving"] - expected) < Decimal("1e-6")
    assert row["left_out"] is None
