"""Counters of any namespace: mapped by the config, summed over a run's life (METHOD §3.1, §3.3)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest import sources
from ingest.pull import pull
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.engine import build
from models.engine.warehouse import connection
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.marts.epoch_counters import COUNTER, SUM
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World, write

Point = tuple[str, float]
EMITTER = {"kind": "cloudwatch"}
NOW, LATER = "2025-10-31T12:00:00Z", "2025-11-20T12:00:00Z"
DAYS = Window(date(2025, 10, 29), date(2025, 10, 31))


def series(name: str, dimensions: dict[str, str], namespace: str, *points: Point) -> dict[str, Any]:
    """Points of October 2025, as `DDThh:mm`."""
    at = [(f"2025-10-{moment}:00Z", value) for moment, value in points]
    return {"namespace": namespace, "name": name, "dimensions": dimensions, "points": at}


def gauge(run: str, *points: Point, workload: str = "gauged") -> dict[str, Any]:
    return series("Epoch", {"Workload": workload, "Run": run}, "Breakeven", *points)


def counter(run: str, *points: Point, name: str = "EpochsDone") -> dict[str, Any]:
    return series(name, {"JobName": run}, "Training", *points)


# METHOD §8 B: 0.0, 3.0, restart: 2.0, 2.5, then 5.0; and a resume as a new run, from 3.0 to 5.0
GAUGES = [
    gauge("b", ("29T21:00", 0.0), ("29T23:59", 3.0), ("30T00:30", 2.0), ("30T06:00", 5.0)),
    gauge("p", ("29T21:00", 0.0), ("29T23:59", 3.0)),
    gauge("q", ("30T00:00", 3.0), ("30T06:00", 5.0)),
    gauge("last", ("30T07:00", 5.0), ("30T09:00", 6.0), workload="summed"),
    gauge("old", ("29T01:00", 0.0), ("29T02:00", 3.0), workload="summed"),
    gauge("both", ("29T01:00", 0.0), ("30T02:00", 4.0), workload="summed"),
]
COUNTERS = [
    counter("b", ("29T21:00", 1.25), ("29T23:10", 1.0), ("29T23:59", 0.75), ("30T06:00", 2.0)),
    counter("p", ("29T21:00", 2.0), ("29T23:59", 1.0)),
    counter("q", ("30T00:00", 0.5), ("30T06:00", 1.5)),
    counter("q", ("30T06:00", 1.5), name="EvalLoss"),
    counter("new", ("29T03:00", 1.5), ("29T04:00", 0.5)),
    counter("both", ("29T01:00", 4.0)),
    counter("late", ("29T01:00", 2.0)),
    series("EpochsDone", {"JobName": "q", "Host": "h"}, "Training", ("30T00:00", 9.0)),
]
RUNS = [
    {"run": "q", "resumed_from": "p"},
    {"run": "last", "resumed_from": "q"},
    {"run": "new", "resumed_from": "old"},
    {"run": "late", "start_epoch": 3},
]


@pytest.fixture
def config(tmp_path: Path, aws: Fake) -> Settings:
    """A company with little on its bill: what is asked here is progress."""
    aws.shows(metrics=GAUGES + COUNTERS, now=NOW)
    world = World(tmp_path)
    for run, day in (("b", 25), ("p", 28)):
        tags = {"workload": "summed", "run": run}
        world.hours(f"2025-10-{day}T00:00:00", 1, "trn1.32xlarge", 10, tags)
    write(tmp_path / "bill.csv", world.charges)
    return settings(world)


def settings(world: World, counter: dict[str, Any] = COUNTER, **config: object) -> Settings:
    bill = {"kind": "focus", "location": "bill.csv"}
    return world.settings(**{"sources": [bill, EMITTER, counter], "runs": RUNS, **config})


def epochs(config: Settings) -> dict[tuple[str, str], list[Decimal]]:
    """Of each run, by day."""
    return by_run(some_marts(config, "progress_daily"))


def by_run(marts: SomeMarts) -> dict[tuple[str, str], list[Decimal]]:
    rows = marts.rows("FROM progress_daily ORDER BY date")
    found: dict[tuple[str, str], list[Decimal]] = {}
    for row in rows:
        found.setdefault((row["workload"], row["run"]), []).append(row["epochs"])
    return found


def test_a_counter_that_began_late_is_no_baseline(tmp_path: Path, aws: Fake) -> None:
    """Hours since the 25th, counted from the 29th: its epochs are too few, and so too dear."""
    aws.shows(metrics=GAUGES + COUNTERS, now=NOW)
    world = World(tmp_path)
    for run, day, rate in (("b", 25, 10), ("p", 28, 12)):
        tags = {"workload": "summed", "run": run}
        world.hours(f"2025-10-{day}T00:00:00", 1, "p4d.24xlarge", rate, tags)
    world.charge("2025-11-20T00:00:00", 1, x_UsageType="Requests-Tier1")
    write(tmp_path / "bill.csv", world.charges)
    config = settings(world, as_of="2025-11-20", baseline={"method": "measured", "min_runs": 1})
    pull(config, window=DAYS).raise_failures()
    row = some_marts(config, "baselines").row(
        "SELECT runs, measured FROM baselines WHERE date = '2025-11-10' AND workload = 'summed'"
    )
    assert row == {"runs": 1, "measured": Decimal(2)}  # $12 and the six epochs of p, q and last


def test_a_counter_without_repeats_gives_the_epochs_that_gauges_give(config: Settings) -> None:
    pull(config).raise_failures()
    marts = some_marts(config, "progress_daily", "runs")
    done = by_run(marts)
    assert done["gauged", "p"] == done["summed", "p"] == [3]
    assert done["gauged", "q"] == done["summed", "q"] == [2]
    assert sum(done["gauged", "b"]) == sum(done["summed", "b"]) == 5
    assert done["summed", "b"] == [3, 2]
    assert done["summed", "last"] == [1]  # a gauge that goes on where counters stood
    assert done["summed", "new"] == [2]  # and a counter that goes on where a gauge stood
    assert sum(done["summed", "both"]) == 4  # where a run stood is said: nothing is added
    assert done["summed", "late"] == [2]
    flags = "SELECT run, unnest(flags) AS flag FROM runs WHERE workload = 'summed'"
    odd = marts.rows(f"FROM ({flags}) WHERE flag LIKE '%start%'")
    # charged since the 25th, first counted on the 29th: what b did until then is not known
    assert [tuple(row.values()) for row in odd] == [("b", "counter_starts_late")]
    _corrected_history(config)


def _corrected_history(config: Settings) -> None:
    """Another workload, and epochs that are samples: nothing is pulled again."""
    metrics = {"samples": COUNTER["metrics"]["epoch"]}
    told = {**COUNTER, "workload": "renamed", "metrics": metrics}
    corrected = config.model_copy(update={"sources": settings(World(config.home), told).sources})
    found = some_marts(corrected, "progress_daily").rows(
        "SELECT workload, run, sum(epochs) AS epochs, sum(samples) AS samples "
        "FROM progress_daily WHERE run = 'b' GROUP BY ALL ORDER BY workload"
    )
    assert [tuple(row.values()) for row in found] == [
        ("gauged", "b", 5, None),
        ("renamed", "b", 0, 5),
    ]


def test_pulled_again_thinned_late_or_forgotten_nothing_counts_twice(
    config: Settings, aws: Fake
) -> None:
    pull(config).raise_failures()
    first = epochs(config)
    pull(config, window=DAYS).raise_failures()
    assert epochs(config) == first
    later = config.model_copy(update={"as_of": date(2025, 11, 20)})
    aws.shows(metrics=COUNTERS, now=LATER)  # gauges are forgotten, minutes are thinned out
    again = pull(later, window=DAYS)
    assert [result.new for result in again.results] == [0, 0, 0, 0]
    assert _last_period(aws) == 300
    assert epochs(later) == first
    late = counter("b", ("29T22:00", 0.5))
    late["points"] += COUNTERS[0]["points"]
    aws.shows(metrics=[late], now=LATER)
    pull(later, window=DAYS).raise_failures()
    grown = first | {("summed", "b"): [Decimal("3.5"), Decimal(2)]}
    assert epochs(later) == grown


def _last_period(aws: Fake) -> int:
    period: int = aws.asked("GetMetricData")[-1]["MetricDataQueries"][0]["MetricStat"]["Period"]
    return period


def test_a_sum_without_the_promise_is_refused_before_anything_is_paid(
    configured: Configured, aws: Fake
) -> None:
    bare = {**COUNTER, "metrics": {"epoch": {"metric": "EpochsDone", "statistic": "Sum"}}}
    with pytest.raises(ConfigError) as caught:
        pull(configured(bare))
    assert str(caught.value) == (
        "[[sources]] counter: metrics.epoch.excludes_repeats = False: a Sum takes work repeated "
        "after a restart for progress (set it to true if the counter leaves repeats out, else map "
        "a cumulative metric)"
    )
    assert not aws.asked("ListMetrics")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"metrics": {"epohc": "E"}},
            "unknown option: metrics.epohc (did you mean metrics.epoch?)",
        ),
        (
            {"metrics": {"epoch": {"metric": "E", "statistic": "Sum", "exclude_repeats": True}}},
            "metrics.epoch.exclude_repeats (did you mean metrics.epoch.excludes_repeats?)",
        ),
        ({"metrics": {}}, "name at least one metric"),
        ({"metrics": {"epoch": "E", "tokens": "E"}}, "E is mapped to two columns"),
        ({"metrics": {"epoch": {"metric": "E", "excludes_repeats": True}}}, "promise about a Sum"),
        ({"metrics": {"loss": {"metric": "L", **SUM}}}, "unknown option: metrics.loss.statistic"),
        ({"metrics": {"epoch": {"statistic": "Sum"}}}, "option missing: metrics.epoch.metric"),
        ({"metrics": {"epoch": {"metric": "E", "statistic": "p99"}}}, "epoch.statistic = 'p99'"),
        ({"dimensions": {"workload": "Model"}}, "both name it: remove one of them"),
        ({"workload": "(portfolio)"}, "all workloads together are called so"),
    ],
)
def test_a_mistaken_mapping_is_refused_in_one_line(
    configured: Configured, aws: Fake, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        pull(configured({**COUNTER, **options}))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not aws.asked("ListMetrics")


def test_two_mappings_of_one_name_are_told_apart_by_another(configured: Configured) -> None:
    other = {**COUNTER, "region": "us-west-2", "workload": "other"}
    with pytest.raises(ConfigError, match="counter map Training in two ways"):
        sources.configured(configured(COUNTER, other))
    found = sources.configured(configured(COUNTER, {**other, "name": "another"}))
    assert [source.name for source in found] == ["counter", "another", "prices"]


def test_dimensions_of_other_names_tell_workload_and_run(configured: Configured, aws: Fake) -> None:
    named = {"Model": "atlas", "Job": "j1"}
    aws.shows(metrics=[series("E", named, "Training", ("30T10:00", 1.0))], now=NOW)
    source = {
        "kind": "cloudwatch",
        "namespace": "Training",
        "dimensions": {"workload": "Model", "run": "Job"},
        "metrics": {"epoch": "E"},
    }
    told = configured(source, as_of="2025-10-31")
    pull(told, ["cloudwatch"]).raise_failures()
    build.refresh(told)
    with connection.writer(told.warehouse_file) as backend:
        rows = backend.con.execute("SELECT workload, run, epoch FROM progress").fetchall()
    assert rows == [("atlas", "j1", 1)]
