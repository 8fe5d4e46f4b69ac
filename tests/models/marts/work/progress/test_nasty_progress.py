"""METHOD §3 and §4 on progress as it really arrives: each workload below is one trouble."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
ODD = 'o\'brien "x"; (50%) ☃/läuft, --'


def logged(
    world: World, workload: str, run: str, *samples: tuple[str, object], **columns: object
) -> None:
    for at, epoch in samples:
        world.sample(f"2025-{at}", run, epoch, workload=workload, **columns)


def ran(world: World, workload: str, run: str, *days: tuple[str, int], kind: str = TRN1) -> None:
    """Hours at $10 on each day."""
    for day, hours in days:
        tags = {"workload": workload, "run": run}
        world.hours(f"2025-{day}T00:00:00", hours, kind, 10, tags)


def moved(world: World) -> None:
    """Two GPU runs at $100 an epoch; a lineage that began on GPU and went on on Trainium."""
    for run, day in (("g1", "02"), ("g2", "05")):
        world.run(run, P4D, f"2025-05-{day}T00:00:00", 20, 10, 2, workload="moved")
    ran(world, "moved", "ga", ("08-01", 24), kind=P4D)
    logged(world, "moved", "ga", ("08-01T00:00:00", 0), ("08-01T20:00:00", 4), loss=1.5)
    ran(world, "moved", "tb", ("08-02", 10))
    resumed = {"resumed_from": "ga", "loss": 1.5}
    logged(world, "moved", "tb", ("08-02T00:00:00", 4), ("08-02T10:00:00", 6), **resumed)


def restarted(world: World) -> None:
    """A parent that never reported, and two that went on from the same checkpoint."""
    ran(world, "mute", "p", ("09-01", 5))
    ran(world, "mute", "c", ("09-02", 5))
    go_on = (("09-02T00:00:00", 5), ("09-02T09:00:00", 7))
    logged(world, "mute", "c", *go_on, resumed_from="p", samples=1, tokens=9)
    for run, first, last, parent in (("a", 0, 3, None), ("b", 3, 8, "a"), ("c", 3, 6, "a")):
        day = f"09-0{'abc'.index(run) + 1}"
        ran(world, "fork", run, (day, 1))
        samples = ((f"{day}T00:00:00", first), (f"{day}T09:00:00", last))
        logged(world, "fork", run, *samples, resumed_from=parent)
    for run, parent in (("x", "y"), ("y", "x"), ("z", "nobody")):
        logged(world, "circle", run, ("09-01T00:00:00", 0), resumed_from=parent)


def counted(world: World) -> None:
    """One run by samples alone; one that reports epochs, whose samples also count repeats."""
    for run in ("only", "both"):
        ran(world, "samples", run, ("09-01", 3))
    for hour, samples in enumerate((0, 500_000, 1_500_000)):
        size = {"samples": samples, "samples_per_epoch": 1_000_000}
        at = f"09-01T0{hour}:00:00"
        logged(world, "samples", "only", (at, ""), **size)
        logged(world, "samples", "both", (at, "1.0" if hour else "0"), **size)


def skewed(world: World) -> None:
    """A clock five minutes early, and one two hours ahead of `as_of`."""
    ran(world, "skew", "early", ("09-02", 12))
    logged(world, "skew", "early", ("09-01T23:55:00", 0), ("09-02T12:00:00", "1.45"))
    ran(world, "skew", "ahead", ("10-30", 24))
    logged(world, "skew", "ahead", ("10-31T00:00:00", 0), ("11-01T02:00:00", 1))
    ran(world, "skew", "far", ("09-03", 10))
    logged(world, "skew", "far", ("09-03T00:00:00", 0), ("09-03T10:00:00", 4))
    logged(world, "skew", "far", ("11-01T02:00:01", 400), ("11-02T00:00:00", 410), loss=9)


def extreme(world: World) -> None:
    for run, epoch in (("least", "0.000000001"), ("most", "999999999")):
        ran(world, ODD, run, ("09-02", 1))
        logged(world, ODD, run, ("09-02T00:00:00", 0), ("09-02T01:00:00", epoch))
    ran(world, ODD, "r'1; DROP TABLE runs--", ("09-02", 0))
    logged(world, ODD, "r'1; DROP TABLE runs--", ("09-02T00:00:00", 0), ("09-02T01:00:00", 1))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("nasty"))
    for trouble in (moved, restarted, counted, skewed, extreme):
        trouble(world)
    ran(world, "turn", "r", ("08-31", 12), ("09-01", 12))
    logged(world, "turn", "r", ("08-31T12:00:00", 0), ("09-01T12:00:00", 2), tokens=0)
    ran(world, "still", "r", ("09-05", 12))
    logged(world, "still", "r", ("09-05T00:00:00", 0), ("09-05T12:00:00", 1))
    logged(world, "still", "r", ("09-08T00:00:00", 1))
    for run, hours in (("s1", 6), ("s2", 2)):
        ran(world, "shares", run, ("09-03", hours))
        logged(world, "shares", run, ("09-03T00:00:00", 0), ("09-03T09:00:00", 1))
    world.hours("2025-09-03T00:00:00", 8, TRN1, 10, {"workload": "shares"})
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(
        world.pulled(baseline={"method": "measured"}),
        "baselines",
        "break_even",
        "cost_per_epoch",
        "freshness",
        "progress_daily",
        "runs",
        "savings_daily",
    )


def of(marts: Marts, workload: str, *columns: str) -> dict[str, tuple[Any, ...]]:
    rows = marts.rows("SELECT * FROM runs WHERE workload = ? ORDER BY run", workload)
    return {row["run"]: tuple(row[name] for name in columns) for row in rows}


def test_a_lineage_that_moved_to_trainium_earns_there_whatever_ran_longer(marts: Marts) -> None:
    """Most accelerator-hours were on GPU; its two Trainium epochs still stand against $200."""
    runs = of(marts, "moved", "hardware", "lineage", "epochs", "credited_epochs", "cost")
    assert runs["ga"] == ("gpu", "ga", 4, 0, 240)
    assert runs["tb"] == ("trainium", "ga", 2, 2, 100)
    assert marts.standing("moved")["cumulative_gross_saving"] == 100
    days = "SELECT date, gross_saving FROM savings_daily WHERE workload = 'moved' AND epochs > 0"
    assert str(marts.row(days)["date"]) == "2025-08-02"
    assert marts.row("SELECT DISTINCT measured FROM baselines WHERE workload = 'moved'") == {
        "measured": Decimal(100)
    }


def test_where_a_silent_parent_stood_is_not_known(marts: Marts) -> None:
    runs = of(marts, "mute", "lineage", "epochs", "cost", "flags")
    assert runs["p"] == ("p", 0, 50, ["no_progress"])
    assert runs["c"] == ("p", 2, 50, ["undeclared_start"])


def test_two_continuations_of_one_checkpoint_count_once(marts: Marts) -> None:
    runs = of(marts, "fork", "epochs", "repeated_epochs")
    assert runs == {"a": (3, 0), "b": (5, 0), "c": (0, 3)}


def test_a_circle_of_resumes_is_told_from_a_parent_that_nobody_knows(marts: Marts) -> None:
    silent = ["no_accelerator_hours", "cost_unknown"]
    assert of(marts, "circle", "lineage", "flags") == {
        "x": ("x", [*silent, "circular_resume"]),
        "y": ("y", [*silent, "circular_resume"]),
        "z": ("z", [*silent, "parent_unknown"]),
    }


def test_samples_count_where_no_epoch_is_reported(marts: Marts) -> None:
    runs = of(marts, "samples", "epochs", "cost_per_epoch", "flags")
    assert runs["only"] == (Decimal("1.5"), 20, ["epochs_from_samples"])
    assert runs["both"] == (1, 30, [])


def test_a_clock_that_is_minutes_off_moves_minutes(marts: Marts) -> None:
    days = "SELECT date, epochs FROM progress_daily WHERE run = 'early' ORDER BY date"
    assert [(str(row["date"]), row["epochs"]) for row in marts.rows(days)] == [
        ("2025-09-01", Decimal("0.01")),
        ("2025-09-02", Decimal("1.44")),
    ]
    runs = of(marts, "skew", "cost", "epochs", "unsettled")
    far = (100, 4, 0)
    assert runs == {"early": (120, Decimal("1.45"), 0), "ahead": (0, 0, 240), "far": far}


def test_a_run_over_a_month_end_stands_in_both_months(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT period_start, cost, epochs FROM cost_per_epoch "
        "WHERE workload = 'turn' AND period = 'month' ORDER BY period_start"
    )
    found = [(str(row["period_start"]), row["cost"], row["epochs"]) for row in rows]
    assert found == [("2025-08-01", 120, 1), ("2025-09-01", 120, 1)]


def test_days_on_which_nothing_rose_and_nobody_reported_are_none(marts: Marts) -> None:
    days = marts.rows(
        "SELECT date, epochs FROM progress_daily WHERE workload = 'still' ORDER BY date"
    )
    assert [(f"{day['date']:%d}", day["epochs"]) for day in days] == [("05", 1), ("08", 0)]


def test_an_instance_without_a_run_tag_is_shared_by_the_hours_of_the_days_runs(
    marts: Marts,
) -> None:
    assert of(marts, "shares", "cost", "cost_per_epoch") == {"s1": (120, 120), "s2": (40, 40)}


def test_any_name_and_any_size_of_number_is_carried_exactly(marts: Marts) -> None:
    runs = of(marts, ODD, "epochs", "cost", "cost_per_epoch", "flags")
    assert runs["least"] == (Decimal("1E-9"), 10, Decimal("1E10"), [])
    assert runs["most"] == (999_999_999, 10, Decimal("1E-8"), [])
    name = "r'1; DROP TABLE runs--"
    assert runs[name] == (1, 0, None, ["no_accelerator_hours"])
    left_out = {"not_comparable": 20, "no_accelerator_hours": None}
    assert marts.standing(ODD)["left_out"] == left_out


def test_a_sample_of_a_day_to_come_credits_no_day_and_is_named(marts: Marts) -> None:
    """Two hours past midnight a clock may run ahead; later samples wait for their day."""
    runs = marts.rows("SELECT * FROM runs WHERE workload = 'skew' ORDER BY run")
    assert {run["run"]: "future_samples" in run["flags"] for run in runs} == {
        "ahead": False, "early": False, "far": True,
    }  # fmt: skip
    far = runs[-1]
    assert (far["epochs"], far["cost"], far["cost_per_epoch"]) == (4, 100, 25)
    assert f"{far['ended_at']:%m-%d %H}" == "09-03 10"
    assert far["final_loss"] is None
    days = marts.rows("SELECT date, epochs FROM progress_daily WHERE run = 'far'")
    assert [(f"{day['date']:%m-%d}", day["epochs"]) for day in days] == [("09-03", 4)]
    feed = marts.row("SELECT newest_day, gap_days FROM freshness WHERE source = 'progress_file'")
    assert (str(feed["newest_day"]), feed["gap_days"]) == ("2025-10-31", None)
