"""The scheduler: pulls on the crons of `[schedule]` (UTC), then builds. One process in all.

Two schedulers would pay AWS twice, so a lock file lets only one run. Jobs run one after another;
a run that was missed, because nothing was running or another job took long, is made up for once.
A source that fails is logged and never stops the scheduler. On SIGTERM or SIGINT the pull ends
between two deliveries; what does not end in `GRACE` seconds is cut off, which is safe at any
point: readers see the last good state, and the next pull sweeps the rest.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import get_args

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger
from filelock import FileLock, Timeout

from ingest import accounts, journal
from ingest.pull import Step, pull
from ingest.source import Group, Source
from ingest.sources import configured
from models import crontab, disk
from models.errors import BreakevenError, BusyError
from models.settings import Settings

GRACE = 8.0
"""Seconds that a job may take to come to a good end after the signal to stop."""
STOPS = (signal.SIGTERM, signal.SIGINT)
LOCK = "scheduler.lock"
HOLDER = "scheduler.json"
Build = Callable[[Settings], object]

log = logging.getLogger("breakeven.schedule")


class StopAsked(Exception):  # noqa: N818 - a request, not an error
    """The scheduler was told to stop in the middle of a pull."""


def run(settings: Settings, build: Build, *, stop: threading.Event | None = None) -> None:
    """Schedules until `stop` is set or a signal comes. Raises `BusyError` if one runs already."""
    stopping = stop or threading.Event()
    with _alone(settings), _signals(stopping):
        scheduler = _scheduler(settings, build, stopping)
        scheduler.start()
        stopping.wait()
        log.info("stopping")
        _shut_down(scheduler)


def due(settings: Settings, now: datetime) -> list[Group]:
    """The groups of which a source has missed a run."""
    return [
        group
        for group, sources in _groups(settings).items()
        if any(
            crontab.missed(_cron(settings, group), _last_success(settings, source), now)
            for source in sources
        )
    ]


def job(settings: Settings, build: Build, group: Group, stopping: threading.Event) -> None:
    """One run: pulls the sources of a group, logs what failed, then builds."""

    def tell(step: Step) -> None:
        if stopping.is_set():
            raise StopAsked
        log.info("%s: %s %s", step.source, step.unit, step.period)

    with suppress(StopAsked):
        try:
            names = sorted({source.name for source in _groups(settings)[group]})
            for error in pull(settings, names, tell=tell, wait=-1).errors:
                log.error("%s", error)
            if not stopping.is_set():
                build(settings)
                log.info("%s: built", group)
        except BreakevenError as error:
            log.error("%s: %s", group, error)


def _last_success(settings: Settings, source: Source) -> datetime | None:
    whose = accounts.account_and_region(source.options)
    return journal.last_success(settings.data, source.name, *whose)


def _scheduler(settings: Settings, build: Build, stopping: threading.Event) -> BackgroundScheduler:
    now = datetime.now(UTC)
    late = due(settings, now)
    one_at_a_time = {"default": ThreadPoolExecutor(1)}
    scheduler = BackgroundScheduler(executors=one_at_a_time, timezone=UTC, daemon=True)
    for group in _groups(settings):
        when = _cron(settings, group)
        scheduler.add_job(
            partial(job, settings, build, group, stopping),
            when,
            id=group,
            name=group,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
            next_run_time=now if group in late else when.get_next_fire_time(None, now),
        )
    return scheduler


def _groups(settings: Settings) -> dict[Group, list[Source]]:
    """The configured sources by cron; a group without any is left out."""
    found = configured(settings)
    groups: dict[Group, list[Source]] = {
        group: [source for source in found if source.group == group] for group in get_args(Group)
    }
    return {group: sources for group, sources in groups.items() if sources}


def _cron(settings: Settings, group: Group) -> CronTrigger:
    return crontab.trigger(getattr(settings.schedule, group))


def _shut_down(scheduler: BackgroundScheduler) -> None:
    """Waits for the running job, but not for ever: a download may take longer than anyone waits."""
    done = threading.Event()

    def wait() -> None:
        scheduler.shutdown(wait=True)
        done.set()

    threading.Thread(target=wait, daemon=True).start()
    if not done.wait(GRACE):
        log.warning("a job did not end in %s s: cut off, the last good state stays", GRACE)
        logging.shutdown()
        os._exit(0)  # a thread pool cannot be interrupted; locks go with the process


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    folder = settings.data
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        with disk.writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
    except Timeout:
        raise BusyError(
            "a scheduler is running already", value=_holder(folder), remedy="stop it first"
        ) from None
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        disk.replace(folder / HOLDER, {"pid": os.getpid(), "since": since})
        yield
    finally:
        (folder / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    try:
        found = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        return f"process {found['pid']} since {found['since']}"
    except (OSError, ValueError, KeyError):
        return f"the holder of {folder / LOCK}"


@contextmanager
def _signals(stopping: threading.Event) -> Iterator[None]:
    """Sets `stopping` on SIGTERM and SIGINT; only a main thread may listen."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        # a second signal inside `set` would wait for the lock that this one holds
        for number in STOPS:
            signal.signal(number, lambda *_: None)
        stopping.set()

    before = {number: signal.signal(number, stop) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
