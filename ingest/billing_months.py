"""Computes with billing months, written `YYYY-MM`, and with UTC days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta


def bounds(month: str) -> tuple[date, date]:
    """Returns the first day of a billing month and the first day after it."""
    first = date.fromisoformat(f"{month}-01")
    return first, (first + timedelta(days=31)).replace(day=1)


def months(first: date, last: date) -> list[str]:
    """Lists the months (`YYYY-MM`) from that of one day to that of another, both included."""
    found = []
    day = first.replace(day=1)
    while day <= last:
        found.append(f"{day:%Y-%m}")
        day = bounds(found[-1])[1]
    return found


def months_before(day: date, count: int) -> date:
    """Returns the first day of the month that is `count` months before a given day's month."""
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    return date(year, month + 1, 1)


def days(first: date, last: date) -> Iterator[date]:
    """Yields every day of a range of dates, both ends included."""
    for number in range((last - first).days + 1):
        yield first + timedelta(days=number)


def midnight(day: date) -> datetime:
    """Returns the instant at which a UTC day begins."""
    return datetime.combine(day, time(), UTC)


def month_after(month: str) -> str:
    """Returns the billing month after a given one, as `YYYY-MM`."""
    return f"{bounds(month)[1]:%Y-%m}"


def month_before(month: str) -> str:
    """Returns the billing month before a given one, as `YYYY-MM`."""
    return f"{months_before(date.fromisoformat(f'{month}-01'), 1):%Y-%m}"
