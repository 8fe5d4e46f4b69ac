"""METHOD §5.1: which GPU runs stand in which window, against the rule in plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.marts.baseline.windows.baseline_window import baseline_window
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

LINE = {"workload": "string", "lineage": "string"}
YES = ("on_gpu", "ended", "reports", "reports_progress")
NO = ("reported_late", "partly_reported")
FACTS = LINE | {"ended_on": "date", "ended_at": "timestamp", "cost": "decimal(38, 9)"}
FACTS |= dict.fromkeys((*YES, *NO), "boolean")
UNITS = LINE | {
    "kind": "string", "unit": "string", "comparability": "string", "not_countable": "boolean",
    "work": "decimal(38, 9)", "least_work": "decimal(38, 9)", "qualifies": "boolean",
}  # fmt: skip
HOURS = LINE | {"platform": "string", "accelerator_hours": "decimal(38, 9)"}
SETTINGS = validated_settings({"baseline": {"latest": 3, "window_days": 100}}, home=Path())
BEFORE_ALL = date(1970, 1, 1)
SEEDS = 60
Runs = list[dict[str, Any]]
Windows = dict[tuple[date, str], list[str]]
"""Lineages by the first day of a window and its platform."""


def at(day: date, hour: int = 0) -> datetime:
    """An hour of a day."""
    return datetime.combine(day, time(hour))


def drawn(luck: random.Random) -> Runs:
    """Runs of three platforms that ended over a year and a half; one in four failed."""
    found = []
    for number in range(luck.randrange(1, 16)):
        epochs = luck.randrange(1, 8) if luck.random() < 0.25 else luck.randrange(10, 300)
        day = luck.randrange(0, 540)
        day -= day % luck.choice((1, 60))  # several often end on one day
        ended = at(date(2025, 1, 1) + timedelta(days=day), luck.randrange(24))
        found.append({
            "lineage": f"g{number:02}",
            "platform": luck.choice(("p4d", "p4d", "p5", "g5")),
            "ended_on": ended.date(),
            "ended_at": ended,
            "work": Decimal(epochs) / 10,
        })  # fmt: skip
    return found


@pytest.fixture(scope="module")
def drawn_runs() -> list[Runs]:
    return [drawn(random.Random(seed)) for seed in range(SEEDS)]


@pytest.fixture(scope="module")
def windows(drawn_runs: list[Runs]) -> dict[str, Windows]:
    """The lineages of each window as the product lists them; each seed is a workload."""
    return listed(drawn_runs)


def listed(companies: list[Runs]) -> dict[str, Windows]:
    """The lineages of each window of each of these workloads, by their number."""
    lines = [
        {"workload": str(seed), "kind": "", "unit": "epoch", "comparability": "comparable",
         "not_countable": False, "cost": Decimal(1), "least_work": Decimal("0.9"),
         "qualifies": run["work"] >= Decimal("0.9"), "accelerator_hours": Decimal(8)}
        | dict.fromkeys(YES, True) | dict.fromkeys(NO, False) | run
        for seed, runs in enumerate(companies)
        for run in runs
    ]  # fmt: skip
    given = (table(FACTS, *lines), table(UNITS, *lines), table(HOURS, *lines))
    found: defaultdict[str, Windows] = defaultdict(lambda: defaultdict(list))
    for row in applied(baseline_window, *given, SETTINGS).to_pyarrow().to_pylist():
        found[row["workload"]][row["since"], row["candidate"]].append(row["lineage"])
    return found


def beside(chosen: Runs, failed: Runs) -> Runs:
    """A window with the failed runs that ended from its first end to its last."""
    ends = [run["ended_on"] for run in chosen]
    return [*chosen, *(run for run in failed if min(ends) <= run["ended_on"] <= max(ends))]


def by_the_rule(runs: Runs, day: date) -> dict[str, list[str]]:
    """METHOD §5 for one day: the windows of the candidates, else one of all platforms."""
    good = [run for run in runs if run["work"] >= Decimal("0.9")]
    failed = [run for run in runs if run not in good]
    past = [run for run in good if run["ended_on"] <= day]  # in the order of their names
    past.sort(key=lambda run: run["ended_at"], reverse=True)
    recent = [r for r in past if r["ended_on"] > past[0]["ended_on"] - timedelta(days=100)]
    windows = {}
    for platform in {run["platform"] for run in recent}:
        own = [run for run in recent if run["platform"] == platform][:3]
        windows[platform] = (
            len(own), beside(own, [run for run in failed if run["platform"] == platform])
        )  # fmt: skip
    whole = sum(run["work"] for _, window in windows.values() for run in window)
    candidates = {
        platform: window
        for platform, (runs_, window) in windows.items()
        if runs_ >= 2 and 10 * sum(run["work"] for run in window) >= whole
    }
    if not candidates and len(good) >= 2:
        later = sorted(
            (run for run in good if run["ended_on"] > day),
            key=lambda run: (run["ended_at"], run["lineage"]),
        )
        chosen = recent[:3] if len(recent) >= 2 else [*past, *later][:2]
        platforms = {run["platform"] for run in chosen}
        name = platforms.pop() if len(platforms) == 1 else ""
        candidates = {name: beside(chosen, failed)}
    return {name: sorted(run["lineage"] for run in window) for name, window in candidates.items()}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_platform_has_the_window_that_the_rule_gives_it(
    drawn_runs: list[Runs], windows: dict[str, Windows], seed: int
) -> None:
    runs, own = drawn_runs[seed], windows[str(seed)]
    for day in {BEFORE_ALL, *(run["ended_on"] for run in runs)}:
        held = {name: sorted(lines) for (since, name), lines in own.items() if since == day}
        assert held == by_the_rule(runs, day), day


def test_work_of_a_platform_with_too_few_runs_counts_where_a_tenth_is_asked() -> None:
    """Two runs of an epoch on p4d beside one of 30 on p5: p4d has less than a tenth of the work."""
    for epochs, name, members in ((30, "", ["a", "b", "c"]), (18, "p4d", ["a", "b"])):
        runs = [
            {"lineage": line, "platform": platform, "work": Decimal(work)}
            | {"ended_on": date(2025, 5, day), "ended_at": at(date(2025, 5, day))}
            for line, platform, work, day in (
                ("a", "p4d", 1, 1), ("b", "p4d", 1, 2), ("c", "p5", epochs, 3)
            )
        ]  # fmt: skip
        found = {
            candidate: sorted(lines)
            for (since, candidate), lines in listed([runs])["0"].items()
            if since == date(2025, 5, 3)
        }
        assert found == {name: members}


def test_of_a_day_with_many_runs_those_stand_in_the_window_that_ended_last() -> None:
    """Whatever their names: the window holds three."""
    runs = [
        {"lineage": name, "platform": "p4d", "work": Decimal(1)}
        | {"ended_on": date(2025, 5, 1), "ended_at": at(date(2025, 5, 1), hour)}
        for name, hour in {"a": 2, "b": 5, "c": 8, "d": 11}.items()
    ]
    found = listed([runs])["0"][date(2025, 5, 1), "p4d"]
    assert sorted(found) == ["b", "c", "d"]
