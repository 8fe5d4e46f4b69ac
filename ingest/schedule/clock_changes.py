"""Adjusts the scheduler's jobs when the clock is set, or the machine has slept.

A job waits for a time on the wall clock. If the clock is set forward, or the machine slept, that
time has passed: the job runs at once, and once. If it is set back by less than the time between two
runs, the job keeps its time, so that no run is paid for twice. If it is set back by more, the job
would wait for days: it moves to the second run from now, so that a whole interval lies before it.
"""

from __future__ import annotations

from datetime import datetime

from apscheduler.schedulers.base import BaseScheduler

from models.config import cron


def adjust_jobs(scheduler: BaseScheduler, now: datetime) -> list[str]:
    """Reschedules jobs that wait too long because the clock was set back; returns their names."""
    moved = []
    for job in scheduler.get_jobs():
        second = _second_run(job.trigger, now)
        if second and job.next_run_time > second:
            job.modify(next_run_time=second)
            moved.append(job.name)
    scheduler.wakeup()
    return moved


def _second_run(when: object, now: datetime) -> datetime | None:
    """Returns when a cron schedule fires for the second time from now; None where it does not."""
    if not isinstance(when, cron.Schedule):
        return None
    first = cron.after(when, now)
    return first and cron.after(when, first)
