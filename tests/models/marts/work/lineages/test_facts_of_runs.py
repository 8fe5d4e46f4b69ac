"""METHOD §1.2, §3.4, §3.6: what a lineage is, of its runs and their days by hand."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

from models.config.loading import validated_settings
from models.marts.work.lineages.lineage_facts import lineage_facts
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

SETTINGS = validated_settings({}, home=Path())
NUMBER = "decimal(38, 9)"
RUN = {"workload": "string", "run": "string"}
COLUMNS = {
    "work_daily": RUN | {
        "lineage": "string", "date": "date", "hardware": "string",
        **dict.fromkeys(("own", "in_lineage", "active", "settled"), "boolean"),
        **dict.fromkeys(("cost", "list_cost", "epochs", "tokens", "samples", "accelerator_hours",
                         "instance_hours"), NUMBER),
    },
    "run_registry": RUN | {
        "recipe": "string", "resumed_from": "string", "start_epoch": "float64",
        **dict.fromkeys(("samples_per_epoch", "least_size", "most_size"), NUMBER),
        **dict.fromkeys(("first_sample", "last_sample", "counted_from"), "timestamp"),
        **dict.fromkeys(("recipes_differ", "by_increments", "in_epochs", "in_tokens", "in_samples",
                         "starts_late"), "boolean"),
    },
    "samples": RUN | {"observed_at": "timestamp", "loss": "float64"},
    "progress_steps": {
        "workload": "string", "lineage": "string", "observed_at": "timestamp", "counter": "string",
        "rise": NUMBER,
    },
    "workload_settled": {"workload": "string", "settled_through": "date"},
    "config_workloads": {"workload": "string", "target_loss": "float64"},
}  # fmt: skip
W = {"workload": "w"}
Row = dict[str, Any]


def day(number: int) -> date:
    return date(2025, 9, number)


def at(number: int, hour: int = 0) -> datetime:
    return datetime(2025, 9, number, hour)  # noqa: DTZ001 - UTC


def ran(lineage: str, run: str, number: int = 1, **more: object) -> Row:
    """A settled day on Trainium: $10, two epochs, 16 accelerator-hours."""
    usual = {
        "lineage": lineage, "run": run, "date": day(number), "hardware": "trainium", "own": True,
        "in_lineage": True, "active": True, "settled": True, "cost": 10, "list_cost": 20,
        "epochs": 2, "tokens": 3, "samples": 5, "accelerator_hours": 16, "instance_hours": 1,
    }  # fmt: skip
    return W | usual | more


def told(run: str, number: int | None = 1, **more: object) -> Row:
    """A run of which progress was reported from a day on, or (None) nothing was."""
    first = number and at(number)
    last = number and at(number, 5)
    usual = {
        "first_sample": first, "counted_from": first, "last_sample": last, "in_epochs": True,
        "in_tokens": False, "in_samples": True, "recipes_differ": False, "starts_late": False,
    }  # fmt: skip
    return W | {"run": run} | usual | more


def facts(*names: str, days: list[Row], runs: list[Row], **given: list[Row]) -> dict[str, Any]:
    """Columns of each lineage of workload w, which is settled through 20 September."""
    tables = {"workload_settled": [W | {"settled_through": day(20)}], **given}
    tables |= {"work_daily": days, "run_registry": runs}
    made = applied(
        lineage_facts, *(table(COLUMNS[name], *tables.get(name, [])) for name in COLUMNS), SETTINGS
    )
    return {lineage: tuple(values) for lineage, *values in rows(made, "lineage", *names)}


def test_cost_and_work_are_of_settled_days_and_hours_of_all() -> None:
    days = [
        ran("a", "a", 1),
        ran("a", "b", 2),
        ran("a", "b", 3, settled=False),
        ran("a", "port", 2, in_lineage=False),
        ran("b", "c", 1, cost=None),
        ran("b", "c", 2, list_cost=None, settled=False),
    ]
    runs = [told(run) for run in ("a", "b", "c", "port")]
    names = ("cost", "list_cost", "epochs", "tokens", "samples", "all_hours", "members")
    found = facts(*names, days=days, runs=runs)
    assert found == {"a": (20, 40, 4, 6, 10, 48, 2), "b": (None, 20, 2, 3, 5, 32, 1)}


def test_a_lineage_is_own_and_on_trainium_with_one_run_and_on_gpu_with_all() -> None:
    gpu = {"hardware": "gpu"}
    days = [
        ran("mixed", "a", own=False),
        ran("mixed", "b", **gpu),
        ran("gpu", "c", **gpu),
        ran("gpu", "c", 2, **gpu, own=False),
        ran("side", "d", own=False),
        ran("none", "e", hardware=None),
    ]
    runs = [told(run) for run in "abcde"]
    assert facts("own", "on_gpu", "on_trainium", days=days, runs=runs) == {
        "mixed": (True, False, True),
        "gpu": (True, True, False),
        "side": (False, False, True),
        "none": (True, None, None),
    }


def test_a_lineage_counts_with_work_of_its_own_on_accelerators_at_a_known_cost() -> None:
    unknown = {"cost": None}
    days = [
        ran("a", "a"),
        ran("side", "b", own=False),
        ran("side unknown", "b2", own=False, **unknown),
        ran("no hours", "c", accelerator_hours=0),
        ran("unknown", "d", **unknown),
        ran("gpu", "e", hardware="gpu", **unknown),
    ]
    runs = [told(run) for run in ("a", "b", "b2", "c", "d", "e")]
    assert facts("counted", "unpriced", days=days, runs=runs) == {
        "a": (True, False),
        "side": (False, False),
        "side unknown": (False, False),
        "no hours": (False, False),
        "unknown": (False, True),
        "gpu": (False, False),
    }


def test_days_are_the_first_and_last_active_ones() -> None:
    days = [
        ran("a", "a", 1, active=False),
        ran("a", "a", 2, hardware="gpu"),
        ran("a", "a", 3, settled=False),
        ran("a", "a", 4),
        ran("a", "a", 5),
        ran("a", "a", 6, active=False),
        ran("early", "b", 17),
        ran("late", "c", 18),
    ]
    names = ("first_day", "first_trainium", "last_day", "ended", "ended_on")
    assert facts(*names, days=days, runs=[told(run) for run in "abc"]) == {
        "a": (day(2), day(4), day(5), True, day(5)),
        "early": (day(17), day(17), day(17), True, day(17)),
        "late": (day(18), day(18), day(18), False, None),
    }


def test_recipe_and_size_are_of_the_run_that_began_else_of_the_first_that_states_them() -> None:
    runs = [
        told("b", recipe="begun", least_size=7, most_size=8),
        told("a", recipe="other", samples_per_epoch=5, least_size=4, most_size=9),
        told("c", samples_per_epoch=6),
        told("d", recipe="same"),
        told("e", recipe="same"),
        told("f"),
        told("g", recipes_differ=True),
        told("h"),
    ]
    of = {"a": "b", "b": "b", "c": "b", "d": "d", "e": "d", "f": "f", "g": "g", "h": "g"}
    days = [ran(lineage, run) for run, lineage in of.items()]
    names = ("recipe", "samples_per_epoch", "recipes_differ", "least_size", "most_size", "members")
    assert facts(*names, days=days, runs=runs) == {
        "b": ("begun", 5, True, 4, 9, 3),
        "d": ("same", None, False, None, None, 2),
        "f": (None, None, False, None, None, 1),
        "g": (None, None, True, None, None, 2),
    }


def test_work_is_counted_in_what_all_runs_that_report_it_can_be_counted_in() -> None:
    runs = [
        told("a"),
        told("b", 2, in_tokens=True, in_samples=False),
        told("c", None, in_epochs=False),
        told("d", None),
        told("e", 1, counted_from=None),
    ]
    of = {"a": "a", "b": "a", "c": "a", "d": "d", "e": "e"}
    days = [ran(lineage, run) for run, lineage in of.items()]
    names = ("in_epochs", "in_tokens", "in_samples", "reports", "reports_progress")
    assert facts(*names, days=days, runs=runs) == {
        "a": (True, False, False, True, True),
        "d": (False, False, False, False, False),
        "e": (False, False, False, True, False),
    }


def test_counters_begin_with_the_first_run_and_end_with_the_last_that_counts() -> None:
    runs = [
        told("a", 2, start_epoch=4),
        told("b", 1, start_epoch=3),
        told("c", 3),
        told("d", 4, counted_from=None),
        told("e", 1, by_increments=True),
    ]
    of = {"a": "a", "b": "a", "c": "a", "d": "a", "e": "e"}
    days = [ran(lineage, run) for run, lineage in of.items()]
    names = ("counted_from", "counted_until", "starts_at", "declared", "by_increments")
    assert facts(*names, days=days, runs=runs) == {
        "a": (at(1), at(3, 5), 3, True, False),
        "e": (at(1), at(1, 5), None, False, True),
    }


def test_a_lineage_is_undeclared_as_its_first_run_is_unless_that_is_of_another_purpose() -> None:
    late = {"starts_late": True}
    runs = [
        told("a", 1, **late),
        told("a2", 2),
        told("b", 2, **late),
        told("b2", 1),
        told("c", 1, **late, start_epoch=5),
        told("d", 2, **late),
        told("port", 1, **late),
        told("e0", 1),
        told("e", 1, **late),
        told("f0", 1, **late),
        told("f1", 1),
        told("g", 1, **late, counted_from=None),
        told("g2", 2),
    ]  # fmt: skip
    of = {"a": "a", "a2": "a", "b": "b", "b2": "b", "c": "c", "d": "d", "port": "d", "e0": "e",
          "e": "e", "f0": "f", "f1": "f", "g": "g", "g2": "g"}  # fmt: skip
    days = [ran(lineage, run, in_lineage=run != "port") for run, lineage in of.items()]
    assert facts("undeclared", days=days, runs=runs) == {
        "a": (True,), "b": (False,), "c": (False,), "d": (False,), "e": (True,), "f": (True,),
        "g": (False,),
    }  # fmt: skip


def test_the_target_is_reached_with_the_first_loss_of_a_run_of_the_lineage() -> None:
    """Of c no epochs were told when it reached the target, of d none but 0: those told next count.

    Of e only 0 was ever told.
    """
    runs = [told(run) for run in ("a", "b", "c", "d", "e", "port")]
    days = [*(ran(run, run) for run in "abcde"), ran("a", "port", in_lineage=False)]
    losses = [("a", 3, 2.0), ("a", 4, 1.5), ("a", 5, 1.4), ("a", 6, None), ("b", 1, 1.6),
              ("port", 1, 1.0), ("c", 2, 1.0), ("c", 5, 1.0), ("d", 2, 1.0), ("d", 5, 1.0),
              ("e", 2, 1.0), ("e", 5, 1.0)]  # fmt: skip
    samples = [W | {"run": run, "observed_at": at(1, hour), "loss": loss}
               for run, hour, loss in losses]  # fmt: skip
    steps = [
        W | {"lineage": "a", "observed_at": at(1, hour), "counter": counter, "rise": rise}
        for hour, counter, rise in ((3, "epoch", 1), (4, "epoch", 2), (5, "epoch", 4),
                                    (2, "tokens", 8), (4, "samples", 16))
    ]  # fmt: skip
    steps += [
        W | {"lineage": line, "observed_at": at(1, hour), "counter": "epoch", "rise": rise}
        for line, hour, rise in (("c", 3, 2), ("c", 4, 1), ("d", 1, 0), ("d", 3, 2), ("d", 4, 1),
                                 ("e", 1, 0), ("e", 3, 0))
    ]  # fmt: skip
    names = ("target_loss", "target_at", "epochs_to_target", "tokens_to_target",
             "samples_to_target")  # fmt: skip
    given = {"samples": samples, "progress_steps": steps}
    aim = [W | {"target_loss": 1.5}]
    found = facts(*names, days=days, runs=runs, config_workloads=aim, **given)
    assert found == {
        "a": (1.5, at(1, 4), 3, 8, 16),
        "b": (1.5, None, None, None, None),
        "c": (1.5, at(1, 2), 2, None, None),
        "d": (1.5, at(1, 2), 2, None, None),
        "e": (1.5, at(1, 2), 0, None, None),
    }
    unaimed = facts(*names[:4], days=days, runs=runs, **given)
    assert unaimed == dict.fromkeys("abcde", (None, None, None, None))
