"""The scheduler: alone, persistent, and gone when it is told to go."""

from __future__ import annotations

import os
import signal
import threading
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from ingest import journal, schedule
from models import warehouse
from models.errors import BusyError, MissingDataError
from models.raw import RawZone
from models.settings import Settings
from tests.ingest import crashes
from tests.ingest.loopback import Configured

HEAD = "observed_at,workload,run,epoch\n"
EPOCHS = {"kind": "progress_file", "location": "epochs.csv"}
ENDS = 30
"""Seconds after which a scheduler that hangs fails its test."""


@pytest.fixture
def settings(configured: Configured, tmp_path: Path) -> Settings:
    (tmp_path / "epochs.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,r,1\n")
    found: Settings = configured(EPOCHS)
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


def test_what_was_missed_is_pulled_and_built_at_the_start(settings: Settings) -> None:
    built = run_until_built(settings, 2)
    assert built == [settings, settings]  # one job for progress, one for the shipped prices
    live = RawZone(settings.data / "raw").live()
    assert {delivery.key.source for delivery in live} == {"progress_file", "prices"}


def test_what_was_pulled_since_its_last_time_is_not_due(settings: Settings) -> None:
    now = datetime.now(UTC)
    assert schedule.due(settings, now) == ["progress", "prices"]
    run_until_built(settings, 2)
    assert schedule.due(settings, now) == []
    assert "progress" in schedule.due(settings, now + timedelta(hours=2))


def test_a_failing_source_is_logged_and_the_scheduler_goes_on(
    configured: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    settings = configured(EPOCHS)
    assert len(run_until_built(settings, 2)) == 2
    assert "no progress file found" in caplog.text
    assert journal.last_success(settings.data, "prices")


def test_a_failing_build_is_logged_and_the_scheduler_goes_on(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(run_until_built(settings, 2, fail=True)) == 2
    assert "nothing to build" in caplog.text


def test_a_job_waits_for_another_writer(settings: Settings) -> None:
    built = threading.Event()
    stopping = threading.Event()
    with warehouse.lock(settings.data, purpose="build"):
        given = (settings, lambda _: built.set(), "progress", stopping)
        waiting = threading.Thread(target=schedule.job, args=given)
        waiting.start()
        assert not built.is_set()
    waiting.join(ENDS)
    assert built.is_set()


def test_a_job_told_to_stop_ends_before_the_next_delivery(settings: Settings) -> None:
    stopping = threading.Event()
    stopping.set()
    schedule.job(settings, lambda _: pytest.fail("built"), "progress", stopping)
    assert not RawZone(settings.data / "raw").live()


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
