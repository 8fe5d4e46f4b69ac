"""METHOD §3: high-water marks, gaps, lineages."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import Any

from tests.world import Marts, World, write


def logged(world: World, run: str, *samples: tuple[str, object], **columns: Any) -> None:  # noqa: ANN401
    """Samples on a run, as (time, epoch)."""
    for at, epoch in samples:
        world.sample(at, run, epoch, **columns)


def built(world: World, **config: object) -> Marts:
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return world.build(**config)


def by_run(marts: Marts, column: str = "epochs") -> dict[str, Decimal]:
    rows = marts.rows(f"SELECT run, sum({column}) AS total FROM progress_daily GROUP BY run")
    return {row["run"]: row["total"] for row in rows}


def days(marts: Marts, run: str) -> dict[date, Any]:
    rows = marts.rows("SELECT date, epochs FROM progress_daily WHERE run = ? ORDER BY date", run)
    return {row["date"]: row["epochs"] for row in rows}


def test_a_rise_over_a_gap_is_spread_evenly_over_its_time(world: World) -> None:
    logged(world, "even", ("2025-09-29T12:00:00", 0), ("2025-10-02T00:00:00", 5))
    logged(world, "third", ("2025-09-01T16:00:00", 0), ("2025-09-04T16:00:00", 1))
    logged(world, "midnight", ("2025-09-01T00:00:00", 0), ("2025-09-02T00:00:00", 1))
    logged(world, "year", ("2024-12-31T12:00:00", 0), ("2025-01-01T12:00:00", 1))
    logged(world, "blink", ("2025-09-01T23:59:59.9", 0), ("2025-09-02T00:00:00.4", 1))
    marts = built(world)
    assert days(marts, "even") == {
        date(2025, 9, 29): Decimal(1),
        date(2025, 9, 30): Decimal(2),
        date(2025, 10, 1): Decimal(2),
        date(2025, 10, 2): 0,
    }
    third = days(marts, "third")
    assert sum(third.values()) == 1
    assert third[date(2025, 9, 1)] == Decimal("0.111111111")
    assert third[date(2025, 9, 4)] == Decimal("0.222222222")
    midnight = days(marts, "midnight")
    assert midnight == {date(2025, 9, 1): 1, date(2025, 9, 2): 0}
    half = Decimal("0.5")
    assert days(marts, "year") == {date(2024, 12, 31): half, date(2025, 1, 1): half}
    assert sum(days(marts, "blink").values()) == 1


def test_order_duplicates_and_late_files_change_nothing(world: World) -> None:
    samples = [("2025-09-01T00:00:00", 0), ("2025-09-01T06:00:00", 3), ("2025-09-01T09:00:00", 2)]
    samples += [("2025-09-01T12:00:00", 5)]
    for number, order in enumerate(list(permutations(samples))[::5]):
        logged(world, f"p{number}", *order, *order[:2])
    logged(world, "gap", ("2025-09-01T00:00:00", 0), ("2025-09-03T00:00:00", 4))
    marts = built(world)
    done, again = by_run(marts), by_run(marts, "repeated_epochs")
    assert (done.pop("gap"), again.pop("gap")) == (4, 0)
    assert set(done.values()) == {Decimal(5)}
    assert set(again.values()) == {Decimal(1)}
    assert list(days(marts, "gap").values()) == [2, 2, 0]
    late = [
        {"observed_at": f"2025-09-{at}", "workload": "atlas-7b", "run": run, "epoch": epoch}
        for at, run, epoch in (("01T09:30:00", "p0", 4), ("02T00:00:00", "gap", 3))
    ]
    write(world.folder / "late.csv", late)
    sources = [*world.settings().model_dump()["sources"]]
    sources.append({"kind": "progress_file", "location": "late.csv", "name": "late"})
    marts = world.build(sources=sources)
    assert by_run(marts)["p0"] == 5
    assert list(days(marts, "gap").values()) == [3, 1, 0]


def test_where_a_run_starts(world: World) -> None:
    logged(world, "zero", ("2025-09-01T00:00:00", "0.2"), ("2025-09-01T09:00:00", 2))
    logged(world, "one", ("2025-09-01T00:00:00", 1), ("2025-09-01T09:00:00", 2))
    logged(world, "undeclared", ("2025-09-01T00:00:00", "1.5"), ("2025-09-01T09:00:00", 4))
    declared = (("2025-09-01T00:00:00", 3), ("2025-09-01T09:00:00", 4))
    logged(world, "declared", *declared, start_epoch="2.5")
    logged(world, "configured", *declared)
    marts = built(world, runs=[{"run": "configured", "start_epoch": 0}])
    assert by_run(marts) == {
        "zero": Decimal(2),
        "one": Decimal(2),
        "undeclared": Decimal("2.5"),
        "declared": Decimal("1.5"),
        "configured": Decimal(4),
    }
    flagged = marts.rows("SELECT run FROM runs WHERE list_contains(flags, 'undeclared_start')")
    assert [row["run"] for row in flagged] == ["undeclared"]


def test_a_run_that_starts_late_counts_samples_and_tokens_from_there_too(world: World) -> None:
    """METHOD §3.1: counted from that sample; 5 million samples before it are not its progress."""
    for hour, epoch in ((0, 5), (9, 6)):
        world.sample(
            f"2025-09-01T0{hour}:00:00", "late", epoch, samples=epoch * 10**6, tokens=epoch * 10**9
        )
    row = built(world).row(
        "SELECT sum(epochs) e, sum(samples) s, sum(tokens) t FROM progress_daily"
    )
    assert row == {"e": Decimal(1), "s": Decimal(10**6), "t": Decimal(10**9)}


def test_resume_chains_are_one_lineage(world: World) -> None:
    logged(world, "a", ("2025-09-01T00:00:00", 0), ("2025-09-01T09:00:00", 3))
    resumed = (("2025-09-02T00:00:00", 2), ("2025-09-02T09:00:00", 5))
    logged(world, "b", *resumed, resumed_from="a")
    logged(world, "c", ("2025-09-03T00:00:00", 5), ("2025-09-03T09:00:00", 7))
    logged(world, "x", ("2025-09-01T00:00:00", 0), ("2025-09-01T09:00:00", 2), resumed_from="y")
    logged(world, "y", ("2025-09-02T00:00:00", 0), ("2025-09-02T09:00:00", 2), resumed_from="x")
    logged(
        world, "self", ("2025-09-02T00:00:00", 0), ("2025-09-02T09:00:00", 2), resumed_from="self"
    )
    logged(
        world, "orphan", ("2025-09-02T00:00:00", 4), ("2025-09-02T09:00:00", 6), resumed_from="?"
    )
    for parent, child, start in (("parent", "child", None), ("son", "grandson", 4)):
        logged(world, parent, ("2025-09-04T12:00:00", 0), ("2025-09-05T00:00:00", 4))
        logged(
            world, child, ("2025-09-05T00:00:00", 4), ("2025-09-05T09:00:00", 6),
            resumed_from=parent, start_epoch=start,
        )  # fmt: skip
    marts = built(world, runs=[{"run": "c", "resumed_from": "b"}])
    for parent, child in (("parent", "child"), ("son", "grandson")):
        assert days(marts, parent)[date(2025, 9, 4)] == 4
        assert days(marts, child) == {date(2025, 9, 5): 2}
    rows = marts.rows(
        """SELECT run, lineage, epochs, repeated_epochs AS again FROM runs
        WHERE lineage NOT IN ('parent', 'son') ORDER BY run"""
    )
    assert [tuple(row.values()) for row in rows] == [
        ("a", "a", 3, 0),
        ("b", "a", 2, 1),
        ("c", "a", 2, 0),
        ("orphan", "orphan", 2, 0),
        ("self", "self", 2, 0),
        ("x", "x", 2, 0),
        ("y", "y", 2, 0),
    ]


def test_runs_of_one_name_in_two_workloads_are_two_runs(world: World) -> None:
    logged(world, "r1", ("2025-09-01T00:00:00", 0), ("2025-09-01T09:00:00", 3))
    logged(world, "r1", ("2025-09-01T00:00:00", 0), ("2025-09-01T09:00:00", 4), workload="other")
    rows = built(world).rows("SELECT workload, epochs FROM runs ORDER BY workload")
    assert [tuple(row.values()) for row in rows] == [("atlas-7b", 3), ("other", 4)]


def test_times_with_a_zone_are_turned_into_utc(world: World) -> None:
    logged(world, "z", ("2025-09-01T23:00:00-05:00", 0), ("2025-09-02T01:00:00-05:00", 1))
    assert days(built(world), "z") == {date(2025, 9, 2): 1}


def test_loss_of_a_day_is_the_last_reported_one(world: World) -> None:
    world.sample("2025-09-01T00:00:00", "l", 0, loss=3.0)
    world.sample("2025-09-01T10:00:00", "l", 1, loss=2.0)
    world.sample("2025-09-01T12:00:00", "l", 2)
    assert built(world).row("SELECT loss FROM progress_daily")["loss"] == 2.0
