"""METHOD §3.3: samples without a time are laid over the time that their run held machines."""

from __future__ import annotations

from datetime import datetime

from models.contract.schema import NUMBER
from models.marts.work.progress.held_samples import with_held_times
from tests.support.marts.hand_written_tables import rows, table

PROGRESS = {
    "workload": "string", "run": "string", "observed_at": "timestamp", "step": NUMBER,
    "epoch": NUMBER, "samples": NUMBER, "tokens": NUMBER,
}  # fmt: skip
JOBS = {"run": "string", "began": "timestamp", "ended": "timestamp"}
Laid = list[tuple[object, ...]]


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-09-01T{clock}:00")


def sample(**columns: object) -> dict[str, object]:
    return {"workload": "atlas-7b", "run": "a", **columns}


def laid(samples: list[dict[str, object]], *jobs: tuple[str, str, str]) -> Laid:
    """Each sample's time and epoch or step, and whether allocations told the time."""
    held = [{"run": run, "began": at(began), "ended": at(ended)} for run, began, ended in jobs]
    found = with_held_times(table(PROGRESS, *samples), table(JOBS, *held))
    found = found.mutate(done=found.step.fill_null(found.epoch).cast("int64"))
    return rows(found, "observed_at", "done", "timed_by_allocation")


def test_steps_are_laid_evenly_and_the_break_between_two_jobs_is_left_out() -> None:
    """Four hours held, in two jobs: a quarter of the steps each hour."""
    samples = [sample(step=number, epoch=number * 7) for number in (0, 100, 200, 300, 400)]
    found = laid(samples, ("a", "10:00", "12:00"), ("a", "20:00", "22:00"), ("b", "12:00", "20:00"))
    assert found == [
        (at("10:00"), 0, True), (at("11:00"), 100, True), (at("20:00"), 200, True),
        (at("21:00"), 300, True), (at("22:00"), 400, True),
    ]  # fmt: skip


def test_without_steps_epochs_say_how_far_it_was_and_jobs_beside_each_other_count_once() -> None:
    samples = [sample(epoch=1), sample(epoch=4)]
    found = laid(samples, ("a", "10:00", "13:00"), ("a", "10:00", "12:00"), ("a", "11:00", "14:00"))
    assert found == [(at("11:00"), 1, True), (at("14:00"), 4, True)]


def test_a_sample_with_a_time_stays_and_one_whose_run_held_nothing_is_left_out() -> None:
    samples = [sample(observed_at=at("09:00"), step=5), sample(run="unknown", step=5)]
    assert laid(samples, ("a", "10:00", "12:00")) == [(at("09:00"), 5, False)]
