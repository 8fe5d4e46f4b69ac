"""The scheduler: pulls each source on its cron (UTC), then builds. One process in all.

Two schedulers would pay AWS twice, so a lock file lets only one run. Sources of one cron are one
job; jobs run one after another. A run that was missed, because nothing was running, the machine
slept or another job took long, is made up for once; at the start only the sources that missed one
are pulled. A source that fails is logged and stops neither the others nor the build; the log names
every feed that is stale, and why. On SIGTERM or SIGINT the pull ends between two deliveries; what
does not end in `GRACE` seconds is cut off, which is safe at any point: readers see the last good
state, and the next start pulls what is due and builds.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from concurrent import futures
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from apscheduler.events import (
    EVENT_JOB_ERROR,
    EVENT_JOB_EXECUTED,
    EVENT_JOB_MAX_INSTANCES,
    EVENT_JOB_SUBMITTED,
    JobEvent,
    JobSubmissionEvent,
)
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from filelock import FileLock, Timeout

from ingest import clock
from ingest.pull import Report, Step, cron, pull
from ingest.sources import configured
from models.config import cron as crontab
from models.config.accounts import EVERY
from models.config.settings import Settings
from models.contract.errors import BreakevenError, BusyError
from models.raw import disk
from models.raw.feeds import Feed, Journal

BEAT = 30.0
"""Seconds between two looks at the clock."""
GRACE = 8.0
"""Seconds that a job may take to come to a good end after the signal to stop."""
STOPS = (signal.SIGTERM, signal.SIGINT)
LOCK = "scheduler.lock"
HOLDER = "scheduler.json"
MISSED = "what was missed"
JOB = "job of "
"""What the thread of a job is called, before its name."""
Build = Callable[[Settings], str | None]
"""Derives and publishes; says in a line what it made."""

log = logging.getLogger("breakeven.schedule")


class StopAsked(Exception):  # noqa: N818 - a request, not an error
    """The scheduler was told to stop in the middle of a pull."""


def run(settings: Settings, build: Build, *, stop: threading.Event | None = None) -> None:
    """Schedules until `stop` is set or a signal comes. Raises `BusyError` if one runs already."""
    stopping = stop or threading.Event()
    with _alone(settings), _signals(stopping):
        scheduler = planned(settings, build, stopping, datetime.now(UTC))
        scheduler.start()
        while not stopping.wait(BEAT):
            for name in clock.follow(scheduler, datetime.now(UTC)):
                log.warning("%s: the clock went back, the run waits anew", name)
        log.info("stopping")
        _shut_down(scheduler)


def crons(settings: Settings) -> dict[str, list[str]]:
    """The names of the configured sources by cron expression."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for source in configured(settings):
        names = found[cron(source, settings)]
        names += [source.name] if source.name not in names else []
    return dict(found)


def due(settings: Settings, now: datetime) -> list[str]:
    """The sources that have missed a run, or never had one."""
    feeds = {(feed.source, feed.location): feed for feed in Journal(settings.data).known()}
    late = []
    every = {entry.label for entry in settings.sources if EVERY in entry.accounts}
    for source in configured(settings):
        mine = [feeds.get((source.name, source.location)) or feeds.get((source.name, ""))]
        if source.name in every:  # accounts that only the organisation knows stand in the journal
            mine += [feed for feed in feeds.values() if feed.source == source.name]
        when = crontab.trigger(cron(source, settings))
        missed = any(crontab.missed(when, _last(feed, now), now) for feed in mine)
        if missed and source.name not in late:
            late.append(source.name)
    return late


