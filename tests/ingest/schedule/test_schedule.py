"""The scheduler: alone, persistent, and gone when it is told to go."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
from apscheduler.events import EVENT_JOB_MAX_INSTANCES, JobSubmissionEvent
from apscheduler.schedulers.background import BackgroundScheduler

from ingest import schedule
from ingest.paid_requests import ledger
from ingest.schedule import clock_changes
from ingest.schedule.due import crons, due
from ingest.schedule.jobs import run_job, under_way
from ingest.schedule.plan import MISSED, plan_jobs
from ingest.sources import configured as configured_sources
from models.config.feeds import Schedule
from models.config.settings import Settings
from models.contract.errors import BusyError, ConfigError, MissingDataError
from models.engine.warehouse.lock import lock
from models.raw.zone import RawZone
from tests.support.ingest import crashes
from tests.support.ingest.fake_aws import Configured

HEAD = "observed_at,workload,run,epoch\n"
EPOCHS = {"kind": "progress_file", "location": "epochs.csv"}
ENDS = 30
"""Seconds after which a scheduler that hangs fails its test."""


@pytest.fixture
def settings(untouched: Configured, tmp_path: Path) -> Settings:
    (tmp_path / "epochs.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,r,1\n")
    found: Settings = untouched(EPOCHS)
    return found


def run_until_built(settings: Settings, count: int, fail: bool = False) -> list[Settings]:
    """Schedules in this thread until `count` builds have been made."""
    stop, built = threading.Event(), []

    def build(given: Settings) -> None:
        built.append(given)
        if len(built) == count:
            stop.set()
        if fail:
            raise MissingDataError("nothing to build")

    watchdog = threading.Timer(ENDS, stop.set)
    watchdog.start()
    schedule.run(settings, build, stop=stop)
    watchdog.cancel()
    return built


def test_what_was_missed_is_pulled_once_and_built_once_at_the_start(settings: Settings) -> None:
    built = run_until_built(settings, 1)
    assert built == [settings]
    live = RawZone(settings.data / "raw").live()
    assert {delivery.key.source for delivery in live} == {"progress_file", "prices"}


def test_what_was_pulled_since_its_last_time_is_not_due(settings: Settings) -> None:
    now = datetime.now(UTC)
    assert due(settings, now) == ["progress_file", "prices"]
    run_until_built(settings, 1)
    assert due(settings, datetime.now(UTC)) == []
    assert "progress_file" in due(settings, now + timedelta(hours=13))


def test_after_a_week_off_each_source_is_pulled_once(settings: Settings) -> None:
    now = datetime.now(UTC)
    noted(settings, now - timedelta(days=7), "progress_file")
    noted(settings, now, "prices")
    plan = plan_jobs(settings, lambda _: None, threading.Event(), now)
    late, *others = plan.get_jobs()
    assert (late.id, late.args, late.func.args[2]) == (MISSED, (), ["progress_file"])
    assert [job.name for job in others] == ["progress_file", "prices"]
    assert len(run_until_built(settings, 1)) == 1


def test_a_source_has_its_own_cron_or_that_of_its_group(configured: Configured) -> None:
    """Those of one cron are pulled together and built once."""
    daily = "0 3 * * *"
    settings = configured(
        EPOCHS,
        {"kind": "focus", "location": "bill", "schedule": daily},
        {"kind": "focus", "location": "other", "name": "b", "schedule": "0 4 * * 0"},
        schedule={"prices": daily},
    )
    assert crons(settings) == {
        "15 5,17 * * *": ["progress_file"],
        daily: ["focus", "prices"],
        "0 4 * * 0": ["b"],
    }


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{"schedule": "soon"}], "not a cron expression"),
        ([{"schedule": "0 3 * * *"}, {"location": "b"}], "'focus' have different schedules"),
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused(
    configured: Configured, entries: list[dict[str, str]], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        configured(*({"kind": "focus", "location": "a"} | entry for entry in entries))


def test_a_failing_source_is_logged_and_the_scheduler_goes_on(
    configured: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    settings = configured(EPOCHS)
    assert len(run_until_built(settings, 1)) == 1
    assert "no progress file found" in caplog.text
    assert (
        "progress_file has never been pulled completely: progress_file: no progress" in caplog.text
    )
    assert due(settings, datetime.now(UTC)) == ["progress_file"]


def test_a_defect_of_one_source_stops_neither_the_others_nor_the_build(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """`names` are pulled in order; the first has one that nobody foresaw."""

    def broken(given: Settings) -> None:
        raise ZeroDivisionError(given.as_of)

    (settings.data / "raw" / "progress_file").parent.mkdir(parents=True)
    (settings.data / "raw" / "progress_file").write_text("a file where a folder is needed")
    run_job(settings, broken, ["progress_file", "prices"], threading.Event())
    live = RawZone(settings.data / "raw").live()
    assert {delivery.key.source for delivery in live} == {"prices"}
    assert "cannot write" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_the_log_names_each_feed_once_and_what_was_built(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """The shipped prices come along with every source; what runs is known by its name."""
    caplog.set_level("INFO", "breakeven.schedule")
    running: list[str] = []

    def build(_: Settings) -> str:
        running.append(under_way())
        return "snapshot 1 published"

    run_job(settings, build, ["progress_file", "prices"], threading.Event())
    told = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert told == [
        "progress_file: epochs.csv all (1 of 1)",
        "progress_file: 1 new, 0 unchanged, 1 rows",
        "prices: seed all (1 of 1)",
        "prices: 0 new, 1 unchanged, 0 rows",
        "build: snapshot 1 published",
    ]
    assert running == ["build"]


def test_a_run_that_is_left_out_is_said_in_our_words(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    now = datetime.now(UTC)
    with planned_at(settings, now) as scheduler:
        event = JobSubmissionEvent(EVENT_JOB_MAX_INSTANCES, "0 6 * * *", "default", [now])
        scheduler._dispatch_event(event)
    assert "progress_file: skipped, because the run before has not ended" in caplog.text


def test_an_account_that_only_the_organisation_knows_is_due_when_it_missed_a_run(
    configured: Configured,
) -> None:
    """Nobody is asked for the list at the start: who was pulled stands in the journal."""
    payer = {"payer": "999900000001", "regions": ["us-east-1"]}
    entry = {"kind": "cloudwatch", "accounts": ["*"], "schedule": "0 6 * * *"}
    settings = configured(entry, organization=payer)
    now = SIX + timedelta(hours=6)
    (source, prices) = configured_sources(settings)
    at = {source.location: now, "CloudWatch of a member": now - timedelta(hours=8)}
    for location, when in at.items():
        noted(settings, when, source.name, location)
    noted(settings, now, prices.name, prices.location)
    assert due(settings, now) == ["cloudwatch"]
    noted(settings, now, source.name, "CloudWatch of a member")
    assert due(settings, now) == []


def test_a_failing_build_is_logged_and_the_scheduler_goes_on(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(run_until_built(settings, 1, fail=True)) == 1
    assert "nothing to build" in caplog.text


def test_a_job_waits_for_another_writer(settings: Settings) -> None:
    built = threading.Event()
    stopping = threading.Event()
    with lock(settings.data, purpose="build"):
        given = (settings, lambda _: built.set(), ["progress_file"], stopping)
        waiting = threading.Thread(target=run_job, args=given)
        waiting.start()
        assert not built.is_set()
    waiting.join(ENDS)
    assert built.is_set()


def test_a_job_told_to_stop_ends_before_the_next_delivery(settings: Settings) -> None:
    stopping = threading.Event()
    stopping.set()
    run_job(settings, lambda _: pytest.fail("built"), ["progress_file"], stopping)
    assert not RawZone(settings.data / "raw").live()


SIX = datetime(2026, 10, 31, 6, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@contextmanager
def planned_at(settings: Settings, now: datetime) -> Iterator[BackgroundScheduler]:
    """A scheduler whose sources have just succeeded at six o'clock; it runs nothing."""
    for name in ("progress_file", "prices"):
        noted(settings, now, name)
    daily = settings.model_copy(update={"schedule": Schedule(progress="0 6 * * *")})
    scheduler = plan_jobs(daily, lambda _: None, threading.Event(), now)
    scheduler.start(paused=True)
    yield scheduler
    scheduler.shutdown()


