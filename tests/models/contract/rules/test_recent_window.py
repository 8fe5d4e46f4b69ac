"""A window holds the days from its first to its last, both included."""

from __future__ import annotations

from datetime import date, timedelta

from models.contract.rules.recent_window import between
from tests.support.marts.hand_written_tables import rows, table

CUTOFF = date(2026, 3, 1)


def test_a_window_without_a_first_day_has_all_before_its_last() -> None:
    given = table(
        {"age": "int64", "date": "date", "begin": "date", "cutoff": "date"},
        *(
            {"age": age, "date": CUTOFF - timedelta(days=age), "cutoff": CUTOFF}
            | {"begin": CUTOFF - timedelta(days=83)}
            for age in (-1, 0, 1, 83, 84)
        ),
        {"age": 365, "date": CUTOFF - timedelta(days=365), "cutoff": CUTOFF},
    )
    found = given.filter(between(given.date, given.begin, given.cutoff))
    assert rows(found, "age") == [(0,), (1,), (365,), (83,)]
