"""Benchmarks: short, identical runs on each side (METHOD §5.6)."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.support.world import World

P4D, P5, TRN1, TRN2 = "p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge", "trn2.48xlarge"


def benchmark(
    world: World, workload: str, run: str, machine: str, *, hours: object = 2, rate: object = 18,
    pace: str = "0.05", day: str = "2025-09-02", samples: int = 11, measure: str = "epoch",
    size: int = 1, **said: Any,  # noqa: ANN401 - columns of a sample
) -> None:  # fmt: skip
    """A run billed from midnight that reports every ten minutes from 00:10 on.

    Its first ten minutes, compilation and loading, come to nothing; then `pace` each ten minutes.
    """
    tags = {"workload": workload, "run": run}
    world.hours(f"{day}T00:00:00", hours, machine, rate, tags)
    begin = datetime.fromisoformat(f"{day}T00:10:00")
    for number in range(samples):
        at = (begin + timedelta(minutes=10 * number)).isoformat()
        done = max(number - 1, 0) * Decimal(pace) * size
        told = {measure: done} if measure != "epoch" else {}
        epoch = done if measure == "epoch" else None
        world.sample(at, run, epoch, workload=workload, purpose="benchmark", **told, **said)
