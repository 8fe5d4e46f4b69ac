from __future__ import annotations

from datetime import date

import pytest

from dashboard.address.view import View


def test_an_address_says_what_is_shown() -> None:
    query = {"from": "2026-01-05", "to": "2026-03-31", "period": "week", "axis": "hours"}
    assert View.parse(query) == View(
        date(2026, 1, 5), date(2026, 3, 31), period="week", axis="hours"
    )


@pytest.mark.parametrize(
    "query",
    [
        None,
        {},
        {"from": "yesterday", "period": "'; DROP TABLE runs", "axis": "<script>", "to": ""},
    ],
)
def test_what_an_address_says_wrongly_is_the_default(query: dict[str, str] | None) -> None:
    assert View.parse(query) == View()


def test_a_range_given_backwards_is_turned_round() -> None:
    view = View.parse({"from": "2026-03-31", "to": "2026-01-05"})
    assert (view.first, view.last) == (date(2026, 1, 5), date(2026, 3, 31))
