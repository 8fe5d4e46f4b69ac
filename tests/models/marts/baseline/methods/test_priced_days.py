"""METHOD §5: the days on which a repriced baseline may change, by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

from models.marts.baseline.methods.repriced import priced_days
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

KIND = {"workload": "string", "kind": "string"}
PLACE = {"instance_type": "string", "region": "string", "series": "string"}
HOURS = KIND | PLACE | {"listed_in": "string"}
WINDOW = KIND | {"since": "date", "lineage": "string"}
STEPS = PLACE | {"since": "date", "until": "date", "stale_from": "date"}
W = {"workload": "w", "kind": "k"}
P5 = {"instance_type": "p5", "region": "r", "series": "spot"}


def day(number: int) -> date:
    return date(2026, 9, number)


def step(since: int, until: int | None = None, stale: int = 30, **more: str) -> dict[str, Any]:
    ends = {"until": until and day(until), "stale_from": day(stale)}
    return P5 | {"since": day(since)} | ends | more


def days(*steps: dict[str, Any], windows: tuple[int, ...] = (5, 20)) -> list[tuple[int, int]]:
    """Each day with the one on which its window began."""
    members = [W | {"since": day(number), "lineage": name} for number in windows for name in "ab"]
    made = applied(
        priced_days,
        table(HOURS, W | P5 | {"listed_in": "on_demand"}),
        table(WINDOW, *members),
        table(STEPS, *steps),
    )
    return sorted((since.day, window.day) for since, window in rows(made, "since", "window"))


def test_a_price_that_begins_ends_or_goes_stale_within_a_window_may_change_it() -> None:
    assert days(step(7, 9, 8)) == [(5, 5), (7, 5), (8, 5), (9, 5), (20, 20)]
    assert days(step(7, 9, 8), step(9, 12, 30)) == [
        (5, 5), (7, 5), (8, 5), (9, 5), (12, 5), (20, 20), (30, 20),
    ]  # fmt: skip


def test_a_day_belongs_to_the_window_that_begins_on_it_and_to_none_before() -> None:
    assert days(step(5, 20, 19)) == [(5, 5), (19, 5), (20, 20)]
    assert days(step(1, 4, 3)) == [(5, 5), (20, 20)]
    assert days(step(21, 25, 26), windows=(5,)) == [(5, 5), (21, 5), (25, 5), (26, 5)]


def test_only_prices_of_the_machines_and_ways_of_the_hours_count() -> None:
    others = [step(7, **{name: "other"}) for name in ("instance_type", "region", "series")]
    assert days(*others) == [(5, 5), (20, 20)]
    assert days(step(7, series="on_demand")) == [(5, 5), (7, 5), (20, 20), (30, 20)]
