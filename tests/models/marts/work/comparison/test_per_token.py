"""METHOD §3.4: where only samples per epoch differ and both sides report tokens, per token.

GPU: 2·10⁹ tokens an epoch, 40·10⁹ in all for $5,250. Trainium: 18·10⁹ tokens in 15 epochs, so an
epoch there is 1.2·10⁹ tokens: 0.6 of a GPU epoch, which was $262.50 and is repriced to $175.875.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

TOKENS = {"g1": 20, "g2": 20, "t1": 4, "t2": 5, "t3": 9}
"""Billions, at each run's end."""
QUOTED, AIMED, MISSED = "atlas-7b", "aimed", "missed"
SILENT = {"t2": None, "g2": 0}
"""Runs without tokens, and what they tell instead."""


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """A workload for each case; the target of `AIMED` was reached on GPU, that of `MISSED` not."""
    world = World(tmp_path_factory.mktemp("tokens"))
    for workload in (QUOTED, AIMED, MISSED, *SILENT):
        tokens(world, workload)
    for sample in of_workload(world, MISSED):
        if sample["run"] == "t3" and sample["epoch"]:
            sample["tokens"] = 24 * 10**9
    for run, count in SILENT.items():
        for sample in of_workload(world, run):
            if sample["run"] == run:
                sample["tokens"] = count
    one_token(world)
    said = [
        {"name": QUOTED, "fixed_cost_per_epoch": "250"},
        {"name": AIMED, "target_loss": 1.48},
        {"name": MISSED, "target_loss": 1.2},
    ]
    return some_marts(
        world.pulled(workloads=said), "runs", "baselines", "savings_daily", "break_even"
    )


def of_workload(world: World, workload: str) -> list[dict[str, Any]]:
    return [sample for sample in world.samples if sample["workload"] == workload]


def tokens(world: World, workload: str) -> None:
    """Example A with half the samples per epoch on Trainium; t3 packs longer sequences."""
    migrated(world, workload)
    for sample in of_workload(world, workload):
        run = str(sample["run"])
        sample["samples_per_epoch"] = 1_000_000 if run.startswith("g") else 500_000
        sample["tokens"] = TOKENS[run] * 10**9 if sample["epoch"] else 0
        sample["loss"] = 1.4 if sample["epoch"] else 3.0
    for run, day, epoch in (("g1", "02", 3), ("g2", "12", 4)):
        world.sample(
            f"2025-05-{day}T12:00:00",
            run,
            epoch,
            workload=workload,
            loss=1.48,
            tokens=epoch * 2 * 10**9,
            samples_per_epoch=1_000_000,
        )


def one_token(world: World) -> None:
    migrated(world, "one token")
    for sample in of_workload(world, "one token"):
        on_gpu = str(sample["run"]).startswith("g")
        sample["samples_per_epoch"] = 1_000_000 if on_gpu else 500_000
        sample["tokens"] = sample["epoch"] * (2 if on_gpu else 1)


def of_runs(marts: SomeMarts, workload: str) -> dict[str, dict[str, Any]]:
    rows = marts.rows("SELECT * FROM runs WHERE workload = ?", workload)
    return {row["run"]: row for row in rows}


def baseline(marts: SomeMarts, workload: str) -> dict[str, Any]:
    """On the day of the first Trainium run."""
    day = "workload = ? AND date = '2025-09-02'"
    return marts.row(f"SELECT * FROM baselines WHERE {day}", workload)


def test_the_baseline_is_what_a_trainium_epochs_tokens_cost_on_gpu(marts: SomeMarts) -> None:
    row = baseline(marts, QUOTED)
    assert (row["measured"], row["repriced"]) == (Decimal("157.5"), Decimal("105.525"))
    assert (row["value"], row["fixed"]) == (Decimal("105.525"), Decimal(150))
    assert row["flags"] == ["per_token"]
    assert row["reason"].endswith(
        "; per token: epochs differ in size, one on Trainium is 1200000000 tokens"
    )


def test_one_token_is_no_tokens(marts: SomeMarts) -> None:
    assert baseline(marts, "one token")["reason"].endswith("one on Trainium is 1 token")


def test_tokens_are_credited_and_epochs_stay_epochs(marts: SomeMarts) -> None:
    runs = of_runs(marts, QUOTED)
    credited = [runs[name]["credited_epochs"] for name in ("t1", "t2", "t3")]
    assert credited == [Decimal("3.333333333"), Decimal("4.166666667"), Decimal("7.5")]
    assert [runs[name]["epochs"] for name in ("t1", "t2", "t3")] == [4, 5, 6]
    assert {run["comparability"] for run in runs.values()} == {"comparable"}
    assert all("per_token" in run["flags"] for run in runs.values())


def test_the_saving_is_tokens_times_the_gpu_cost_per_token(marts: SomeMarts) -> None:
    """18·10⁹ tokens at $87.9375 a billion, less $1,500; per epoch it would claim $1,138.125."""
    standing = marts.standing(QUOTED)
    assert standing["cumulative_gross_saving"] == Decimal("87.9375") * 18 - 1500
    listed = Decimal("10.5") * Decimal("21.957642") / 2 * 18 - Decimal("93.75") * Decimal("21.5")
    sums = "SELECT sum(saving_at_list) AS s FROM savings_daily WHERE workload = ?"
    assert marts.row(sums, QUOTED)["s"] == listed


def test_credit_is_capped_at_the_gpus_median_tokens_to_target(marts: SomeMarts) -> None:
    """Target reached at 6·10⁹ and 8·10⁹ tokens on GPU: 7·10⁹ are 5.833333333 epochs here."""
    runs = of_runs(marts, AIMED)
    credited = [runs[name]["credited_epochs"] for name in ("t1", "t2", "t3")]
    assert credited == [Decimal("3.333333333"), Decimal("4.166666667"), Decimal("5.833333333")]
    first, second = marts.rows(
        "SELECT credited_epochs FROM savings_daily WHERE date IN ('2025-09-15', '2025-09-16') "
        "AND workload = ? ORDER BY date",
        AIMED,
    )
    assert first["credited_epochs"] == Decimal("4.965517241")  # 24 of 36.25 hours, of 7.5
    assert second["credited_epochs"] == Decimal("5.833333333") - first["credited_epochs"]


def test_where_no_gpu_run_reached_the_target_credit_ends_at_the_tokens_they_ran(
    marts: SomeMarts,
) -> None:
    """33·10⁹ tokens in 15 epochs, 2.2·10⁹ each: of t3's 24·10⁹ count 20·10⁹, as on GPU."""
    runs = of_runs(marts, MISSED)
    credited = [runs[name]["credited_epochs"] for name in ("t1", "t2", "t3")]
    assert credited == [Decimal("1.818181818"), Decimal("2.272727273"), Decimal("9.090909091")]


@pytest.mark.parametrize("silent", SILENT)
def test_one_run_without_tokens_and_nothing_is_per_token(marts: SomeMarts, silent: str) -> None:
    """A counter that stands still is none: g2's $2,750 would fall on the tokens of g1."""
    assert marts.standing(silent)["status"] == "not_comparable"
    runs = of_runs(marts, silent)
    assert {runs[run]["comparability"] for run in ("t1", "t2", "t3")} == {
        "samples per epoch differ"
    }
