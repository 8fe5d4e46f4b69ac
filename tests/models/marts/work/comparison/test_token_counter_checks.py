"""METHOD §3.1, §3.4: a token counter that counts other work than the epochs is no unit.

Two GPU runs of 10 epochs, 20 million tokens and $600 each: a million tokens were $30. The Trainium
run has twice the samples an epoch: 5 epochs, 20 million tokens, $240.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
Point = tuple[object, object, object]
"""Hour or time of the day, epoch, million tokens."""
GPU: tuple[Point, ...] = ((0, 0, 0), (12, 5, 10), (23, 10, 20))
TRAINIUM: tuple[Point, ...] = ((0, 0, 0), (12, 2, 8), (23, 5, 20))
WHOLE = {
    "whole": {},
    "back with its checkpoint": {
        "t": [(0, 0, 0), (6, 3, 12), (7, 2, 8), (8, "2.5", 10), (23, 5, 20)]
    },
    "all but a hundredth": {"g": [(0, 0, 0), (12, 5, 10), (22, "9.9", "20"), (23, 10, None)]},
    "one after another": {
        "g": [
            (0, 0, 0),
            ("12:00:00", None, 10),
            ("12:00:09", 5, None),
            ("23:00:00", None, 20),
            ("23:01:00", 10, None),
        ]
    },
    "in turns": {"g": [(0, 0, 0), (6, "2.5", None), (12, 5, 10), (23, 10, 20)]},
    "a minute before its tokens": {
        "t": [("00:00:00", "0.5", None), ("00:01:00", None, 2), (12, 2, 8), (23, 5, 20)]
    },
    "a hundredth after its epochs": {"g": [(0, 0, 0), (22, 10, "19.8"), (23, None, 20)]},
    "repeats a hundredth": {"g": [(0, 0, 0), (11, 5, 10), (12, "4.9", 10), (23, "9.9", 20)]},
    "packed": {"t": [(0, 0, 0), (12, 4, 2), (23, 5, 20)]},
    "begun elsewhere": {"t": [(0, 3, 12), (12, 4, 16), (23, 8, 32)]},
}
STOPS = "made epochs while its token counter did not rise"
REPEATS = "repeated another share of its tokens than of its epochs"
LESS = {
    "stops": ({"g": [(0, 0, 0), (12, 5, 10), (18, 8, None), (23, 10, None)]}, STOPS),
    "stands": ({"g": [(0, 0, 0), (12, 5, 10), (18, 8, 10), (23, 10, 10)]}, STOPS),
    "more than a hundredth": (
        {"g": [(0, 0, 0), (21, "9.89", 20), (22, "9.95", None), (23, 10, None)]},
        STOPS,
    ),
    "more than a minute": (
        {"g": [(0, 0, 0), (12, 5, 10), ("23:00:00", None, 20), ("23:01:01", 10, None)]},
        STOPS,
    ),
    "begins late": ({"g": [(0, 0, None), (12, 5, 0), (23, 10, 10)]}, STOPS),
    "started late": ({"g": [(1, 6, 12), (12, 8, 16), (23, 10, 20)]}, STOPS),
    "begins anew": ({"g": [(0, 0, 0), (11, 5, 10), (12, 5, 0), (23, "10.1", "10.2")]}, REPEATS),
    "repeats twice": (
        {"g": [(0, 0, 0), (6, 3, 6), (7, "2.92", 6), (12, 6, 12), (13, "5.92", 12), (23, 10, 20)]},
        REPEATS,
    ),
    "counts on": (
        {"t": [(0, 0, 0), (6, 3, 12), (7, 2, 12), (8, "2.5", 14), (23, 5, 24)]},
        REPEATS,
    ),
    "goes on with a base model's": (
        {"t": [(0, 0, 5000), (1, "0.2", 5001), (12, 2, 5008), (23, 5, 5020)]},
        "began to count tokens far above 0",
    ),
    "goes further": (
        {"t": [(0, 0, 0), (12, 5, 20), (23, None, 40)]},
        "counted tokens while it reported no epochs",
    ),
}


def ran(world: World, workload: str, run: str, day: str, machine: str, points: object) -> None:
    """24 hours, $25 each on GPU and $10 on Trainium, and what was reported."""
    gpu = machine == P4D
    tags = {"workload": workload, "run": run}
    world.hours(f"2025-{day}T00:00:00", 24, machine, 25 if gpu else 10, tags)
    size = 1_000_000 if gpu else 2_000_000
    for at, epoch, millions in points:  # type: ignore[attr-defined]
        tokens = None if millions is None else int(Decimal(str(millions)) * 10**6)
        time = at if isinstance(at, str) else f"{at:02}:00:00"
        told = {"tokens": tokens, "samples_per_epoch": size}
        begun = 4 if workload.startswith("started late") and run == "g" else None
        world.sample(f"2025-{day}T{time}", run, epoch, workload=workload, start_epoch=begun, **told)


def company(world: World, workload: str, **points: object) -> None:
    """The three runs, as far as nothing else is given."""
    ran(world, workload, "g", "05-02", P4D, points.get("g", GPU))
    ran(world, workload, "h", "05-03", P4D, points.get("h", GPU))
    ran(world, workload, "t", "09-02", TRN1, points.get("t", TRAINIUM))


def say(world: World, lines: int, **columns: object) -> None:
    """What the newest lines of progress say besides."""
    for sample in world.samples[-lines:]:
        sample |= columns


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("tokens"))
    for workload, given in (WHOLE | {name: given for name, (given, _) in LESS.items()}).items():
        company(world, workload, **given)
    lineages(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    told = [{"name": f"{name} pinned", "unit": "billion_tokens"} for name in LESS]
    for name, (given, _) in LESS.items():
        company(world, f"{name} pinned", **given)
    settings = world.pulled(baseline={"method": "measured"}, workloads=told)
    return some_marts(settings, "baselines", "break_even", "runs")


def lineages(world: World) -> None:
    """3 epochs and 12 million tokens in one run, 2 epochs in the next; a port run before."""
    begun = [(0, 0, 0), (22, "2.95", 12), (23, 3, None)]
    for workload, begin, end in (
        ("goes on", 12, 20),
        ("anew in the next", 0, 8),
        ("none in the next", None, None),
    ):
        company(world, workload, t=begun)
        ran(world, workload, "u", "09-03", TRN1, [(0, 3, begin), (23, 5, end)])
        say(world, 2, resumed_from="t")
    company(world, "epochs in the next", t=[(0, None, 0), (22, None, 12)])
    ran(world, "epochs in the next", "u", "09-03", TRN1, [(0, 0, 12), (23, 2, 20)])
    say(world, 2, resumed_from="t")
    company(world, "after a port")
    say(world, 3, resumed_from="p")
    ran(world, "after a port", "p", "09-01", TRN1, [(0, 0, None), (23, 0, None)])
    say(world, 2, purpose="port")


def unit(marts: Marts, workload: str) -> object:
    day = "date = '2025-09-10' AND workload = ?"
    return marts.row(f"SELECT unit FROM baselines WHERE {day}", workload)["unit"]


@pytest.mark.parametrize("workload", [*WHOLE, "after a port"])
def test_tokens_that_tell_the_epochs_work_are_credited(marts: Marts, workload: str) -> None:
    """20 million at $30, less $240."""
    assert unit(marts, workload) == "billion_tokens"
    assert marts.standing(workload)["cumulative_gross_saving"] == 360


@pytest.mark.parametrize("workload", LESS)
def test_tokens_that_tell_another_work_than_the_epochs_are_no_unit(
    marts: Marts, workload: str
) -> None:
    """Of two GPU runs too few are told in tokens, or the Trainium run is not: samples are left."""
    assert unit(marts, workload) == "million_samples"
    assert marts.standing(workload)["cumulative_gross_saving"] is not None


@pytest.mark.parametrize("workload", LESS)
def test_a_run_that_cannot_be_told_in_the_pinned_unit_says_why(marts: Marts, workload: str) -> None:
    (run,) = LESS[workload][0]
    found = marts.row(
        "SELECT comparability FROM runs WHERE workload = ? AND run = ?", f"{workload} pinned", run
    )
    assert found["comparability"] == f"run {run} {LESS[workload][1]}"


def test_a_lineages_tokens_go_on_from_run_to_run_or_are_no_unit(marts: Marts) -> None:
    """$600 of tokens, less $480 of two days; or the same by samples."""
    for workload in ("goes on", "epochs in the next"):
        assert unit(marts, workload) == "billion_tokens"
        assert marts.standing(workload)["cumulative_gross_saving"] == 120
    for workload in ("anew in the next", "none in the next"):
        assert unit(marts, workload) == "million_samples"
        assert marts.standing(workload)["cumulative_gross_saving"] == 120
