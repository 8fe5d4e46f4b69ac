"""Cron as cron means it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from models.config import cron

SATURDAY = datetime(2026, 10, 31, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


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


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("*", "sun mon tue wed thu fri sat"),
        ("0-7", "sun mon tue wed thu fri sat"),
        ("0-6", "sun mon tue wed thu fri sat"),
        ("1-7", "sun mon tue wed thu fri sat"),
        ("0-2", "sun mon tue"),
        ("5-7", "sun fri sat"),
        ("5-1", "sun mon fri sat"),
        ("Fri-Mon", "sun mon fri sat"),
        ("sat-0", "sun sat"),
        ("7", "sun"),
        ("*/2", "sun tue thu sat"),
        ("1-5/2", "mon wed fri"),
        ("mon-fri/2", "mon wed fri"),
        ("3/2", "sun wed fri"),
        ("0,mon,3-4,sat/1", "sun mon wed thu sat"),
    ],
)
def test_each_form_of_weekdays_means_what_cron_means(field: str, expected: str) -> None:
    noon = cron.trigger(f"0 12 * * {field}")
    sunday = SATURDAY + timedelta(days=1)
    week = [sunday + timedelta(days=day) for day in range(7)]
    found = [day for day in week if cron.after(noon, day - SECOND) == day]
    assert [f"{day:%a}".lower() for day in found] == expected.split()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 6 1,15 * 1", [1, 2, 9, 15, 16, 23, 30]),
        ("0 6 1 * *", [1]),
        ("0 6 */2 * 1", [9, 23]),
        ("0 6 1-9 * */3", [1, 4, 7, 8]),
    ],
)
def test_a_day_of_the_month_and_a_weekday_are_either_unless_one_begins_with_a_star(
    expression: str, expected: list[int]
) -> None:
    when = cron.trigger(expression)
    days = [datetime(2026, 11, day, 6, tzinfo=UTC) for day in range(1, 31)]
    assert [day.day for day in days if cron.after(when, day - SECOND) == day] == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [("Jan-Mar/2", [1, 3]), ("feb,6-8", [2, 6, 7, 8]), ("jan-3", [1, 2, 3])],
)
def test_months_have_steps_by_name_and_by_number(field: str, expected: list[int]) -> None:
    first = cron.trigger(f"0 0 1 {field} *")
    months = [datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 13)]
    assert [day.month for day in months if cron.after(first, day - SECOND) == day] == expected


@pytest.mark.parametrize(
    "expression",
    [
        *("", "daily", "0 6 * *", "61 6 * * *", "0 6 * * 9", "0 6 * * 0-8", "0 6 * * mon-9"),
        *("0 6 * * 5#1", "0 6 * * 1,", "0 6 * * */0", "0 6 * january *"),
    ],
)
def test_what_is_no_cron_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"not a cron expression, .* \(five fields: minute"):
        cron.trigger(expression)


def test_a_run_is_missed_once_its_time_has_passed() -> None:
    daily = cron.trigger("0 6 * * *")
    assert cron.missed(daily, None, SATURDAY)
    assert cron.missed(daily, SATURDAY.replace(hour=5), SATURDAY)
    assert not cron.missed(daily, SATURDAY.replace(hour=7), SATURDAY)
