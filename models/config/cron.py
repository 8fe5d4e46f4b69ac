"""Parses cron expressions, in UTC and with cron's own weekdays, steps and days.

APScheduler counts weekdays from Monday = 0, cron from Sunday = 0, and it ignores what follows the
name of a month or weekday, such as a step. So weekdays are listed by name before it reads them, and
months by number. A day of the month and a weekday are both asked by APScheduler; to cron either is
enough, unless one of them begins with a star.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeAlias

from apscheduler.triggers.combining import OrTrigger
from apscheduler.triggers.cron import CronTrigger

Schedule: TypeAlias = CronTrigger | OrTrigger
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAY = f"[0-7]|{'|'.join(WEEKDAYS)}"
DAYS = re.compile(
    rf"(?:\*|(?P<first>{DAY})(?:-(?P<last>{DAY}))?)(?:/(?P<step>[1-9]))?", re.IGNORECASE
)


def trigger(expression: str) -> Schedule:
    """Parses a cron expression into a schedule trigger. Raises `ValueError` if it is not one.

    Example: `0 6 1,15 * 1` fires on the 1st, on the 15th, and on every Monday.
    """
    fields = expression.split()
    try:
        if len(fields) != 5:
            return _all_of(fields)
        *time, day, month, weekday = fields
        month, weekdays = _numbered_months(month), ",".join(_listed_weekdays(weekday))
        if day.startswith("*") or weekday.startswith("*"):
            return _all_of([*time, day, month, weekdays])
        either = [*time, day, month, "*"], [*time, "*", month, weekdays]
        return OrTrigger([_all_of(each) for each in either])
    except ValueError as error:
        problem = f"not a cron expression, {error}"
        raise ValueError(f"{problem} (five fields: minute hour day month weekday)") from None


def _all_of(fields: list[str]) -> CronTrigger:
    return CronTrigger.from_crontab(" ".join(fields), timezone=UTC)


def _numbered_months(field: str) -> str:
    """Returns a cron month field with month names such as `jan` replaced by their numbers."""
    pattern = rf"\b({'|'.join(MONTHS)})\b"
    return re.sub(pattern, lambda m: f"{MONTHS.index(m[0].lower()) + 1}", field, flags=re.I)


def _listed_weekdays(field: str) -> Iterator[str]:
    """Yields the weekday names that a cron field covers; ranges such as `fri-mon` may wrap."""
    for part in field.split(","):
        found = DAYS.fullmatch(part)
        if not found:
            raise ValueError(f'Unrecognized expression "{part}" for field "weekday"')
        first, last, step = _number(found["first"]), _number(found["last"]), found["step"]
        if first is None:
            first, last = 0, 6
        elif last is None:
            last = 7 if step else first
        elif last < first:
            last += 7
        yield from (WEEKDAYS[day % 7] for day in range(first, last + 1, int(step or 1)))


def _number(day: str | None) -> int | None:
    if day is None or day.isdigit():
        return int(day) if day else None
    return WEEKDAYS.index(day.lower())


def missed(when: Schedule, last: datetime | None, now: datetime) -> bool:
    """Returns whether a schedule fired since a job's last run; true for a job that never ran."""
    if last is None:
        return True
    due = after(when, last)
    return due is not None and due <= now


def after(when: Schedule, instant: datetime) -> datetime | None:
    """Returns when a cron schedule next fires after an instant; None if it never does."""
    found: datetime | None = when.get_next_fire_time(instant, instant)
    return found
