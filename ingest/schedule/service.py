"""Runs the scheduler as a service until it is stopped: pulls on cron (UTC), then builds.

A lock file lets only one run, because two would pay AWS twice. Sources with one cron are one job;
jobs run one after another. A missed run, because nothing was running, the machine slept or another
job took long, is made up for once; at the start only sources that missed one are pulled. A source
that fails is logged and stops neither the others nor the build. On SIGTERM or SIGINT the pull ends
between two deliveries. What does not end in `GRACE` seconds is cut off, which is safe at any point:
readers see the last good state, and the next start pulls what is due and builds.
"""

from __future__ import annotations

import logging
import os
import threading
from datetime import UTC, datetime

from apscheduler.schedulers.background import BackgroundScheduler

from ingest.schedule import clock_changes
from ingest.schedule.jobs import Build, under_way
from ingest.schedule.plan import plan_jobs
from ingest.schedule.single_instance import single_instance
from ingest.schedule.stop_signals import stop_signals
from models.config.settings import Settings

BEAT = 30.0
"""Seconds between two checks of the clock."""
GRACE = 8.0
"""Seconds that a job may take to finish after the signal to stop."""

log = logging.getLogger("breakeven.schedule")


def run(settings: Settings, build: Build, *, stop: threading.Event | None = None) -> None:
    """Runs the scheduler until `stop` is set or a signal comes. Raises `BusyError` if one runs."""
    stopping = stop or threading.Event()
    with single_instance(settings), stop_signals(stopping):
        scheduler = plan_jobs(settings, build, stopping, datetime.now(UTC))
        scheduler.start()
        while not stopping.wait(BEAT):
            for name in clock_changes.adjust_jobs(scheduler, datetime.now(UTC)):
                log.warning("%s: the clock was set back, the run is rescheduled", name)
        log.info("stopping")
        _shut_down(scheduler)


def _shut_down(scheduler: BackgroundScheduler) -> None:
    """Waits up to `GRACE` seconds for the running job; ends the process if it still runs.

    The job may be a download that takes longer than anybody waits.
    """
    done = threading.Event()
    scheduler.pause()
    scheduler.get_jobs()  # takes its turn after the jobs that are being started this moment

    def wait() -> None:
        scheduler.shutdown(wait=True)
        done.set()

    threading.Thread(target=wait, daemon=True).start()
    if not done.wait(GRACE):
        late = "%s did not end in %s s: cut off, the last good state stays"
        log.warning(late, under_way(), GRACE)
        logging.shutdown()
        os._exit(0)  # a thread pool cannot be interrupted; locks go with the process
