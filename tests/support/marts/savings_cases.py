"""Workloads that migrate, and what they spend besides: METHOD §8 A with one thing changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
WORDS = {
    "broke_even": "cumulative net saving has passed the investment",
    "recovering": "cumulative net saving has not yet passed the investment; "
    "forecast: not enough data yet (2 of 5 GPU runs)",
    "not_started": "no production Trainium run has settled yet",
    "investing": "money was spent, no production Trainium run has settled yet",
    "no_investment": "no investment is configured, so no break-even is claimed",
    "losing": "Trainium with its overhead cost more than the GPU counterfactual in its last 84 "
    "days; forecast: not enough data yet (2 of 5 GPU runs)",
    "insufficient_baseline": "insufficient baseline: fewer than 2 qualifying GPU runs have ended",
}
"""The reason that `break_even` gives, by status."""


def of(world: World, workload: str, run: str = "") -> list[dict[str, Any]]:
    """The charges of runs whose names begin so."""
    tags = json.dumps({"workload": workload, "run": run})[:-2]
    return [charge for charge in world.charges if str(charge.get("Tags")).startswith(tags)]


def idle(world: World, day: str, cost: object, plan: str, **columns: object) -> None:
    """A day's unused hours of a Savings Plan."""
    unused = {"CommitmentDiscountId": plan, "CommitmentDiscountStatus": "Unused"}
    usage = {"BilledCost": 0, "x_UsageType": "ComputeSP:1yrNoUpfront"}
    world.charge(f"2025-{day}", cost, **unused | usage | columns)


def covered(world: World, workload: str, *runs: str, plan: str = "") -> None:
    """Says that a plan, the workload's own unless said, covered the hours of runs."""
    used = {"CommitmentDiscountId": plan or workload, "CommitmentDiscountStatus": "Used"}
    for run in runs:
        for charge in of(world, workload, run):
            charge |= used


def forgets(world: World, workload: str, run: str) -> None:
    for charge in of(world, workload, run):
        charge["Tags"] = json.dumps({"workload": workload})


def overheads(marts: Marts, workload: str) -> dict[date, Decimal]:
    days = "SELECT date, overhead FROM savings_daily WHERE workload = ? AND overhead <> 0"
    return {row["date"]: row["overhead"] for row in marts.rows(days, workload)}


def entry(**columns: object) -> dict[str, object]:
    return {"workload": "atlas-7b", "date": date(2025, 8, 15), "kind": "tooling"} | columns


def entries(spent: Mapping[str, Sequence[tuple[object, str]]]) -> list[dict[str, Any]]:
    """What each workload invested, and on which days."""
    return [
        {
            "workload": workload,
            "date": date.fromisoformat(f"2025-{day}"),
            "kind": "tooling",
            "amount": Decimal(str(amount)),
        }
        for workload, paid in spent.items()
        for amount, day in paid
    ]


def kept(world: World, workload: str, run: str, first: str, days: int, dollars: int = 1) -> None:
    """A volume under the run's tag, by the day."""
    for place in range(days):
        day = date.fromordinal(date.fromisoformat(first).toordinal() + place)
        tags = {"workload": workload, "run": run}
        world.charge(f"{day}T00:00:00", dollars, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)


def ran(world: World, workload: str, run: str, day: str, cost: object, *, kind: str = TRN1) -> None:
    """Ten hours and one epoch on a day, or two on GPU at $100 each."""
    tags, epochs = {"workload": workload, "run": run}, 2 if kind == P4D else 1
    world.hours(f"2025-{day}T00:00:00", 10, kind, Decimal(str(cost)) / 10, tags)
    for hour, epoch in ((0, 0), (9, epochs)):
        world.sample(f"2025-{day}T0{hour}:00:00", run, epoch, workload=workload, loss=1.5)
