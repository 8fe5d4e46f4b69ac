"""METHOD §3.3: samples without a time are laid over the time that their run held machines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import ibis.expr.types as ir

from models.contract.schema import NUMBER
from models.marts.work.progress.held_samples import with_held_times
from tests.support.marts.charged_machines import CHARGES
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

PROGRESS = {
    "workload": "string", "run": "string", "observed_at": "timestamp", "step": NUMBER,
    "epoch": NUMBER, "samples": NUMBER, "tokens": NUMBER, "resumed_from": "string",
    "source": "string", "loss": "float64",
}  # fmt: skip
CONFIG_RUNS = {"workload": "string", "run": "string", "resumed_from": "string"}
JOBS = {"workload": "string", "run": "string", "began": "timestamp", "ended": "timestamp"}
Laid = list[tuple[object, ...]]


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-09-01T{clock}:00")


def sample(**columns: object) -> dict[str, object]:
    return {"workload": "atlas-7b", "run": "a", **columns}


def charge(run: str, **columns: object) -> dict[str, object]:
    used = {"date": at("00:00").date(), "accelerated": True, "instance_hours": Decimal(3)}
    return {"run": run, **used, **columns}


def timed(*tables: ir.Table) -> ir.Table:
    """Of each sample what it tells to be done, an epoch or a step."""
    found = with_held_times(*tables)
    return found.mutate(done=found.step.fill_null(found.epoch).cast("int64"))


def laid(
    samples: list[dict[str, object]],
    *jobs: tuple[str, ...],
    charges: Sequence[dict[str, object]] = (),
    config: Sequence[dict[str, object]] = (),
) -> Laid:
    """Each sample's time and epoch or step, and whether jobs or the bill told the time."""
    held = [
        {"run": run, "began": at(began), "ended": at(ended), "workload": next(iter(of), None)}
        for run, began, ended, *of in jobs
    ]
    found = applied(
        timed,
        table(PROGRESS, *samples),
        table(JOBS, *held),
        table(CHARGES, *charges),
        table(CONFIG_RUNS, *config),
    )
    return rows(found, "observed_at", "done", "timed_by_allocation")


def test_steps_are_laid_evenly_and_the_break_between_two_jobs_is_left_out() -> None:
    """Four hours held, in two jobs: a quarter of the steps each hour."""
    samples = [sample(step=number, epoch=number * 7) for number in (0, 100, 200, 300, 400)]
    found = laid(samples, ("a", "10:00", "12:00"), ("a", "20:00", "22:00"), ("b", "12:00", "20:00"))
    assert found == [
        (at("10:00"), 0, True), (at("11:00"), 100, True), (at("20:00"), 200, True),
        (at("21:00"), 300, True), (at("22:00"), 400, True),
    ]  # fmt: skip


def test_a_run_that_says_what_it_resumed_begins_with_its_first_sample() -> None:
    samples = [sample(step=number, resumed_from="z") for number in (200, 250, 300)]
    held = ("a", "10:00", "20:00")
    at_its_end = [(at("10:00"), 200, True), (at("15:00"), 250, True), (at("20:00"), 300, True)]
    assert laid(samples, held) == at_its_end
    assert laid([sample(step=250), sample(step=500)], held) == [
        (at("15:00"), 250, True), (at("20:00"), 500, True)
    ]  # fmt: skip


def test_the_config_says_what_a_run_resumed_where_its_source_does_not() -> None:
    samples = [sample(step=number) for number in (200, 250, 300)]
    held = ("a", "10:00", "20:00")
    resumed = {"run": "a", "resumed_from": "z"}
    by_its_first = [(at("10:00"), 200, True), (at("15:00"), 250, True), (at("20:00"), 300, True)]
    assert laid(samples, held, config=[resumed]) == by_its_first
    assert laid(samples, held, config=[resumed | {"workload": "atlas-7b"}] * 2) == by_its_first
    from_0 = laid(samples, held)
    assert from_0 != by_its_first
    began_at_nothing = [sample(step=0, tokens=0), *samples]
    assert laid(began_at_nothing, held, config=[resumed]) == by_its_first
    assert laid(began_at_nothing, held)[0] == (at("10:00"), 0, True)
    others = [resumed | {"workload": "bert"}, {"run": "a"}, resumed | {"run": "b"}]
    assert laid(samples, held, config=others) == from_0


