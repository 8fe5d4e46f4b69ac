"""METHOD §3: high-water marks, gaps, lineages."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World, write


def logged(world: World, run: str, *samples: tuple[str, object], **columns: Any) -> None:  # noqa: ANN401
    """Samples on a run, as (day of September and time unless a year is said, epoch)."""
    for at, epoch in samples:
        world.sample(at if at[:2] == "20" else f"2025-09-{at}", run, epoch, **columns)


def gaps(world: World) -> None:
    logged(world, "even", ("2025-09-29T12:00:00", 0), ("2025-10-02T00:00:00", 5))
    logged(world, "third", ("01T16:00:00", 0), ("04T16:00:00", 1))
    logged(world, "midnight", ("01T00:00:00", 0), ("02T00:00:00", 1))
    logged(world, "year", ("2024-12-31T12:00:00", 0), ("2025-01-01T12:00:00", 1))
    logged(world, "blink", ("01T23:59:59.9", 0), ("02T00:00:00.4", 1))
    logged(world, "z", ("01T23:00:00-05:00", 0), ("02T01:00:00-05:00", 1))


def nine(
    world: World, run: str, start: object, end: object, *, day: int = 1, **columns: object
) -> None:
    """A run of nine hours of September."""
    logged(world, run, (f"0{day}T00:00:00", start), (f"0{day}T09:00:00", end), **columns)


def starts(world: World) -> None:
    """The config says that `configured` starts at 0."""
    nine(world, "zero", "0.2", 2, workload="starts")
    nine(world, "one", 1, 2, workload="starts")
    nine(world, "undeclared", "1.5", 4, workload="starts")
    nine(world, "declared", 3, 4, workload="starts", start_epoch="2.5")
    nine(world, "configured", 3, 4, workload="starts")
    for at, epoch in (("01T00:00:00", 5), ("01T09:00:00", 6)):
        logged(world, "late", (at, epoch), samples=epoch * 10**6, tokens=epoch * 10**9)


def chains(world: World) -> None:
    """The config says that `c` resumes `b`."""
    nine(world, "a", 0, 3, workload="chains")
    nine(world, "b", 2, 5, workload="chains", day=2, resumed_from="a")
    nine(world, "c", 5, 7, workload="chains", day=3)
    nine(world, "x", 0, 2, workload="chains", resumed_from="y")
    nine(world, "y", 0, 2, workload="chains", day=2, resumed_from="x")
    nine(world, "self", 0, 2, workload="chains", day=2, resumed_from="self")
    nine(world, "orphan", 4, 6, workload="chains", day=2, resumed_from="?")
    for parent, child, start in (("parent", "child", None), ("son", "grandson", 4)):
        logged(world, parent, ("04T12:00:00", 0), ("05T00:00:00", 4))
        nine(world, child, 4, 6, day=5, resumed_from=parent, start_epoch=start)


def others(world: World) -> None:
    nine(world, "r1", 0, 3, workload="one")
    nine(world, "r1", 0, 4, workload="other")
    for hour, epoch, loss in ((0, 0, 3.0), (10, 1, 2.0), (12, 2, None)):
        logged(world, "l", (f"01T{hour:02}:00:00", epoch), loss=loss)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("progress"))
    for case in (gaps, starts, chains, others):
        case(world)
    told = [{"run": "configured", "start_epoch": 0}, {"run": "c", "resumed_from": "b"}]
    return built(world, "progress_daily", "runs", runs=told)


def built(world: World, *asked: str, **config: object) -> Marts:
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return some_marts(world.pulled(**config), *asked)


def by_run(marts: Marts, column: str = "epochs", workload: str = "atlas-7b") -> dict[str, Decimal]:
    runs = f"SELECT run, sum({column}) AS total FROM progress_daily WHERE workload = ? GROUP BY 1"
    return {row["run"]: row["total"] for row in marts.rows(runs, workload)}


def days(marts: Marts, run: str) -> dict[date, Any]:
    rows = marts.rows("SELECT date, epochs FROM progress_daily WHERE run = ? ORDER BY date", run)
    return {row["date"]: row["epochs"] for row in rows}


def test_a_rise_over_a_gap_is_spread_evenly_over_its_time(marts: Marts) -> None:
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
    samples = [("01T00:00:00", 0), ("01T06:00:00", 3), ("01T09:00:00", 2), ("01T12:00:00", 5)]
    for number, order in enumerate(list(permutations(samples))[::5]):
        logged(world, f"p{number}", *order, *order[:2])
    logged(world, "gap", ("01T00:00:00", 0), ("03T00:00:00", 4))
    marts = built(world, "progress_daily")
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
    marts = some_marts(world.pulled(sources=sources), "progress_daily")
    assert by_run(marts)["p0"] == 5
    assert list(days(marts, "gap").values()) == [3, 1, 0]


def test_where_a_run_starts(marts: Marts) -> None:
    assert by_run(marts, workload="starts") == {
        "zero": Decimal(2),
        "one": Decimal(2),
        "undeclared": Decimal("2.5"),
        "declared": Decimal("1.5"),
        "configured": Decimal(4),
    }
    flagged = "workload = 'starts' AND list_contains(flags, 'undeclared_start')"
    assert marts.rows(f"SELECT run FROM runs WHERE {flagged}") == [{"run": "undeclared"}]


def test_a_run_that_starts_late_counts_samples_and_tokens_from_there_too(marts: Marts) -> None:
    """METHOD §3.1: counted from that sample; 5 million samples before it are not its progress."""
    total = "SELECT sum(epochs) e, sum(samples) s, sum(tokens) t FROM progress_daily"
    assert marts.row(f"{total} WHERE run = 'late'") == {"e": 1, "s": 10**6, "t": 10**9}


def test_resume_chains_are_one_lineage(marts: Marts) -> None:
    for parent, child in (("parent", "child"), ("son", "grandson")):
        assert days(marts, parent)[date(2025, 9, 4)] == 4
        assert days(marts, child) == {date(2025, 9, 5): 2}
    chained = "SELECT run, lineage, epochs, repeated_epochs FROM runs WHERE workload = 'chains'"
    rows = marts.rows(f"{chained} ORDER BY run")
    assert [tuple(row.values()) for row in rows] == [
        ("a", "a", 3, 0),
        ("b", "a", 2, 1),
        ("c", "a", 2, 0),
        ("orphan", "orphan", 2, 0),
        ("self", "self", 2, 0),
        ("x", "x", 2, 0),
        ("y", "y", 2, 0),
    ]


def test_runs_of_one_name_in_two_workloads_are_two_runs(marts: Marts) -> None:
    rows = marts.rows("SELECT workload, epochs FROM runs WHERE run = 'r1' ORDER BY workload")
    assert [tuple(row.values()) for row in rows] == [("one", 3), ("other", 4)]


def test_times_with_a_zone_are_turned_into_utc(marts: Marts) -> None:
    assert days(marts, "z") == {date(2025, 9, 2): 1}


def test_loss_of_a_day_is_the_last_reported_one(marts: Marts) -> None:
    assert marts.row("SELECT loss FROM progress_daily WHERE run = 'l'")["loss"] == 2.0
