"""Parses cron expressions, in UTC and with cron's own weekdays.

APScheduler counts weekdays from Monday = 0, cron from Sunday = 0. Both understand names, so
numbers are replaced by names.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from apscheduler.triggers.cron import CronTrigger

WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def trigger(expression: str) -> CronTrigger:
    """Parses a cron expression into a schedule trigger. Raises `ValueError` if it is not one."""
    fields = expression.split()
    if len(fields) == 5:
        fields[4] = re.sub(r"(?<![\d/])[0-7](?!\d)", lambda m: WEEKDAYS[int(m[0])], fields[4])
    try:
        return CronTrigger.from_crontab(" ".join(fields), timezone=UTC)
    except ValueError as error:
        problem = f"not a cron expression, {error}"
        raise ValueError(f"{problem} (five fields: minute hour day month weekday)") from None


def missed(when: CronTrigger, last: datetime | None, now: datetime) -> bool:
    """Whether a scheduled job was due between its last run and now; one that never ran is due."""
    if last is None:
        return True
    due = after(when, last)
    return due is not None and due <= now


def after(when: CronTrigger, instant: datetime) -> datetime | None:
    """Returns when a cron schedule next fires after an instant; None if it never does."""
    found: datetime | None = when.get_next_fire_time(instant, instant)
    return found
