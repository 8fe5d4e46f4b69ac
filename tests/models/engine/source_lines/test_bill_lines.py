"""Who sees some workloads sees of a machine that others held too its own part alone."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from models.access.scope import EVERYTHING, Scope
from models.engine.source_lines.bill_lines import bill_lines
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import published_lines
from tests.support.world import Marts, World

SHARED, ALONE = "2025-09-10", "2025-09-12"
RATE = Decimal("16.23")
MINE = Scope(patterns=("atlas-*",))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Two days of a node that bears a workload's tag; on the first, another's job ran there too."""
    world = World(tmp_path_factory.mktemp("cluster"))
    for name in ("atlas-7b", "zircon-moe"):
        world.sample(f"{SHARED}T00:00:00", f"{name}-t", 0, workload=name, loss=1.5)
        world.sample(f"{ALONE}T23:00:00", f"{name}-t", 2, workload=name, loss=1.5)
    for day in (SHARED, ALONE):
        for hour in range(24):
            at = datetime.fromisoformat(day) + timedelta(hours=hour)
            about = {"ResourceId": "i-1" if day == SHARED else "i-2"}
            tags = {"workload": "atlas-7b"}
            world.hours(at.isoformat(), 1, "trn1.32xlarge", RATE, tags, **about)
    # a node without allocation, of the same day and type
    tags = {"workload": "atlas-7b"}
    world.hours(f"{SHARED}T05:00:00", 1, "trn1.32xlarge", RATE, tags, ResourceId="i-3")
    world.charge("2025-10-30T00:00:00", "1.00")
    settings = world.pulled()
    place = {"account": "999900000001", "region": "us-east-1"}
    deliver(
        settings.data,
        [
            held(f"{SHARED}T{start}", f"{SHARED}T{end}", workload=of, run=f"{of}-t", **place)
            for of, start, end in (
                ("atlas-7b", "00:00:00", "06:00:00"),
                ("zircon-moe", "06:00:00", "23:00:00"),
            )
        ],
    )
    return published_lines(settings)


@pytest.mark.parametrize(
    ("scope", "hours"),
    [
        (EVERYTHING, {SHARED: (26, 25 * RATE), ALONE: (24, 24 * RATE)}),
        (MINE, {SHARED: (7, 7 * RATE), ALONE: (24, 24 * RATE)}),
    ],
)
def test_of_a_machine_that_others_held_only_the_own_part_is_shown(
    marts: Marts, scope: Scope, hours: dict[str, tuple[int, Decimal]]
) -> None:
    """The six hours of its job, and the hour of the node without one; 23:00 has two parts."""
    where, days = "list_contains($days, date::VARCHAR)", {"days": [*hours]}
    with bill_lines(marts.settings, where, days, "effective", scope) as found:
        first, streamed = found.first(), found.batches().read_all().to_pylist()
    assert (first.count, first.lines) == tuple(map(sum, zip(*hours.values(), strict=True)))
    for rows in (first.rows, streamed):
        costs = defaultdict(list)
        for row in rows:
            costs[row["began"][:10]].append(row["effective_cost"])
        assert {day: (len(each), sum(each)) for day, each in costs.items()} == hours
