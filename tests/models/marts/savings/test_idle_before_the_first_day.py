"""METHOD §2.10.6: a pool's idle days before a workload's first job of the month are borne, too."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import World

ASKED = ("savings_daily", "portfolio_daily", "investments", "monthly_summary", "break_even")
IDLE = 24 * 16
"""Dollars of a day on which nobody held the machine."""


def test_what_stood_idle_before_the_first_job_is_invested_in_every_mart(tmp_path: Path) -> None:
    """Day 1 stands idle, `early` holds day 2 and `late` day 3; nobody has moved."""
    world = World(tmp_path)
    for hour in range(72):
        at = f"2025-09-{1 + hour // 24:02}T{hour % 24:02}:00:00"
        tags = {"aws:eks:cluster-name": "hpc"}
        world.hours(at, 1, "trn1.32xlarge", 16, tags, ResourceId="i-1")
    settings = world.pulled(clusters={"gap_minutes": 0})
    days = [(f"2025-09-0{n}T00:00:00", f"2025-09-0{n + 1}T00:00:00") for n in (1, 2, 3)]
    deliver(
        settings.data,
        [
            held(*days[0], reason="drained"),
            *(held(*days[n], accelerators=16, workload=name, run=name, job=name)
              for n, name in ((1, "early"), (2, "late"))),
        ],
    )  # fmt: skip
    marts = some_marts(settings, *ASKED)
    found = marts.rows("FROM savings_daily WHERE investment <> 0 ORDER BY workload")
    half, first = Decimal(IDLE) / 2, date(2025, 9, 1)
    assert [(row["workload"], row["date"], row["investment"]) for row in found] == [
        ("early", first, half),
        ("late", first, half),
    ]
    for query in (
        "SELECT sum(amount) AS invested FROM investments",
        "SELECT sum(investment) AS invested FROM portfolio_daily",
        "SELECT investment AS invested FROM monthly_summary WHERE workload = '(portfolio)'",
        "SELECT cumulative_investment AS invested FROM break_even WHERE workload = '(portfolio)'",
    ):
        assert marts.rows(query) == [{"invested": IDLE}], query