class Queue:
    """The jobs that were handed over and have not ended; of many that are due, all but one wait."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        """`names` are the sources of each job."""
        self._names = names
        self._jobs: Counter[str] = Counter()

    def heard(self, event: JobEvent) -> None:
        """Counts, for the end of a short job may be told before its beginning."""
        self._jobs[event.job_id] += 1 if event.code == EVENT_JOB_SUBMITTED else -1

    def sources(self) -> set[str]:
        """What is being pulled, or is about to be."""
        under_way = [name for name, count in self._jobs.items() if count > 0]
        return {source for name in under_way for source in self._names.get(name, ())}


def job(
    settings: Settings,
    build: Build,
    names: Collection[str],
    stopping: threading.Event,
    queue: Queue | None = None,
) -> None:
    """One run: pulls the named sources, then builds. Logs what failed and what is stale.

    What waits in `queue` for its turn is no news: after a sleep every job is late but one.
    """
    for name in names:
        if not stopping.is_set():
            _logged(name, partial(_pulled, settings, name, stopping))
    if not stopping.is_set():
        _logged("build", partial(_built, settings, build))
        _warn(settings, queue.sources().difference(names) if queue else ())


def _pulled(settings: Settings, name: str, stopping: threading.Event) -> Report:
    def tell(step: Step) -> None:
        if stopping.is_set():
            raise StopAsked
        if step.source == name:  # the shipped prices come along with every source
            log.info("%s", step)

    report = pull(settings, [name], tell=tell, wait=-1)
    _tell(report, name)
    return report


def _tell(report: Report, name: str) -> None:
    """The shipped prices come along with every source; only what fails of them is told."""
    for result in report.results:
        if result.source == name and result.brought != "failed":
            log.info("%s", result)
        for error in result.failures:
            log.error("%s", error)
    for line in report.restated():
        log.info("%s", line)


def _built(settings: Settings, build: Build) -> None:
    said = build(settings)
    log.info("build: %s", said or "done")


def _logged(name: str, work: Callable[[], object]) -> None:
    """Does it, and lets nothing that it raises reach the rest: a defect of one feed is its own."""
    with futures.ThreadPoolExecutor(1, thread_name_prefix=f"{JOB}{name}") as apart:
        error = apart.submit(work).exception()
    if isinstance(error, BreakevenError):
        log.error("%s: %s", name, error)
    elif error and not isinstance(error, StopAsked):
        log.error("%s failed", name, exc_info=error)


def _warn(settings: Settings, waiting: Collection[str]) -> None:
    now = datetime.now(UTC)
    for feed in Journal(settings.data).feeds(settings):
        if feed.stale(now) and feed.source not in waiting:
            log.warning("%s %s: %s", feed.source, _since(feed.last_success), feed.why(now))


def _since(success: datetime | None) -> str:
    if success is None:
        return "has never been pulled to its end"
    return f"is stale since {success:%Y-%m-%d %H:%M} UTC"


def planned(
    settings: Settings, build: Build, stopping: threading.Event, now: datetime
) -> BackgroundScheduler:
    """The scheduler, not started: a job per cron, and one for what was missed until `now`.

    That one builds even if nothing was missed: the last process may have ended before its build.
    """
    one_at_a_time = {"default": ThreadPoolExecutor(1)}
    once = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    scheduler = BackgroundScheduler(
        executors=one_at_a_time, job_defaults=once, timezone=UTC, daemon=True
    )
    missed, by_cron = due(settings, now), crons(settings)
    queue = Queue({MISSED: missed, **by_cron})
    work = partial(job, settings, build, missed, stopping, queue)
    scheduler.add_listener(partial(_left_out, scheduler), EVENT_JOB_MAX_INSTANCES)
    ends = EVENT_JOB_EXECUTED | EVENT_JOB_ERROR
    scheduler.add_listener(queue.heard, EVENT_JOB_SUBMITTED | ends)
    scheduler.add_job(work, "date", run_date=now, id=MISSED, name=MISSED)
    for expression, names in by_cron.items():
        when = crontab.trigger(expression)
        work, called = partial(job, settings, build, names, stopping, queue), ", ".join(names)
        scheduler.add_job(
            work, when, id=expression, name=called, next_run_time=crontab.after(when, now)
        )
    return scheduler


def _left_out(scheduler: BackgroundScheduler, event: JobSubmissionEvent) -> None:
    called = scheduler.get_job(event.job_id).name
    log.warning("%s: the run before has not ended, this one is left out", called)


def under_way() -> str:
    """The names of the jobs that have not ended."""
    names = (thread.name for thread in threading.enumerate() if thread.name.startswith(JOB))
    return ", ".join(name.removeprefix(JOB).rpartition("_")[0] for name in names) or "a job"


def _last(feed: Feed | None, now: datetime) -> datetime | None:
    """The last success; one that lies ahead of a clock that went back is as if made now."""
    return min(feed.last_success, now) if feed and feed.last_success else None


def _shut_down(scheduler: BackgroundScheduler) -> None:
    """Waits for the running job, but not for ever: a download may take longer than anyone waits."""
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
