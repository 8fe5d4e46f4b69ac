"""Cron expressions, in UTC and with cron's own weekdays.

APScheduler counts weekdays from Monday = 0; cron, and everyone who writes one, from Sunday = 0.
Names mean the same to both, so numbers are turned into names.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from apscheduler.triggers.cron import CronTrigger

WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def trigger(expression: str) -> CronTrigger:
    """When a job runs. Raises `ValueError` for what is no cron expression."""
    fields = expression.split()
    if len(fields) == 5:
        fields[4] = re.sub(r"(?<![\d/])[0-7](?!\d)", lambda m: WEEKDAYS[int(m[0])], fields[4])
    try:
        return CronTrigger.from_crontab(" ".join(fields), timezone=UTC)
    except ValueError as error:
        said = f"not a cron expression, {error}"
        raise ValueError(f"{said} (five fields: minute hour day month weekday)") from None


def missed(when: CronTrigger, last: datetime | None, now: datetime) -> bool:
    """Whether a run was due between the last one and now; one that never ran is due."""
    if last is None:
        return True
    due = after(when, last)
    return due is not None and due <= now


def after(when: CronTrigger, instant: datetime) -> datetime | None:
    """The first run after `instant`; None where there is none to come."""
    found: datetime | None = when.get_next_fire_time(instant, instant)
    return found
