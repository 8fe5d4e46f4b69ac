"""Runs one job of the scheduler: pulls sources, then builds, and logs what failed or is stale."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection
from concurrent import futures
from datetime import UTC, datetime
from functools import partial

from apscheduler.events import EVENT_JOB_SUBMITTED, JobEvent

from ingest.pull import Report, Step, pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.raw.pulls.feed_states import FeedJournal

JOB = "job of "
"""Prefix of the name of a job's thread."""
Build = Callable[[Settings], str | None]
"""A function that builds and publishes; may return a line of text on the result."""

log = logging.getLogger("breakeven.schedule")


class StopRequested(Exception):  # noqa: N818 - a request, not an error
    """Raised inside a pull when the scheduler was told to stop."""


class Queue:
    """Counts the scheduler's jobs that were submitted and have not ended."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        """Starts an empty count of the scheduler's jobs; `names` gives the sources of each job."""
        self._names = names
        self._jobs: Counter[str] = Counter()

    def on_event(self, event: JobEvent) -> None:
        """Counts a job of the scheduler as submitted or ended; the end may be reported first."""
        self._jobs[event.job_id] += 1 if event.code == EVENT_JOB_SUBMITTED else -1

    def sources(self) -> set[str]:
        """Returns the names of the sources that the scheduler is pulling, or is about to pull."""
        under_way = [name for name, count in self._jobs.items() if count > 0]
        return {source for name in under_way for source in self._names.get(name, ())}


def run_job(
    settings: Settings,
    build: Build,
    names: Collection[str],
    stopping: threading.Event,
    queue: Queue | None = None,
) -> None:
    """Pulls the named sources, then builds; logs what failed and which feeds are stale.

    Sources whose jobs wait in `queue` are not reported as stale, because after a sleep of the
    machine every job but the running one is late.
    """
    for name in names:
        if not stopping.is_set():
            _run_logged(name, partial(_pull_source, settings, name, stopping))
    if not stopping.is_set():
        _run_logged("build", partial(_build_marts, settings, build))
        _warn_of_stale_feeds(settings, queue.sources().difference(names) if queue else ())


def _pull_source(settings: Settings, name: str, stopping: threading.Event) -> Report:
    """Pulls one source and logs its progress; stops between two deliveries when asked to."""

    def tell(step: Step) -> None:
        if stopping.is_set():
            raise StopRequested
        if step.source == name:  # the shipped prices come along with every source
            log.info("%s", step)

    report = pull(settings, [name], tell=tell, wait=-1)
    _log_report(report, name)
    return report


def _log_report(report: Report, name: str) -> None:
    """Logs what a pulled source delivered and what failed."""
    for result in report.results:
        if result.source == name and result.summary != "failed":
            log.info("%s", result)
        for error in result.failures:
            log.error("%s", error)
    for line in report.restated():
        log.info("%s", line)


def _build_marts(settings: Settings, build: Build) -> None:
    outcome = build(settings)
    log.info("build: %s", outcome or "done")


def _run_logged(name: str, work: Callable[[], object]) -> None:
    """Runs a function in a thread and logs what it raises, so that no defect stops the others."""
    with futures.ThreadPoolExecutor(1, thread_name_prefix=f"{JOB}{name}") as apart:
        error = apart.submit(work).exception()
    if isinstance(error, BreakevenError):
        log.error("%s: %s", name, error)
    elif error and not isinstance(error, StopRequested):
        log.error("%s failed", name, exc_info=error)


def _warn_of_stale_feeds(settings: Settings, waiting: Collection[str]) -> None:
    """Logs a warning for each stale feed that is not about to be pulled."""
    now = datetime.now(UTC)
    for feed in FeedJournal(settings.data).feeds(settings):
        if feed.stale(now) and feed.source not in waiting:
            log.warning("%s %s: %s", feed.source, _stale_since(feed.last_success), feed.why(now))


def _stale_since(success: datetime | None) -> str:
    if success is None:
        return "has never been pulled completely"
    return f"is stale since {success:%Y-%m-%d %H:%M} UTC"


def under_way() -> str:
    """Returns what the scheduler runs now, as text: a source, `build`, or `a job` if unknown."""
    names = (thread.name for thread in threading.enumerate() if thread.name.startswith(JOB))
    return ", ".join(name.removeprefix(JOB).rpartition("_")[0] for name in names) or "a job"
