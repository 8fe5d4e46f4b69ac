"""A workload that trains in two recipes on both chips."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.support.world import World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
RATES = {P4D: 10, TRN1: 5}


def did(
    world: World, run: str, day: str, hours: int, epochs: float, kind: str = TRN1,
    loss: float = 1.5, tagged: bool = True, workload: str = "mix", **said: object,
) -> None:  # fmt: skip
    """Hours at $10 on GPU and $5 on Trainium; epochs from 0 to `epochs` in that time."""
    begin = datetime.fromisoformat(f"2025-{day}T00:00:00")
    tags = {"workload": workload} | ({"run": run} if tagged else {})
    for start in range(0, hours, 24):
        at = (begin + timedelta(hours=start)).isoformat()
        world.hours(at, min(hours - start, 24), kind, RATES[kind], tags)
    end = begin + timedelta(hours=hours)
    for at, epoch in ((begin, 0), (end - timedelta(minutes=1), epochs)):
        world.sample(at.isoformat(), run, epoch, workload=workload, loss=loss, **said)


def full_and_qlora(
    world: World, workload: str = "mix", lost: str = "", *, per_token: str = ""
) -> None:
    """`full` at $100 an epoch on GPU, `qlora` at $10: on Trainium $50 and $100.

    `lost` is the Trainium run whose hours bear the workload's tag alone; the recipe that compares
    `per_token` makes epochs of twice the tokens on Trainium.
    """
    for run, day, hours, epochs, kind, recipe in (
        ("g", "05-01", 100, 10, P4D, "full"),
        ("q0", "05-11", 10, 10, P4D, "qlora"),
        ("q1", "05-21", 10, 10, P4D, "qlora"),
        ("t1", "09-01", 100, 10, TRN1, "full"),
        ("t2", "09-11", 180, 9, TRN1, "qlora"),
    ):
        said = {"recipe": recipe, "tagged": run != lost, "workload": workload}
        size = 2 if kind == TRN1 else 1
        if recipe != per_token:
            did(world, run, day, hours, epochs, kind, **said)
            continue
        did(world, run, day, hours, epochs / size, kind, samples_per_epoch=size * 1000, **said)
        for sample in world.samples[-2:]:
            sample["tokens"] = sample["epoch"] * size * 1000
