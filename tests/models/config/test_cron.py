"""Cron as cron means it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from models.config import cron

SATURDAY = datetime(2026, 10, 31, 12, tzinfo=UTC)


def fires(expression: str) -> str:
    found = cron.trigger(expression).get_next_fire_time(None, SATURDAY)
    assert found
    return f"{found:%a %H:%M %Z}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 6 * * *", "Sun 06:00 UTC"),
        ("0 6 * * 0", "Sun 06:00 UTC"),
        ("0 6 * * 7", "Sun 06:00 UTC"),
        ("0 6 * * 1", "Mon 06:00 UTC"),
        ("0 6 * * 1-5", "Mon 06:00 UTC"),
        ("0 6 * * 2,4", "Tue 06:00 UTC"),
        ("0 6 * * fri", "Fri 06:00 UTC"),
        ("*/15 * * * *", "Sat 12:00 UTC"),
    ],
)
def test_weekdays_are_counted_from_sunday(expression: str, expected: str) -> None:
    assert fires(expression) == expected


@pytest.mark.parametrize("expression", ["", "daily", "0 6 * *", "61 6 * * *", "0 6 * * 9"])
def test_what_is_no_cron_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"not a cron expression, .* \(five fields: minute"):
        cron.trigger(expression)


def test_a_run_is_missed_once_its_time_has_passed() -> None:
    daily = cron.trigger("0 6 * * *")
    assert cron.missed(daily, None, SATURDAY)
    assert cron.missed(daily, SATURDAY.replace(hour=5), SATURDAY)
    assert not cron.missed(daily, SATURDAY.replace(hour=7), SATURDAY)
