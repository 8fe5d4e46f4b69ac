"""Defines the simulated runs of each workload of the sample, over twenty months."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from generator.runs import Run, spread
from generator.timeline import at
from generator.workloads import (
    A100_40,
    A100_80,
    ATLAS,
    HARBOR,
    LUMEN,
    ORBIT,
    QUILL,
    SCRIBE,
    TRN,
    Workload,
)

Changes = dict[str, dict[str, Any]]


def series(
    workload: Workload,
    letter: str,
    instance_type: str,
    epochs: float,
    first: str,
    last: str,
    count: int,
) -> Iterator[Run]:
    """Yields a series of similar runs of a workload on an instance type, named like `atlas-t07`."""
    stem = workload.name.partition("-")[0]
    starts = spread(at(first), at(last), count, f"{stem} {letter}")
    for number, start in enumerate(starts, 1):
        name = f"{stem}-{letter}{number:02}"
        yield Run(name, workload, instance_type, start, epochs, recipe=workload.recipe)


def changed(runs: Iterator[Run], changes: Changes) -> Iterator[Run]:
    """Yields the runs; for some run names with fields replaced, such as restarts."""
    for run in runs:
        yield replace(run, **changes.get(run.name, {}))


def on_trainium(workload: Workload, kind: str, start: str, epochs: float) -> Run:
    """Returns a port or validation run: part of the investment, never of the savings."""
    name = f"{workload.name.partition('-')[0]}-{kind[0]}01"
    return Run(name, workload, TRN, at(start), epochs, purpose=kind, recipe=workload.recipe)


def atlas() -> Iterator[Run]:
    """Yields runs of a workload that broke even: A100 to trn1 in September 2025.

    Two baseline runs on GPU follow the move.
    """
    gpu = series(ATLAS, "g", A100_80, 5, "2025-03-04T06:00", "2025-08-08T06:00", 12)
    yield from changed(
        gpu, {"atlas-g06": {"stops_at": 0.4}, "atlas-g08": {"restarts": ((2.6, 0.35),)}}
    )
    later = series(ATLAS, "b", A100_80, 5, "2026-02-17T08:00", "2026-07-14T08:00", 2)
    yield from (replace(run, purpose="baseline") for run in later)
    yield on_trainium(ATLAS, "port", "2025-08-13T09:00", 1.2)
    yield on_trainium(ATLAS, "validation", "2025-08-21T07:00", 5)
    trn = series(ATLAS, "t", TRN, 5, "2025-09-02T05:00", "2026-10-28T05:00", 42)
    what_happened: Changes = {
        "atlas-t11": {"stops_at": 2.1},
        "atlas-t12": {"resumed_from": "atlas-t11", "start_epoch": 2.0},
        "atlas-t19": {"restarts": ((1.9, 0.4), (3.7, 0.2))},
        "atlas-t23": {"epochs": 7},
        "atlas-t27": {"loss_offset": 0.03},
        "atlas-t29": {"reserved_before": timedelta(hours=6)},
    }
    yield from changed(trn, what_happened)


def lumen() -> Iterator[Run]:
    """Yields runs of a workload that is recovering: A100 to trn1 in January 2026."""
    gpu = series(LUMEN, "g", A100_80, 6, "2025-03-20T06:00", "2025-12-10T06:00", 14)
    yield from changed(gpu, {"lumen-g05": {"restarts": ((4.1, 0.3),)}})
    yield on_trainium(LUMEN, "port", "2025-12-12T09:00", 0.8)
    yield on_trainium(LUMEN, "validation", "2025-12-18T07:00", 3)
    trn = series(LUMEN, "t", TRN, 6, "2026-01-08T05:00", "2026-10-27T20:00", 40)
    what_happened: Changes = {
        "lumen-t09": {"restarts": ((2.3, 0.45), (5.2, 0.15))},
        "lumen-t17": {"evaluates_on": A100_80},
        "lumen-t22": {"stops_at": 1.7},
        "lumen-t31": {"stops_at": 3.4},
        "lumen-t32": {"resumed_from": "lumen-t31", "start_epoch": 3.25},
    }
    yield from changed(trn, what_happened)


def scribe() -> Iterator[Run]:
    """Yields runs of a losing workload, which moved just before the A100 became cheaper.

    It moved in May 2025, three weeks before the price fell by a third.
    """
    yield from series(SCRIBE, "g", A100_80, 3, "2025-03-05T06:00", "2025-05-02T06:00", 8)
    yield on_trainium(SCRIBE, "validation", "2025-05-06T07:00", 3)
    trn = series(SCRIBE, "t", TRN, 3, "2025-05-13T05:00", "2026-10-15T05:00", 32)
    yield from changed(
        trn, {"scribe-t05": {"logs_from": 1.3}, "scribe-t20": {"restarts": ((1.4, 0.4),)}}
    )


def orbit() -> Iterator[Run]:
    """Yields runs of a workload with too few on GPU: one completed, a second failed early."""
    gpu = series(ORBIT, "g", A100_80, 4, "2025-10-06T06:00", "2025-10-20T06:00", 2)
    yield from changed(gpu, {"orbit-g02": {"stops_at": 0.5}})
    yield on_trainium(ORBIT, "validation", "2026-02-24T07:00", 2)
    trn = series(ORBIT, "t", TRN, 4, "2026-03-05T05:00", "2026-10-12T05:00", 16)
    yield from changed(trn, {"orbit-t04": {"start_epoch": 1.0, "declares_start": True}})


def harbor() -> Iterator[Run]:
    """Yields runs that are not comparable: QLoRA on GPU, full fine-tuning on trn1."""
    gpu = series(HARBOR, "g", A100_40, 3, "2025-07-08T06:00", "2025-10-28T06:00", 8)
    yield from (replace(run, recipe="qlora") for run in gpu)
    yield from series(HARBOR, "t", TRN, 3, "2025-12-08T05:00", "2026-06-22T05:00", 12)


def quill() -> Iterator[Run]:
    """Yields runs of a workload without investment: A100 on demand, then trn1 mostly on Spot.

    It logs no loss.
    """
    yield from series(QUILL, "g", A100_40, 4, "2025-03-18T06:00", "2025-11-04T06:00", 10)
    trn = series(QUILL, "t", TRN, 4, "2025-11-20T05:00", "2026-10-05T05:00", 20)
    for number, run in enumerate(trn, 1):
        yield run if number % 3 == 0 else replace(run, purchase="spot", restarts=taken_away(run))


def taken_away(run: Run) -> tuple[tuple[float, float], ...]:
    """Returns times when a run lost its Spot capacity, and the epochs lost each time."""
    dice = Random(f"spot {run.name}")
    first = round(dice.uniform(0.6, 1.8), 2)
    second = round(dice.uniform(2.2, 3.6), 2)
    lost = [round(dice.uniform(0.05, 0.24), 2) for _ in range(2)]
    return ((first, lost[0]), (second, lost[1])) if dice.random() < 0.5 else ((first, lost[0]),)


def all_runs() -> list[Run]:
    """Returns all runs of the sample."""
    return [*atlas(), *lumen(), *scribe(), *orbit(), *harbor(), *quill()]
