"""Where two things weigh the same, one of them is chosen, and always the same one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World, write

P4D, P5, TRN1 = "p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge"
PAIR = ("first", "second")
PRICES = (("11.00", "2025-08-09"), ("10.00", "2025-08-09"), ("12.00", "2025-08-01"))


def ran(
    world: World, workload: str, run: str, kind: str, hours: object, day: str = "02", **tags: str
) -> None:
    named = {"workload": workload, "run": run} | tags
    world.hours(f"2025-09-{day}T00:00:00", hours, kind, 10, named)


def logged(world: World, workload: str, run: str, *samples: tuple[str, object, object]) -> None:
    for at, epoch, loss in samples:
        world.sample(f"2025-09-{at}:00:00", run, epoch, workload=workload, loss=loss)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("ties"))
    for team in ("blue", "amber"):
        ran(world, "tags", "r", TRN1, 5, team=team)
    ran(world, "tags", "s", TRN1, 1, team="grey")
    ran(world, "chips", "r", P5, 10)
    ran(world, "chips", "r", P4D, 10)
    ran(world, "sides", "r", TRN1, 5)  # 16 accelerators × 5 h are 8 × 10 h
    ran(world, "sides", "r", P4D, 10)
    for run, kind, hours in (("a", TRN1, 5), ("b", P4D, 10)):
        ran(world, "line", run, kind, hours)
        parent = None if run == "a" else "a"
        world.sample(f"2025-09-02T0{hours % 9}:00:00", run, 1, workload="line", resumed_from=parent)
    for recipe in reversed(PAIR):
        for run, kind in ((f"g-{recipe}", P4D), (f"t-{recipe}", TRN1)):
            ran(world, "recipes", run, kind, 10)
            for hour, epoch in ((0, 0), (9, 1)):
                at = f"2025-09-02T0{hour}:00:00"
                world.sample(at, run, epoch, workload="recipes", recipe=recipe)
    ran(world, "said", "r", TRN1, 10)
    logged(world, "said", "r", ("02T00", 0, 9.0), ("02T09", 1, 2.5), ("02T09", 1, 2.0))
    logged(world, "said", "r", ("02T09", 2, 1.0), ("02T10", 2, None))
    for recipe in ("full", "qlora", "lora"):
        world.sample("2025-09-02T09:00:00", "r", 2, workload="said", recipe=recipe)
    for run in ("g1", "g2"):
        world.run(run, P4D, "2025-05-02T00:00:00", 10, "32.7726", 1, workload="prices")
    ran(world, "prices", "t", TRN1, 10)
    logged(world, "prices", "t", ("02T00", 0, 1.5), ("02T09", 1, 1.5))
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    columns = {"instance_type": P4D, "region": "us-east-1", "purchase_option": "on_demand"}
    lines = [
        columns | {"usd_per_hour": usd, "effective_from": "2025-08-01", "observed_on": seen}
        for usd, seen in PRICES
    ]
    write(world.folder / "prices.csv", lines)
    sources = [
        {"kind": "focus", "location": "bill.csv"},
        {"kind": "progress_file", "location": "progress.csv"},
        {"kind": "prices", "location": "prices.csv"},
    ]
    return some_marts(
        world.pulled(sources=sources, tags={"extra": ["purpose", "recipe", "team"]}),
        "baselines",
        "progress_daily",
        "runs",
        "spend_daily",
    )


def run(marts: Marts, workload: str, name: str = "r") -> dict[str, Any]:
    return marts.row("SELECT * FROM runs WHERE workload = ? AND run = ?", workload, name)


def test_of_tags_with_as_many_hours_the_first_by_name(marts: Marts) -> None:
    assert [run(marts, "tags", name)["tag_team"] for name in ("r", "s")] == ["amber", "grey"]


def test_of_platforms_with_as_many_hours_the_first_by_name(marts: Marts) -> None:
    found = run(marts, "chips")
    assert (found["platform"], found["flags"]) == ("p4d", ["mixed_hardware", "no_progress"])


def test_a_run_half_on_each_hardware_is_the_gpus(marts: Marts) -> None:
    """Its cost then claims no saving."""
    found = run(marts, "sides")
    assert (found["hardware"], found["platform"]) == ("gpu", "p4d")
    kinds = "SELECT DISTINCT hardware FROM spend_daily WHERE workload = 'sides'"
    assert marts.rows(kinds) == [{"hardware": "gpu"}]


def test_a_lineage_half_on_each_hardware_is_no_baseline(marts: Marts) -> None:
    assert [run(marts, "line", name)["hardware"] for name in ("a", "b")] == ["trainium", "gpu"]
    found = marts.row("SELECT DISTINCT runs, reason FROM baselines WHERE workload = 'line'")
    told = "insufficient baseline: fewer than 2 qualifying GPU runs have ended"
    assert found == {"runs": 0, "reason": told}


def test_of_recipes_with_as_much_cost_the_first_by_name_stands_for_the_workload(
    marts: Marts,
) -> None:
    main = "SELECT DISTINCT recipe FROM baselines WHERE workload = 'recipes' AND main"
    assert marts.rows(main) == [{"recipe": "first"}]


def test_of_what_was_said_at_once_the_last(marts: Marts) -> None:
    """By epoch, then by value: the order in which a log's lines arrive says nothing."""
    found = marts.row("SELECT loss FROM progress_daily WHERE workload = 'said'")
    assert found == {"loss": 1.0}
    assert run(marts, "said")["recipe"] == "qlora"


def test_of_two_prices_seen_on_one_day_the_lower(marts: Marts) -> None:
    """The one that claims less saving."""
    row = marts.row(
        "SELECT value FROM baselines WHERE workload = 'prices' AND date = ?", date(2025, 9, 2)
    )
    assert row == {"value": Decimal(100)}
