"""METHOD §6.9: the pace on GPU before the cutover, and production on GPU since, by hand."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from models.config.loading import validated_settings
from models.marts.savings.volume.gpu_volume import gpu_volume
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

SETTINGS = validated_settings({"baseline": {"min_runs": 2, "window_days": 100}}, home=Path())
COLUMNS = {
    "calendar": {"workload": "string", "date": "date", "settled": "boolean"},
    "cutovers": {"workload": "string", "cutover": "date"},
    "kinds": {"workload": "string", "kind": "string", "unit": "string"},
    "comparable": {"workload": "string", "lineage": "string", "qualifies": "boolean"},
    "unit_daily": {
        "workload": "string", "kind": "string", "lineage": "string", "date": "date",
        "hardware": "string", "purpose": "string", "epochs": "decimal(38, 9)",
        **dict.fromkeys(("in_lineage", "own", "active", "settled"), "boolean"),
    },
}  # fmt: skip
CUTOVER = date(2026, 3, 10)
W = {"workload": "w"}


def back(days: int) -> date:
    """So many days before the cutover."""
    return CUTOVER - timedelta(days=days)


def did(away: int, epochs: int, lineage: str = "a", **more: object) -> dict[str, Any]:
    usual = {
        "kind": "k", "lineage": lineage, "date": back(away), "hardware": "gpu", "epochs": epochs,
        "in_lineage": True, "own": True, "active": True, "settled": True, "purpose": "production",
    }  # fmt: skip
    return W | usual | more


def volume(*worked: dict[str, Any]) -> list[tuple[Any, ...]]:
    """By month, from that of the cutover: days, and the pace before; what was done since."""
    settled = [(back(1), True), (back(0), True), (back(-1), True), (back(-2), False)]
    settled += [(date(2026, 4, 1), True)]
    given = {
        "calendar": [W | {"date": day, "settled": known} for day, known in settled],
        "cutovers": [W | {"cutover": CUTOVER}],
        "kinds": [W | {"kind": "k", "unit": "epoch"}],
        "comparable": [
            W | {"lineage": lineage, "qualifies": lineage != "failed"}
            for lineage in ("a", "b", "c", "failed")
        ],
        "unit_daily": list(worked),
    }
    made = applied(gpu_volume, *(table(COLUMNS[name], *given[name]) for name in COLUMNS), SETTINGS)
    names = ("month", "settled_days", "gpu_runs", "gpu_days", "gpu_work", "per_day", "gpu_epochs")
    return rows(made, *names)


def test_the_pace_is_of_qualifying_lineages_in_the_window_until_the_day_before() -> None:
    found = volume(
        did(80, 300),
        did(1, 100, "b"),
        did(0, 1000),
        did(81, 1000, active=False),
        did(90, 1000, "failed"),
        did(90, 1000, hardware="trainium"),
        did(90, 1000, in_lineage=False),
    )
    assert found == [
        ("2026-03", 2, 2, 80, 400, 5, 1000),
        ("2026-04", 1, 2, 80, 400, 5, 0),
    ]


def test_a_pause_at_the_beginning_of_the_window_counts_where_a_lineage_began_before_it() -> None:
    """The window is 100 days: what was done 101 days back is in no work, and its pause is."""
    assert volume(did(101, 1000), did(80, 300), did(1, 100, "b"))[0][2:6] == (2, 100, 400, 4)
    assert volume(did(101, 1000, "c"), did(80, 300), did(1, 100, "b"))[0][2:6] == (2, 100, 400, 4)
    assert volume(did(101, 1000), did(101, 1000, "b"))[0][2:6] == (0, 100, 0, None)


def test_a_pace_is_told_of_eight_weeks_and_of_enough_lineages() -> None:
    before = ((did(56, 56), did(1, 56, "b")), (did(55, 56), did(1, 56, "b")), (did(56, 56),))
    paces = [volume(*worked)[0][-2] for worked in before]
    assert paces == [2, None, None]
    assert volume(did(100, 50), did(1, 50, "b"))[0][3:6] == (100, 100, 1)


def test_production_on_gpu_since_is_of_settled_days_and_of_no_baseline() -> None:
    found = volume(
        did(0, 1),
        did(-1, 2, purpose=None),
        did(-22, 4),
        did(-1, 8, purpose="baseline"),
        did(-1, 16, own=False),
        did(-1, 32, settled=False),
        did(1, 64),
        did(-1, 128, hardware="trainium"),
    )
    assert [(month, epochs) for month, *_, epochs in found] == [("2026-03", 3), ("2026-04", 4)]
