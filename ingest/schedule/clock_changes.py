"""What the scheduler does about a clock that is set, or a machine that slept.

A job waits for an instant on the wall clock. Set forth, or after a sleep, that instant has passed:
the job runs at once, and once. Set back by less than the time between two runs, it is kept, so the
same run is not paid for twice. Set back by more, nobody would see it again: it becomes the second
run from now, and a whole time between two runs lies before it.
"""

from __future__ import annotations

from datetime import datetime

from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger

from models.config import cron


def follow(scheduler: BaseScheduler, now: datetime) -> list[str]:
    """Sets right what waits for an instant that is too far off; returns the jobs' names."""
    moved = []
    for job in scheduler.get_jobs():
        second = _second(job.trigger, now)
        if second and job.next_run_time > second:
            job.modify(next_run_time=second)
            moved.append(job.name)
    scheduler.wakeup()
    return moved


def _second(when: object, now: datetime) -> datetime | None:
    if not isinstance(when, CronTrigger):
        return None
    first = cron.after(when, now)
    return first and cron.after(when, first)
