"""METHOD §3.3: a job that is requeued holds nothing until it starts again."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from tests.support.some_marts import some_marts
from tests.support.world import World

SOURCES = [
    {"kind": "focus", "location": "bill.csv"},
    {"kind": "allocations", "location": "held.csv"},
    {"kind": "progress_file", "location": "progress.csv"},
]


def test_epochs_without_times_are_done_while_a_requeued_job_held_its_machine(
    tmp_path: Path,
) -> None:
    """Job 7 ran on the 1st, waited on the 2nd, ran again on the 3rd: half an epoch in 12 hours."""
    world = World(tmp_path)
    lines = ["cluster,resource,instance_type,held_from,held_to,accelerators,run,job,attempt"]
    for attempt, day in enumerate(("2025-10-01", "2025-10-03")):
        world.hours(f"{day}T00:00:00", 24, "trn1.32xlarge", 16, {}, ResourceId="i-1")
        until = f"{day[:-1]}{int(day[-1]) + 1}"
        held = f"{day}T00:00:00Z,{until}T00:00:00Z"
        lines.append(f"hpc,i-1,trn1.32xlarge,{held},16,t7,7,{attempt}")
    (tmp_path / "held.csv").write_text("\n".join(lines) + "\n")
    for epoch in (0, 0.5, 1, 1.5, 2):
        world.sample("", "t7", epoch)
    marts = some_marts(world.pulled(sources=SOURCES), "samples")
    found = marts.rows("SELECT observed_at, epoch FROM samples ORDER BY observed_at")
    assert [(f"{row['observed_at']:%d %H:%M}", row["epoch"]) for row in found] == [
        ("01 00:00", Decimal(0)),
        ("01 12:00", Decimal("0.5")),
        ("03 00:00", Decimal(1)),
        ("03 12:00", Decimal("1.5")),
        ("03 23:59", Decimal(2)),
    ]
