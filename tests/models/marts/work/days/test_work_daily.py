"""METHOD §4.1, §4.2: what a run cost and did on a day, of rows by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from models.config.loading import validated_settings
from models.marts.work.days.work_daily import work_daily
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

SETTINGS = validated_settings({}, home=Path())
NUMBER = "decimal(38, 9)"
RUN = {"workload": "string", "run": "string"}
DAY = {"date": "date"} | RUN
COLUMNS = {
    "spend_daily": DAY | {
        "component": "string", "attribution": "string", "hardware": "string", "platform": "string",
        "instance_hours": NUMBER, "accelerator_hours": NUMBER, "effective_cost": NUMBER,
        "list_cost": NUMBER, "unpriced": "boolean",
    },
    "progress_daily": DAY | {
        "epochs": NUMBER, "repeated_epochs": NUMBER, "tokens": NUMBER, "repeated_tokens": NUMBER,
        "samples": NUMBER, "repeated_samples": NUMBER, "loss": "float64",
    },
    "progress_steps": RUN | {
        "lineage": "string", "since": "timestamp", "observed_at": "timestamp", "rise": NUMBER,
    },
    "run_registry": RUN | {
        "purpose": "string", "recipe": "string", "reports_samples": "boolean",
        "in_samples": "boolean", "samples_per_epoch": NUMBER,
    },
    "lineages": RUN | {"lineage": "string", "resumes": "boolean"},
    "workload_settled": {
        "workload": "string", "settled_through": "date", "undelivered": "array<date>",
    },
}  # fmt: skip
W = {"workload": "w"}
COSTS = ("cost", "list_cost", "accelerator_cost", "storage_cost", "network_cost", "other_cost")


def day(number: int) -> date:
    return date(2025, 9, number)


def charge(number: int, cost: int, component: str = "accelerator", **more: object) -> Any:  # noqa: ANN401
    """Of run r on Trainium: two hours of 16 accelerators, unless it is of something else."""
    hours = {"instance_hours": 2, "accelerator_hours": 32} if component == "accelerator" else {}
    usual = {
        "date": day(number), "run": "r", "attribution": "direct", "component": component,
        "effective_cost": cost, "list_cost": 10 * cost, "unpriced": False,
    }  # fmt: skip
    on = {"hardware": "trainium", "platform": "trn1"} if hours else {}
    return W | usual | on | hours | more


def made(
    *names: str, runs: list[dict[str, Any]] | None = None, **given: list[dict[str, Any]]
) -> list[tuple[Any, ...]]:
    """Days of September with the columns `names`."""
    usual = W | {"run": "r", "purpose": "production", "in_samples": True}
    known = [usual | run for run in runs or [{}]]
    tables = {
        "run_registry": known,
        "lineages": [W | {"run": run["run"], "lineage": run["run"]} for run in known],
        "workload_settled": [W | {"settled_through": day(20), "undelivered": [day(5)]}],
        **given,
    }
    found = applied(
        work_daily,
        *(table(COLUMNS[name], *tables.get(name, [])) for name in COLUMNS),
        SETTINGS,
    )
    return [(at.day, *others) for at, *others in rows(found, "date", *names)]


def test_a_days_charges_are_summed_whole_and_by_component() -> None:
    charges = [
        charge(1, 1),
        charge(1, 2),
        charge(1, 4, "storage"),
        charge(1, 8, "network"),
        charge(1, 16, "other"),
        charge(2, 32, unpriced=True),
        charge(2, 64, "storage", list_cost=None),
        charge(3, 128, "storage"),
        charge(3, 256, run=None),
    ]
    assert made("run", *COSTS, spend_daily=charges) == [
        (1, "r", 31, 310, 3, 4, 8, 16),
        (2, "r", None, None, None, 64, 0, 0),
        (3, "r", 128, 1280, 0, 128, 0, 0),
    ]
    hours = made("instance_hours", "accelerator_hours", spend_daily=charges)
    assert hours == [(1, 4, 64), (2, 2, 32), (3, 0, 0)]


def test_a_day_is_active_on_which_a_machine_ran_or_the_run_reported() -> None:
    charges = [
        charge(1, 1),
        charge(1, 1, "storage"),
        charge(2, 1, "storage"),
        charge(3, -1, instance_hours=-2),
        charge(4, 1, attribution="prorated"),
        charge(6, 1, instance_hours=0),
        charge(8, 1, "storage"),
    ]
    reported = [W | {"date": day(number), "run": "r", "epochs": 0} for number in (2, 7)]
    found = made("active", "charged", spend_daily=charges, progress_daily=reported)
    assert found == [
        (1, True, True),
        (2, True, True),
        (3, False, True),
        (4, False, True),
        (6, False, True),
        (7, True, False),
        (8, False, True),
    ]
    costs = made(*COSTS[:3], spend_daily=charges[:1], progress_daily=reported[1:])
    assert costs == [(1, 1, 10, 1), (7, 0, 0, 0)]


def test_a_day_is_settled_until_the_last_one_unless_its_allocations_are_missing() -> None:
    charges = [charge(number, 1) for number in (4, 5, 20, 21)]
    charges.append(charge(4, 1, workload="unknown"))
    assert made("workload", "settled", spend_daily=charges) == [
        (20, "w", True),
        (21, "w", False),
        (4, "unknown", False),
        (4, "w", True),
        (5, "w", False),
    ]


def test_samples_are_those_reported_else_epochs_of_known_size() -> None:
    sizes = {"r": (True, 5), "derived": (False, 5), "unknown": (False, None), "unsaid": (None, 5)}
    runs = [
        {"run": run, "reports_samples": reports, "samples_per_epoch": size}
        for run, (reports, size) in sizes.items()
    ]
    runs.append({"run": "resized", "samples_per_epoch": 5, "in_samples": False})
    did = {"epochs": 2, "repeated_epochs": 3, "samples": 7, "repeated_samples": 11}
    reported = [W | did | {"date": day(1), "run": run["run"]} for run in runs]
    charges = [charge(1, 1, run=run["run"]) for run in runs]
    names = ("run", "samples", "repeated_samples")
    assert made(*names, runs=runs, spend_daily=charges, progress_daily=reported) == [
        (1, "derived", 10, 15),
        (1, "r", 7, 11),
        (1, "resized", None, None),
        (1, "unknown", None, None),
        (1, "unsaid", 10, 15),
    ]


def test_hardware_and_platform_are_of_most_of_the_accelerator_hours() -> None:
    runs = [{"run": run} for run in ("r", "one", "tie", "none", "unseen")]
    charges = [
        charge(1, 1, platform="trn1"),
        charge(1, 1, platform="trn1"),
        charge(2, 1, platform="trn2", accelerator_hours=63),
        charge(1, 1, run="one"),
        charge(1, 1, run="one"),
        charge(1, 1, run="tie", platform="trn2"),
        charge(1, 1, run="tie", platform="trn1"),
        charge(1, 1, "storage", run="none", hardware="gpu"),
    ]
    names = ("run", "hardware", "platform", "mixed")
    assert made(*names, runs=runs, spend_daily=charges) == [
        (1, "none", None, None, None),
        (1, "one", "trainium", "trn1", False),
        (1, "r", "trainium", "trn1", True),
        (1, "tie", "trainium", "trn1", True),
        (2, "r", "trainium", "trn1", True),
    ]


def test_only_runs_that_were_seen_speak_for_their_lineage() -> None:
    """`p` would be own of the lineage if it were charged or reported; `q` is, by its report."""
    runs = [
        {"run": run, "purpose": purpose}
        for run, purpose in (("r", "port"), ("p", "production"), ("s", "port"), ("q", "production"))
    ]
    of = {"r": "p", "p": "p", "s": "q", "q": "q"}
    lineages = [W | {"run": run, "lineage": lineage} for run, lineage in of.items()]
    found = made(
        "run",
        "own",
        "in_lineage",
        runs=runs,
        lineages=lineages,
        spend_daily=[charge(1, 1), charge(1, 1, run="s")],
        progress_daily=[W | {"date": day(1), "run": "q", "epochs": 1}],
    )
    assert found == [(1, "q", True, True), (1, "r", False, True), (1, "s", False, False)]
