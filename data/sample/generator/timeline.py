"""Time in the sample: hourly bill lines, progress every few hours, and where both stop."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BILLED_STEP = timedelta(seconds=36)
"""Runs end on hundredths of an hour, so that billed quantities are short decimals."""

FIRST_MONTH = date(2025, 3, 1)
FOCUS_1_2_FROM = date(2026, 1, 1)
"""Months from here on are delivered as FOCUS 1.2, earlier ones as FOCUS 1.0."""
AS_OF = date(2026, 10, 31)

RUN_COST_UNTIL = datetime(2026, 10, 29, 14)
"""The bill of the last days is incomplete: no training line has arrived after this hour."""
COST_UNTIL = datetime(2026, 10, 30, 6)
"""No line at all has arrived after this hour."""
PROGRESS_UNTIL = datetime(2026, 10, 30, 22)
"""Progress is ahead of the bill."""


def at(text: str) -> datetime:
    """Parses a time in ISO 8601; all times of the sample are UTC."""
    return datetime.fromisoformat(text)


def month_start(day: date) -> date:
    """Returns the first day of a day's month."""
    return day.replace(day=1)


def next_month(day: date) -> date:
    """Returns the first day of the month after a day's."""
    return (month_start(day) + timedelta(days=32)).replace(day=1)


def months() -> Iterator[date]:
    """Yields the first day of every month in the sample."""
    month = FIRST_MONTH
    while month <= AS_OF:
        yield month
        month = next_month(month)


def midnight(day: date) -> datetime:
    """Returns midnight of a day."""
    return datetime(day.year, day.month, day.day)


def clock_hours(start: datetime, end: datetime) -> Iterator[tuple[datetime, Decimal]]:
    """Yields each clock hour that a time span touches, with the fraction of the hour in it."""
    hour = start.replace(minute=0, second=0, microsecond=0)
    while hour < end:
        filled = min(end, hour + HOUR) - max(start, hour)
        if filled:
            yield hour, Decimal(int(filled.total_seconds())) / 3600
        hour += HOUR


def days(start: datetime, end: datetime) -> Iterator[tuple[datetime, Decimal]]:
    """Yields each UTC day that a time span touches, with the hours of it in the span."""
    day = midnight(start.date())
    while day < end:
        filled = min(end, day + DAY) - max(start, day)
        yield day, Decimal(int(filled.total_seconds())) / 3600
        day += DAY


def to_step(moment: datetime) -> datetime:
    """Rounds a time up to the next hundredth of an hour, the step of billing in the sample."""
    past = (moment - datetime(2025, 1, 1)) % BILLED_STEP
    return moment + (BILLED_STEP - past if past else timedelta())