def test_each_source_has_a_scale_of_its_own() -> None:
    """A billion tokens that another source counts would leave 300 steps at the very start."""
    samples = [sample(step=n * 100, epoch=n, source="trainer_state") for n in range(4)]
    samples.append(sample(tokens=10**9, source="file"))
    assert laid(samples, ("a", "10:00", "13:00")) == [
        (at("10:00"), 0, True), (at("11:00"), 100, True), (at("12:00"), 200, True),
        (at("13:00"), 300, True), (at("13:00"), None, True),
    ]  # fmt: skip


def test_each_counter_of_a_source_has_a_scale_of_its_own() -> None:
    """Of 200 steps and 2 epochs, 1.5 epochs are three quarters."""
    samples = [sample(step=100, epoch=1), sample(epoch=Decimal("1.5")), sample(step=200, epoch=2)]
    assert laid(samples, ("a", "10:00", "14:00")) == [
        (at("12:00"), 100, True), (at("13:00"), 2, True), (at("14:00"), 200, True)
    ]  # fmt: skip


def test_without_steps_epochs_say_how_far_it_was_and_jobs_beside_each_other_count_once() -> None:
    samples = [sample(epoch=1), sample(epoch=4)]
    found = laid(samples, ("a", "10:00", "13:00"), ("a", "10:00", "12:00"), ("a", "11:00", "14:00"))
    assert found == [(at("11:00"), 1, True), (at("14:00"), 4, True)]


def test_a_sample_with_a_time_stays_and_one_whose_run_held_nothing_is_left_out() -> None:
    samples = [sample(observed_at=at("09:00"), step=5), sample(run="unknown", step=5)]
    assert laid(samples, ("a", "10:00", "12:00")) == [(at("09:00"), 5, False)]


def test_without_jobs_the_hours_charged_to_the_run_say_when_it_held_machines() -> None:
    """Ten hours on two machines beside each other, then two: twelve for 12 epochs."""
    hours = [
        charge("a", first_hour=at("02:00"), last_hour=at("12:00")),
        charge("a", first_hour=at("02:00"), last_hour=at("10:00")),
        charge("a", first_hour=at("20:00"), last_hour=at("22:00")),
        charge("a", bucket="untagged", first_hour=at("00:00"), last_hour=at("02:00")),
        charge("a", accelerated=False, first_hour=at("00:00"), last_hour=at("02:00")),
        charge("a", instance_hours=Decimal(0), first_hour=at("00:00"), last_hour=at("02:00")),
    ]
    samples = [sample(epoch=5), sample(epoch=11), sample(epoch=12)]
    assert laid(samples, charges=hours) == [
        (at("21:00"), 11, True), (at("22:00"), 12, True), (at("07:00"), 5, True)
    ]  # fmt: skip
    assert laid(samples, ("a", "00:00", "12:00"), charges=hours) == [
        (at("11:00"), 11, True), (at("12:00"), 12, True), (at("05:00"), 5, True)
    ]  # fmt: skip


def test_a_run_of_equal_name_in_another_workload_lends_no_time() -> None:
    hours = {"first_hour": at("10:00"), "last_hour": at("12:00")}
    samples = [sample(epoch=1), sample(epoch=2), sample(epoch=9, workload="bert")]
    jobs = [("a", "10:00", "12:00", "atlas-7b"), ("a", "14:00", "18:00", "bert")]
    mine = [(at("11:00"), 1, True), (at("12:00"), 2, True)]
    assert laid(samples, *jobs) == [*mine, (at("18:00"), 9, True)]
    assert laid(samples, jobs[0]) == mine
    assert laid(samples, charges=[charge("a", workload="atlas-7b", **hours)]) == mine


def test_a_bill_by_day_charges_whole_days_and_the_last_sample_is_of_the_last_one() -> None:
    """At midnight it would be of a day on which nothing ran."""
    last = at("00:00") + timedelta(days=1, seconds=-1)
    assert laid([sample(epoch=1), sample(epoch=2)], charges=[charge("a")]) == [
        (at("12:00"), 1, True), (last, 2, True)
    ]  # fmt: skip
