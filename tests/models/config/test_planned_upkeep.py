"""What the upkeep of a move costs in a month once all of it has begun."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.config.planned_upkeep import planned_upkeep, upkeep_due_on


@pytest.mark.parametrize(
    ("upkeep", "due"),
    [
        ([], 0),
        ([("2026-01-01", None, 60)], 60),
        ([("2025-01-01", "2025-10-30", 60)], 0),
        ([("2025-01-01", "2025-10-31", 60)], 60),
        ([("2025-12-01", "2026-03-31", 100), ("2026-04-01", None, 60)], 60),
        ([("2025-12-01", "2026-04-01", 100), ("2026-04-01", None, 60)], 160),
        ([("2025-01-01", None, 100), ("2025-02-01", "2025-03-31", 60)], 100),
    ],
)
def test_upkeep_that_is_over_once_all_has_begun_is_not_due(
    tmp_path: Path, upkeep: list[tuple[str, str | None, int]], due: int
) -> None:
    """As of 31 October 2025. $1 of another workload and the cost of the port are no upkeep."""
    entries = [
        {"kind": "upkeep", "workload": "atlas-7b", "date": since, "amount_per_month": amount}
        | ({"until": until} if until else {})
        for since, until, amount in upkeep
    ]
    other = {"kind": "upkeep", "workload": "vega", "date": "2025-01-01", "amount_per_month": 1}
    port = {"kind": "partner", "workload": "atlas-7b", "date": "2027-01-01", "amount": 900}
    config = {"as_of": "2025-10-31", "investments": [*entries, other, port]}
    assert planned_upkeep(validated_settings(config, home=tmp_path), "atlas-7b") == Decimal(due)


@pytest.mark.parametrize(("day", "due"), [(19, 6000), (20, 6000), (21, 0)])
def test_upkeep_without_an_end_is_due_until_its_workload_ends(
    tmp_path: Path, day: int, due: int
) -> None:
    entry = {"kind": "upkeep", "workload": "a", "date": "2025-10-01", "amount_per_month": 6000}
    config = {"investments": [entry], "workloads": [{"name": "a", "ends": "2025-10-20"}]}
    settings = validated_settings({"as_of": "2025-10-31", **config}, home=tmp_path)
    assert upkeep_due_on(date(2025, 10, day), settings, "a") == due
