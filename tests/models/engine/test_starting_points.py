"""What upkeep and cost of the move a what-if starts from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.engine.starting_points import read_starting_point
from models.forecast.starting_point import StartingPoint

D = Decimal
UPKEEP = [
    {"date": "2026-06-01", "until": "2026-09-30", "amount_per_month": 50},
    {"date": "2026-10-01", "amount_per_month": 6000},
    {"date": "2026-10-29", "amount_per_month": 7},
]
SETTINGS = validated_settings(
    {"investments": [{"workload": "atlas", "kind": "upkeep"} | entry for entry in UPKEEP]},
    home=Path(),
)
STANDING: dict[str, Any] = {
    "status": "recovering", "parity": "parity", "saved": D(100), "invested": D(1000),
    "cutoff": date(2026, 10, 28), "lineages": 2, "runs": 2, "epochs": D(4),
    "credited_epochs": D(4), "counterfactual": D(400), "trn_cost": D(200),
    "overhead": D("5419.354838710"), "upkeep": D("5419.354838710"), "baseline": D(100),
    "whole": True, "covered_share": D(1), "net_at_old_volume": None, "planned_port": D(0),
    "mixed": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("status", "whole", "upkeep"),
    [
        ("recovering", True, "1956.989247312"),
        ("recovering", False, "6000"),
        ("losing", False, "6000"),
        ("investing", False, "6007"),
    ],
)
def test_upkeep_is_the_configured_one_until_the_window_is_whole(
    status: str, whole: bool, upkeep: str
) -> None:
    """$6,000 a month since the cutover on 1 October: 28 of its days are a third of a window."""
    found = starting_point(status=status, whole=whole)
    assert round(found.upkeep_per_month, 9) == D(upkeep)


@pytest.mark.parametrize(
    ("status", "invested", "cost"),
    [
        ("no_investment", 0, None),
        ("no_investment", -2000, -2000),
        ("recovering", 1, 1),
        ("investing", -2000, 3000),
    ],
)
def test_a_move_that_is_funded_beyond_its_cost_has_a_cost_below_nothing(
    status: str, invested: int, cost: int | None
) -> None:
    """Of one to come the planned $5,000 cost $2,000 less."""
    planned = D(5000) if status == "investing" else D(0)
    found = starting_point(status=status, invested=D(invested), planned_port=planned)
    assert found.porting_cost == cost


def starting_point(**told: object) -> StartingPoint:
    def rows(sql: str, _: Mapping[str, object]) -> list[dict[str, Any]]:
        standing = STANDING | told
        return [{"workload": "atlas"} if sql.startswith("SELECT workload") else standing]

    return read_starting_point(rows, "atlas", SETTINGS)
