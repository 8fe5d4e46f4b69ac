"""A job that no label names is the run that its progress reports under the scheduler's id."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
HEAD = "cluster,resource,instance_type,held_from,held_to,accelerators,workload,job\n"
SOURCES = [
    {"kind": "focus", "location": "bill.csv"},
    {"kind": "allocations", "location": "held.csv"},
    {"kind": "progress_file", "location": "progress.csv"},
]


def held(number: str, machine: str, workload: str = "") -> str:
    times = "2025-10-03T10:00:00Z,2025-10-03T11:00:00Z"
    return f"hpc,{machine},trn1.32xlarge,{times},16,{workload},{number}\n"


def costs(marts: Marts) -> dict[tuple[str | None, str | None, str], Decimal]:
    columns = "workload, run, attribution"
    query = f"SELECT {columns}, sum(effective_cost) AS cost FROM spend_daily GROUP BY ALL"
    rows = marts.rows(query)
    return {(row["workload"], row["run"], row["attribution"]): row["cost"] for row in rows}


def test_progress_and_allocation_meet_by_the_id_of_the_job(tmp_path: Path) -> None:
    world = World(tmp_path)
    for machine in ("i-1", "i-2", "i-3"):
        start = "2025-10-03T10:00:00"
        world.hours(start, 1, "trn1.32xlarge", 16, {}, ResourceId=machine)
    lines = HEAD + held("4711", "i-1") + held("4712", "i-2") + held("4713", "i-3", "bard")
    (tmp_path / "held.csv").write_text(lines)
    world.sample("2025-10-03T10:00:00", "other", 0)
    before = costs(some_marts(world.pulled(sources=SOURCES), "spend_daily"))
    assert before == {
        (None, None, "untagged"): D(32),
        ("bard", "4713", "direct"): D(16),
    }
    world.sample("2025-10-03T10:59:00", "4711", 3)
    after = costs(some_marts(world.pulled(sources=SOURCES), "spend_daily"))
    assert after == {
        ("atlas-7b", "4711", "direct"): D(16),
        (None, None, "untagged"): D(16),
        ("bard", "4713", "direct"): D(16),
    }