def next_run(scheduler: BackgroundScheduler) -> datetime:
    found: datetime = scheduler.get_job("0 6 * * *").next_run_time
    return found


@pytest.mark.parametrize(
    ("back", "next_at"),
    [
        (timedelta(minutes=1), SIX + DAY),  # not a second time at today's six o'clock
        (timedelta(hours=20), SIX + DAY),
        (timedelta(days=2), SIX),  # a whole day lies between, and no more than two
        (timedelta(days=400), SIX - 398 * DAY),
    ],
)
def test_a_clock_set_back_neither_pays_twice_nor_waits_for_ever(
    settings: Settings, back: timedelta, next_at: datetime
) -> None:
    now = SIX + timedelta(seconds=9)
    with planned_at(settings, now) as scheduler:
        assert next_run(scheduler) == SIX + DAY
        clock_changes.adjust_jobs(scheduler, now - back)
        assert next_run(scheduler) == next_at


def test_a_success_that_lies_ahead_of_the_clock_is_as_good_as_now(settings: Settings) -> None:
    """The scheduler was started anew after the clock had been set right."""
    noted(settings, SIX + 400 * DAY, "progress_file")
    noted(settings, SIX + 400 * DAY, "prices")
    assert due(settings, SIX) == []
    (_, _, prices) = plan_jobs(settings, lambda _: None, threading.Event(), SIX).get_jobs()
    assert prices.next_run_time == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


