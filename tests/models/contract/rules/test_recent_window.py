"""The recent window is the 84 days that end on the cutoff, that day included."""

from __future__ import annotations

from datetime import date, timedelta

from models.contract.rules.recent_window import within_days
from tests.support.marts.hand_written_tables import rows, table

CUTOFF = date(2026, 3, 1)


def test_the_window_begins_83_days_before_the_cutoff() -> None:
    given = table(
        {"age": "int64", "date": "date", "cutoff": "date"},
        *(
            {"age": age, "date": CUTOFF - timedelta(days=age), "cutoff": CUTOFF}
            for age in (-1, 0, 1, 83, 84, 365)
        ),
    )
    assert rows(given.filter(within_days(given.date, given.cutoff)), "age") == [(0,), (1,), (83,)]
