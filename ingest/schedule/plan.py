"""Plans the scheduler's jobs: one per cron expression, and one for missed runs."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from functools import partial

from apscheduler.events import (
    EVENT_JOB_ERROR,
    EVENT_JOB_EXECUTED,
    EVENT_JOB_MAX_INSTANCES,
    EVENT_JOB_SUBMITTED,
    JobSubmissionEvent,
)
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from ingest.schedule.due import crons, due
from ingest.schedule.jobs import Build, Queue, run_job
from models.config import cron as crontab
from models.config.settings import Settings

MISSED = "what was missed"

log = logging.getLogger("breakeven.schedule")


def plan_jobs(
    settings: Settings, build: Build, stopping: threading.Event, now: datetime
) -> BackgroundScheduler:
    """Builds the scheduler with a job per cron expression and one for missed runs.

    The job for missed runs builds even if nothing was missed, because the last process may have
    ended before its build.
    """
    one_at_a_time = {"default": ThreadPoolExecutor(1)}
    once = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    scheduler = BackgroundScheduler(
        executors=one_at_a_time, job_defaults=once, timezone=UTC, daemon=True
    )
    missed, by_cron = due(settings, now), crons(settings)
    queue = Queue({MISSED: missed, **by_cron})
    work = partial(run_job, settings, build, missed, stopping, queue)
    scheduler.add_listener(partial(_log_skipped_run, scheduler), EVENT_JOB_MAX_INSTANCES)
    ends = EVENT_JOB_EXECUTED | EVENT_JOB_ERROR
    scheduler.add_listener(queue.on_event, EVENT_JOB_SUBMITTED | ends)
    scheduler.add_job(work, "date", run_date=now, id=MISSED, name=MISSED)
    for expression, names in by_cron.items():
        when = crontab.trigger(expression)
        work, called = partial(run_job, settings, build, names, stopping, queue), ", ".join(names)
        scheduler.add_job(
            work, when, id=expression, name=called, next_run_time=crontab.after(when, now)
        )
    return scheduler


def _log_skipped_run(scheduler: BackgroundScheduler, event: JobSubmissionEvent) -> None:
    """Logs a scheduled run that is skipped because the one before has not ended."""
    called = scheduler.get_job(event.job_id).name
    log.warning("%s: skipped, because the run before has not ended", called)
