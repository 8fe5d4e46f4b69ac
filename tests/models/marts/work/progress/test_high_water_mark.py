"""METHOD §3.1 where runs of a lineage meet, start late, or are counted by what they did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest import pull
from models.config.settings import Settings
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.marts.epoch_counters import COUNTER, SUM
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World, one_core, write

P4D = "p4d.24xlarge"
MILLION = 10**6
TOKENS = {"tokens": {"metric": "Tokens", **SUM}}
POINTS = [
    ("one", "EpochsDone", "05T01:00", 1.0, 1),  # a period of a second begins and ends at once
    ("one", "EpochsDone", "05T02:00", 0.5),
    ("one", "EvalLoss", "05T02:00", 2.0),
    ("small", "EpochsDone", "05T01:30", 0.5),
    ("small", "EpochsDone", "05T03:00", 0.5),
    ("late", "EpochsDone", "05T01:00", 2.0),
    ("late", "Tokens", "05T01:00", 100.0),
    ("new", "EpochsDone", "06T03:00", 1.5),
    ("new", "EpochsDone", "06T04:00", 0.5),
    ("both", "EpochsDone", "06T03:00", 9.0),
]


def logged(
    world: World, workload: str, run: str, *samples: tuple[str, object], **columns: object
) -> None:
    for at, epoch in samples:
        world.sample(f"2025-09-{at}:00", run, epoch, workload=workload, **columns)


def met(world: World) -> None:
    """Two runs of a lineage at one instant: in its middle, and at the first sample of both."""
    logged(world, "middle", "a", ("01T00:00", 0), ("01T06:00", 2), ("01T18:00", 6))
    logged(world, "middle", "b", ("01T12:00", 2), ("01T18:00", 5), resumed_from="a")
    logged(world, "begin", "a", ("01T06:00", 1))
    logged(world, "begin", "b", ("01T06:00", "0.5"), ("01T12:00", 2), resumed_from="a")


def odd_starts(world: World) -> None:
    """A parent heard of after its child or never, and a child that goes on below one epoch."""
    world.hours("2025-09-01", 1, P4D, 10, {"workload": "orphan", "run": "p"})
    logged(world, "orphan", "c", ("01T00:00", "0.5"), ("01T06:00", 2), resumed_from="p")
    logged(world, "after", "b", ("01T00:00", 0), ("01T12:00", 3), resumed_from="a")
    logged(world, "after", "a", ("02T06:00", 1))
    logged(world, "below", "a", ("01T00:00", 0), ("01T06:00", "0.5"))
    logged(world, "below", "b", ("02T00:00", "0.5"), ("02T06:00", "0.75"), resumed_from="a")
    for run, start, first in (("none", None, 1), ("zero", 0, 2), ("one", 1, 1)):
        for at, epoch in (("01T06:00", first + 1), ("01T00:00", first)):  # the newest first
            told = {"start_epoch": start, "tokens": 100 * epoch, "samples": 10 * epoch}
            logged(world, "declared", run, (at, epoch), **told)


def by_samples(world: World) -> None:
    """Samples of an unknown size, and of a run that begins with two and a half epochs done."""
    for at, bare, sized in (("01T06:00", 800, 4_000_000), ("01T00:00", 500, 2_500_000)):
        logged(world, "samples", "bare", (at, ""), samples=bare)
        size = {"samples": sized, "samples_per_epoch": MILLION}
        logged(world, "samples", "sized", (at, ""), **size)


def gaps(world: World) -> None:
    """Samples that say nothing of a counter do not end its gap; at midnight a day has passed."""
    logged(world, "gaps", "silent", ("01T00:00", 0))
    logged(world, "gaps", "silent", ("02T12:00", ""), samples=5)
    logged(world, "gaps", "silent", ("03T00:00", 2))
    logged(world, "gaps", "midnight", ("01T12:00", 0), tokens=0)
    logged(world, "gaps", "midnight", ("02T00:00", 1), tokens=100)


def summed(world: World) -> None:
    """Beside the counters: gauges that go on from them, or before them; hours at $10."""
    logged(world, "summed", "after", ("06T01:00", 5), tokens=100)
    logged(world, "summed", "after", ("06T02:00", 6), tokens=150)
    logged(world, "summed", "old", ("06T01:00", 0), ("06T02:00", 3))
    logged(world, "summed", "newer", ("08T05:00", 5), ("08T06:00", 7))
    logged(world, "summed", "newer", ("08T07:00", 6), ("08T08:00", 8))
    logged(world, "summed", "both", ("06T01:00", 0), ("06T05:00", 4))
    logged(world, "gauged", "g", ("06T01:00", 0), ("06T05:00", 4))
    for run, *days in (
        ("small", 4, 5), ("one", 3, 4, 5), ("late", 3, 5), ("after", 6), ("old", 6), ("new", 6),
        ("newer", 8),
    ):  # fmt: skip
        for day in days:
            world.hours(f"2025-09-0{day}", 1, P4D, 10, {"workload": "summed", "run": run})
    for day in (2, 6):
        world.hours(f"2025-09-0{day}", 1, P4D, 10, {"workload": "gauged", "run": "g"})


def delivered(config: Settings, points: Iterable[tuple[Any, ...]]) -> None:
    """As CloudWatch's answer lies in the raw zone."""
    same = {"source": "counter", "account": "1", "region": "us-east-1", "namespace": "Training"}
    lines = [
        same | {"dimensions": f'{{"JobName": "{run}"}}', "named_by": '["JobName"]'}
        | {"metric": metric, "value": value, "period": (*period, 60)[0]}
        | {"timestamp": datetime.fromisoformat(f"2025-09-{at}:00")}
        | {"statistic": "Average" if metric == "EvalLoss" else "Sum"}
        for run, metric, at, value, *period in points
    ]  # fmt: skip
    with RawZone(config.data / "raw").staging(Key("counter", "1", "2025-09-05")) as staging:
        path = staging.next_path
        pq.write_table(pa.Table.from_pylist(lines), path)
        staging.add(path)
        staging.seal("cloudwatch")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("steps"))
    for trouble in (met, odd_starts, by_samples, gaps, summed):
        trouble(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    files = [
        {"kind": "focus", "location": "bill.csv"},
        {"kind": "progress_file", "location": "progress.csv"},
    ]
    resumed = (("after", "late"), ("new", "old"), ("newer", "new"))
    runs = [{"run": run, "workload": "summed", "resumed_from": parent} for run, parent in resumed]
    config = world.settings(
        sources=[*files, COUNTER | {"metrics": COUNTER["metrics"] | TOKENS}],
        runs=[*runs, {"run": "late", "workload": "summed", "start_epoch": 3}],
        baseline={"method": "measured", "min_runs": 1},
    )
    write(world.folder / "bill.csv", world.charges)
    write(world.folder / "progress.csv", world.samples)
    with one_core():
        pull.pull(config, ("focus", "progress_file")).raise_failures()
        delivered(config, POINTS)
    return some_marts(config, "baselines", "progress_daily", "runs")


def of(marts: Marts, workload: str) -> dict[str, tuple[Any, ...]]:
    """Each run's epochs, repeated epochs, samples and tokens."""
    rows = marts.rows(
        "SELECT run, sum(epochs), sum(repeated_epochs), sum(samples), sum(tokens)"
        " FROM progress_daily WHERE workload = ? GROUP BY run",
        workload,
    )
    return {run: tuple(sums) for run, *sums in (row.values() for row in rows)}


def flags(marts: Marts, workload: str) -> dict[str, list[str]]:
    rows = marts.rows("SELECT run, flags FROM runs WHERE workload = ?", workload)
    free = {"no_accelerator_hours", "cost_unknown"}
    return {row["run"]: [flag for flag in row["flags"] if flag not in free] for row in rows}


def test_of_two_runs_at_one_instant_the_one_that_is_behind_moves_first(marts: Marts) -> None:
    assert of(marts, "middle") == {"a": (3, 3, None, None), "b": (3, 0, None, None)}
    assert flags(marts, "middle") == {"a": [], "b": []}


def test_a_run_that_resumes_another_at_its_first_sample_leaves_that_to_it(marts: Marts) -> None:
    half = Decimal("0.5")
    assert of(marts, "begin") == {"a": (1, 0, None, None), "b": (1, half, None, None)}


def test_a_parent_heard_of_after_its_child_starts_at_nothing(marts: Marts) -> None:
    assert of(marts, "after") == {"a": (0, 1, None, None), "b": (3, 0, None, None)}


def test_the_child_of_a_run_that_never_reported_starts_at_nothing(marts: Marts) -> None:
    assert of(marts, "orphan") == {"c": (2, 0, None, None)}


def test_a_child_goes_on_below_one_epoch_too(marts: Marts) -> None:
    assert of(marts, "below") == {
        "a": (Decimal("0.5"), 0, None, None),
        "b": (Decimal("0.25"), 0, None, None),
    }


def test_what_was_done_before_a_declared_start_is_not_counted(marts: Marts) -> None:
    assert of(marts, "declared") == {
        "none": (2, 0, 20, 200),
        "zero": (3, 0, 30, 300),
        "one": (1, 0, 10, 100),
    }


def test_samples_are_epochs_only_where_their_number_is_known(marts: Marts) -> None:
    assert of(marts, "samples") == {
        "bare": (0, 0, 800, None),
        "sized": (Decimal("1.5"), 0, 1_500_000, None),
    }
    assert flags(marts, "samples") == {
        "bare": [],
        "sized": ["undeclared_start", "epochs_from_samples"],
    }


def test_a_gap_lasts_until_the_counter_is_told_again(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT run, date, epochs, repeated_epochs, samples, tokens FROM progress_daily"
        " WHERE workload = 'gaps' ORDER BY ALL"
    )
    assert [(row.pop("run"), f"{row.pop('date'):%d}", *row.values()) for row in rows] == [
        ("midnight", "01", 1, 0, None, 100),
        ("midnight", "02", 0, 0, None, None),
        ("silent", "01", 1, 0, None, None),
        ("silent", "02", 1, 0, 5, None),
        ("silent", "03", 0, 0, None, None),
    ]


def test_what_counters_did_lifts_the_mark_from_where_the_lineage_stood(marts: Marts) -> None:
    """CloudWatch counts 9 epochs of `both`; a file, which comes after it, says 4."""
    assert of(marts, "summed") == {
        "one": (Decimal("1.5"), 0, None, None),
        "small": (1, 0, None, None),
        "late": (2, 0, None, 100),
        "after": (1, 0, None, 50),
        "old": (3, 0, None, None),
        "new": (2, 0, None, None),
        "newer": (3, 1, None, None),
        "both": (9, 0, None, None),
    }


def test_a_counter_may_wait_a_day_for_its_first_count(marts: Marts) -> None:
    """Two days are late, but where the start is declared, or for a gauge."""
    told = {run: found for run, found in flags(marts, "summed").items() if found}
    assert told == {"one": ["counter_starts_late"]}
    assert flags(marts, "gauged") == {"g": []}


def test_a_counter_that_began_late_sets_no_baseline(marts: Marts) -> None:
    """All but `one`: $20 + $30 + $30 for 1 + 3 + 8 epochs; a late gauge says where it stands."""
    found = marts.rows(
        "SELECT workload, runs, measured FROM baselines WHERE date = '2025-10-01'"
        " AND workload IN ('summed', 'gauged') ORDER BY workload"
    )
    assert [tuple(row.values()) for row in found] == [
        ("gauged", 1, 5),
        ("summed", 3, Decimal("6.666666667")),
    ]