def test_a_clock_set_forth_a_week_runs_each_job_once(settings: Settings) -> None:
    """Seven times have passed while the scheduler waited; APScheduler is told to look again."""
    ran, stopping = [], threading.Event()

    def build(given: Settings) -> None:
        ran.append(given)
        stopping.set()

    now = datetime.now(UTC)
    for name in ("progress_file", "prices"):
        noted(settings, now, name)
    scheduler = plan_jobs(settings, build, stopping, now)
    scheduler.start(paused=True)
    cron = settings.schedule.progress
    scheduler.get_job(cron).modify(next_run_time=now - 7 * DAY)
    scheduler.resume()
    assert stopping.wait(ENDS)
    scheduler.shutdown()
    assert len(ran) == 1


def test_what_waits_for_its_turn_after_a_sleep_is_not_called_stale(
    configured: Configured, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two jobs are late at once: while one runs the other is about to, and nothing is wrong."""
    (tmp_path / "epochs.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,r,1\n")
    (tmp_path / "more.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,s,1\n")
    more = {"kind": "progress_file", "name": "more", "location": "more.csv"}
    settings = configured(EPOCHS, more | {"schedule": "0 6 * * *"})
    now, built = datetime.now(UTC), threading.Semaphore(0)
    for source in configured_sources(settings):
        noted(settings, now, source.name, source.location, (now - DAY).isoformat())
    scheduler = plan_jobs(settings, lambda _: built.release(), threading.Event(), now)
    scheduler.start(paused=True)
    for cron in (settings.schedule.progress, "0 6 * * *"):
        scheduler.get_job(cron).modify(next_run_time=now - DAY)
    scheduler.resume()
    assert all(built.acquire(timeout=ENDS) for _ in range(3))  # and what was missed: nothing
    scheduler.shutdown()
    assert [r.getMessage() for r in caplog.records if r.levelname == "WARNING"] == []


def noted(
    settings: Settings, at: datetime, source: str, location: str = "", fresh_until: str = ""
) -> None:
    """A success, as a pull would have noted it then."""
    line = {"at": at.isoformat(), "source": source, "location": location, "error": ""}
    fresh = {"fresh_until": fresh_until} if fresh_until else {}
    ledger.append(settings.data / "deliveries.jsonl", line | fresh)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("hangs", [False, True])
def test_a_signal_ends_the_scheduler_and_frees_its_lock(
    configured: Configured,
    processes: ForkServerContext,
    tmp_path: Path,
    number: signal.Signals,
    hangs: bool,
) -> None:
    ours, theirs = processes.Pipe()
    process = processes.Process(target=crashes.scheduler, args=(tmp_path, theirs, hangs))
    process.start()
    theirs.close()
    assert process.pid
    assert ours.recv() == "built"
    with pytest.raises(BusyError, match=f"running already: process {process.pid} since"):
        schedule.run(configured(), lambda _: None)
    os.kill(process.pid, number)
    process.join(ENDS)
    assert process.exitcode == 0
    if not hangs:
        assert ours.recv() == "ended"
    stop = threading.Event()
    stop.set()
    schedule.run(configured(), lambda _: None, stop=stop)
