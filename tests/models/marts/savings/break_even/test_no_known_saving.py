"""METHOD §6.5, §6.7: a portfolio of which no saving is known claims none, and no status with one.

Each world has one workload: $1,500 on Trainium and $10,000 invested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import entries
from tests.support.some_marts import some_marts
from tests.support.world import World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
Config = dict[str, Any]


def misspelt(world: World) -> Config:
    """The quote is given to a workload of another name."""
    migrated(world)
    quote = {"name": "atlas-7", "fixed_cost_per_epoch": 100}
    return {"baseline": {"method": "fixed"}, "workloads": [quote]}


def unpriced(world: World) -> Config:
    """GPU runs on a machine without a public price."""
    for run, day in (("g1", "02"), ("g2", "12")):
        world.run(run, "p5e.48xlarge", f"2025-05-{day}T00:00:00", 100, 25, 10)
    world.run("t1", TRN1, "2025-09-02T00:00:00", 60, 25, 10)
    return {"baseline": {"method": "repriced"}}


def too_late(world: World) -> Config:
    """No GPU run had reached the target when Trainium trained; two did afterwards."""
    for run, day, loss in (
        ("g1", "05-02", 2.5), ("g2", "05-12", 2.5), ("g3", "07-02", 1.5), ("g4", "07-12", 1.5),
    ):  # fmt: skip
        world.run(run, P4D, f"2025-{day}T00:00:00", 100, 25, 10, loss=loss)
    world.run("t1", TRN1, "2025-06-02T00:00:00", 60, 25, 10)
    return {"workloads": [{"name": "atlas-7b", "target_loss": 2}]}


def of_another_recipe(world: World) -> Config:
    """The recipe with a baseline does not compare, and the one that compares has no baseline."""
    for run, kind, day, hours, recipe, work in (
        ("g1", P4D, "05-02", 100, "full", 10), ("g2", P4D, "05-12", 100, "full", 10),
        ("t1", TRN1, "09-02", 40, "full", None), ("g3", P4D, "05-22", 100, "lora", 10),
        ("t2", TRN1, "09-12", 20, "lora", 10),
    ):  # fmt: skip
        tokens = {"tokens": 10**9} if work is None else {}
        world.run(run, kind, f"2025-{day}T00:00:00", hours, 25, work, recipe=recipe, **tokens)
    for sample in world.samples:
        if sample["run"] == "t1":
            sample["epoch"] = None
    return {}


REASONS = {
    misspelt: "no fixed_cost_per_epoch",
    unpriced: "price unavailable for 200.00 of 200.00 GPU hours, p5e.48xlarge in us-east-1",
    too_late: "insufficient baseline: of 2 GPU runs none reached the target loss",
    of_another_recipe: "insufficient baseline: fewer than 2 qualifying GPU runs have ended (1)",
}


@pytest.mark.parametrize("case", REASONS)
def test_a_portfolio_without_a_known_saving_claims_none(
    case: Callable[[World], Config], world: World
) -> None:
    config = case(world)
    world.charge("2025-10-30T00:00:00", 1)
    world.config["investments"] = entries({"atlas-7b": [(10_000, "05-01")]})
    marts = some_marts(world.pulled(**config), "break_even", "portfolio_daily", "recent_windows")
    spent = marts.row("SELECT sum(trn_cost) AS spent FROM portfolio_daily")
    assert spent == {"spent": 1500}
    for workload in ("atlas-7b", "(portfolio)"):
        row = marts.standing(workload)
        assert (row["status"], row["cumulative_net_saving"]) == ("insufficient_baseline", None)
    assert REASONS[case] in marts.standing()["reason"]
    lately = "SELECT net_saving FROM recent_windows WHERE newest AND workload = '(portfolio)'"
    assert marts.row(lately) == {"net_saving": None}


def test_a_first_run_that_has_not_settled_hides_no_loss(world: World) -> None:
    """Hours of a run without its tag cost $5,000; the day before the tagged run they did, too."""
    migrated(world)
    world.charges = [line for line in world.charges if "trn1" not in line["x_UsageType"]]
    world.samples = [line for line in world.samples if line["run"] in ("g1", "g2")]
    world.hours("2025-09-05T00:00:00", 20, TRN1, 250, {"workload": "atlas-7b"})
    for hour, epoch in ((0, 0), (20, 5)):
        world.sample(f"2025-09-05T{hour:02}:00:00", "t0", epoch, loss=1.5)
    world.run("t1", TRN1, "2025-10-31T00:00:00", 10, 16, 2)
    marts = some_marts(world.pulled(), "break_even", "portfolio_daily")
    for workload in ("atlas-7b", "(portfolio)"):
        assert marts.standing(workload)["cumulative_net_saving"] == -5000
