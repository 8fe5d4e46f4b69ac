"""A workload that trains in two recipes on both chips."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.support.world import World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
RATES = {P4D: 10, TRN1: 5}


def did(
    world: World, run: str, day: str, hours: int, epochs: float | None, kind: str = TRN1,
    loss: float = 1.5, tagged: bool = True, workload: str = "mix", tokens: float | None = None,
    samples: float | None = None, **said: object,
) -> None:  # fmt: skip
    """Hours at $10 on GPU and $5 on Trainium; in that time epochs, tokens and samples from 0."""
    begin = datetime.fromisoformat(f"2025-{day}T00:00:00")
    tags = {"workload": workload} | ({"run": run} if tagged else {})
    for start in range(0, hours, 24):
        at = (begin + timedelta(hours=start)).isoformat()
        world.hours(at, min(hours - start, 24), kind, RATES[kind], tags)
    end = begin + timedelta(hours=hours) - timedelta(minutes=1)
    for part in (0, 0.5, 1):
        at = (begin + (end - begin) * part).isoformat()
        done = {"tokens": tokens, "samples": samples}
        counted = {name: int(value * part) for name, value in done.items() if value is not None}
        epoch = None if epochs is None else epochs * part
        world.sample(at, run, epoch, workload=workload, loss=loss, **counted, **said)


def full_and_qlora(world: World, workload: str = "mix", lost: str = "") -> None:
    """`full` at $100 an epoch on GPU, `qlora` at $10: on Trainium $50 and $100.

    `lost` is the Trainium run whose hours bear the workload's tag alone.
    """
    for run, day, hours, epochs, kind, recipe in (
        ("g", "05-01", 100, 10, P4D, "full"),
        ("q0", "05-11", 10, 10, P4D, "qlora"),
        ("q1", "05-21", 10, 10, P4D, "qlora"),
        ("t1", "09-01", 100, 10, TRN1, "full"),
        ("t2", "09-11", 180, 9, TRN1, "qlora"),
    ):
        said = {"recipe": recipe, "tagged": run != lost, "workload": workload}
        did(world, run, day, hours, epochs, kind, **said)
