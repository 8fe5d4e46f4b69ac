"""What upkeep a what-if starts from: the window's, or the configured one until that is whole."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.engine.starting_points import read_starting_point

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
    "covered_share": D(1), "net_at_old_volume": None, "planned_port": D(0), "mixed": False,
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

    def rows(sql: str, _: Mapping[str, object]) -> list[dict[str, Any]]:
        told = STANDING | {"status": status, "whole": whole}
        return [{"workload": "atlas"} if sql.startswith("SELECT workload") else told]

    found = read_starting_point(rows, "atlas", SETTINGS)
    assert round(found.upkeep_per_month, 9) == D(upkeep)
