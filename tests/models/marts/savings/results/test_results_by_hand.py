"""METHOD §4.5, §4.6: which lineages results are of, and what one costs, of rows by hand."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from models.contract.schema import EXPLAINERS
from models.marts.savings.results.result_runs import result_runs
from models.marts.savings.results.results import results
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

NUMBER = "decimal(38, 9)"
LAST = date(2026, 9, 30)
W = {"workload": "w"}
KINDS = {"workload": "string", "kind": "string", "unit": "string", "main": "boolean"}
VALUES = {
    "workload": "string", "recipe": "string", "date": "date", "value": NUMBER, "cap": NUMBER,
    "platform": "string",
}  # fmt: skip
SAVED = {
    "workload": "string", "kind": "string", "date": "date", "settled": "boolean",
    "counted_epochs": NUMBER, "counted_cost": NUMBER,
}  # fmt: skip
SETTLED = {"workload": "string", "settled_through": "date", "recent_since": "date"}
SUMS = ("hardware", "days", "cost_per_epoch", "result_work", "cost_per_result", "reached",
        "timed_runs", "median_work", "hours_per_epoch", "hours_per_result")  # fmt: skip


def back(days: int) -> date:
    return LAST - timedelta(days=days)


def lineage(hardware: str, name: str, work: int, **more: object) -> dict[str, Any]:
    usual = {"hardware": hardware, "lineage": name, "epochs": work, "whole_work": work,
             "long_enough": True, "cost": 10 * work, "elapsed_hours": 100}  # fmt: skip
    return W | usual | more


def day(ago: int, epochs: int, cost: object, **more: object) -> dict[str, Any]:
    usual = {"kind": "", "date": back(ago), "settled": True}
    return W | usual | {"counted_epochs": epochs, "counted_cost": cost} | more


def summed(
    runs: list[dict[str, Any]], days: list[dict[str, Any]], value: object = 100, since: int = 83
) -> dict[str, tuple[Any, ...]]:
    """Columns `SUMS` by hardware, of one kind whose baseline has a cap of seven.

    The recent window begins `since` days back.
    """
    baselines = [
        W | {"date": LAST, "value": value, "cap": 7},
        W | {"date": back(1), "value": 1, "cap": 1},
    ]
    made = applied(
        results,
        table(EXPLAINERS["result_runs"], *runs),
        table(KINDS, W | {"kind": "", "unit": "epoch", "main": True}),
        table(VALUES, *baselines),
        table(SAVED, *days),
        table(SETTLED, W | {"settled_through": LAST, "recent_since": back(since)}),
    )
    return {hardware: tuple(found) for hardware, *found in rows(made, *SUMS)}


GPU = [
    lineage("gpu", "g1", 4, hours_per_epoch=10),
    lineage("gpu", "g2", 6, hours_per_epoch=20),
    lineage("gpu", "g3", 99, long_enough=False),
]
TRN = [lineage("trainium", "t1", 8, hours_per_epoch=30)]
DAYS = [
    day(0, 2, 60), day(83, 1, 60), day(84, 9, 1), day(-1, 9, 1), day(1, 9, 1, settled=False),
]  # fmt: skip


def test_a_result_is_the_usual_work_of_gpu_lineages_that_are_long_enough() -> None:
    assert summed(GPU + TRN, DAYS) == {
        "gpu": ("baseline", 100, 5, 500, None, 2, 5, 15, 75),
        "trainium": ("recent", 40, 5, 200, None, 1, 8, 30, 150),
    }


def test_with_a_target_it_is_the_cap_on_gpu_and_on_trainium_what_reached_it() -> None:
    trn = [
        TRN[0] | {"reached": True, "cost": 60, "elapsed_hours": 30},
        lineage("trainium", "t2", 8, reached=False, cost=40, elapsed_hours=10),
    ]
    gpu = [each | {"reached": True} for each in GPU]
    assert summed(gpu + trn, DAYS) == {
        "gpu": ("baseline", 100, 7, 700, 3, 2, 5, 15, 105),
        "trainium": ("recent", 40, None, 100, 1, 1, 8, 30, 40),
    }
    none = summed(gpu + trn[1:], DAYS)["trainium"]
    assert none == ("recent", 40, None, None, 0, None, None, None, None)
    assert summed(GPU + trn, DAYS)["gpu"] == ("baseline", 100, 7, 700, None, 2, 5, 15, 105)


def test_a_window_in_which_days_are_missing_begins_earlier() -> None:
    """14 days lack allocations, so that a day of nine units is one of the 84 settled ones."""
    assert summed(GPU, DAYS, since=97)["trainium"][:2] == ("recent", Decimal("10.083333333"))


def test_without_work_in_the_recent_window_all_days_count() -> None:
    days = [day(0, 0, 60), day(84, 2, 60), day(200, 2, 80)]
    assert summed(GPU, days)["trainium"][:2] == ("all", 50)
    unknown = [day(0, 1, 60), day(1, 1, None)]
    assert "trainium" not in summed(GPU, unknown)


def test_a_side_of_which_neither_dollars_nor_hours_are_known_is_left_out() -> None:
    assert summed(GPU, [day(0, 0, 5)], value=None) == {
        "gpu": ("baseline", None, 5, None, None, 2, 5, 15, 75)
    }
    assert summed([GPU[2]], [], value=None) == {}


RUN = {"workload": "string", "run": "string"}
LINE = {"workload": "string", "lineage": "string"}
GIVEN = {
    "baselines": VALUES,
    "baseline_window": LINE | {
        "kind": "string", "candidate": "string", "since": "date", "work": NUMBER,
    },
    "credited_daily": LINE | {
        "kind": "string", "settled": "boolean", "standing": "string", "cost": NUMBER,
        "epochs": NUMBER,
    },
    "lineage_facts": LINE | {
        "ended": "boolean", "ended_on": "date", "target_loss": "float64", "cost": NUMBER,
    },
    "comparable": LINE | {
        "unit": "string", "least_work": NUMBER, "work_to_target": NUMBER, "work": NUMBER,
    },
    "work_daily": LINE | {"run": "string", "in_lineage": "boolean"},
    "run_hours": RUN | {"began": "timestamp", "stopped": "timestamp"},
    "workload_settled": SETTLED,
}  # fmt: skip


SINCE = {"settled_through": LAST, "recent_since": back(83)}


def told(name: str, ended: int | None, work: object, **more: object) -> dict[str, Any]:
    """A lineage that ended so many days ago, or (None) still runs."""
    facts = {
        "lineage": name,
        "run": name,
        "in_lineage": True,
        "ended": ended is not None,
        "ended_on": None if ended is None else back(ended),
        "work": work,
        "unit": "epoch",
    }
    return W | facts | more  # fmt: skip


def listed(*names: str, **given: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Columns by lineage; `told` are of every table that has a row a lineage."""
    of_each = dict.fromkeys(("lineage_facts", "comparable", "work_daily"), given["told"])
    tables = of_each | {"workload_settled": [W | SINCE]} | given
    made = applied(result_runs, *(table(GIVEN[name], *tables.get(name, [])) for name in GIVEN))
    return {found[0]: found[1:] for found in rows(made, "lineage", *names)}


def credited(name: str, cost: object, **more: object) -> dict[str, Any]:
    return W | {"lineage": name, "kind": "k", "settled": True, "standing": "counted",
                "cost": cost, "epochs": 2} | more  # fmt: skip


def test_on_trainium_count_lineages_that_ended_in_the_window_else_all_that_ended() -> None:
    lineages = [told("a", 0, 2), told("b", 83, 2), told("c", 84, 2), told("d", None, 2)]
    days = [
        credited("a", 10), credited("a", 20), credited("a", 40, settled=False),
        credited("a", 80, standing="not_comparable"), credited("b", 5), credited("c", 1),
        credited("d", 1), credited("old", 7, kind="other"), credited("older", None, kind="other"),
    ]  # fmt: skip
    lineages += [told("old", 84, 2), told("older", 300, 2)]
    assert listed("recipe", "hardware", "cost", "epochs", told=lineages, credited_daily=days) == {
        "a": ("k", "trainium", 30, 4),
        "b": ("k", "trainium", 5, 2),
        "old": ("other", "trainium", 7, 2),
        "older": ("other", "trainium", None, 2),
    }
    earlier = [W | SINCE | {"recent_since": back(84)}]
    given = {"told": lineages, "credited_daily": days, "workload_settled": earlier}
    assert [*listed("cost", **given)] == ["a", "b", "c", "old"]


def test_on_gpu_count_the_members_of_the_newest_window_of_the_last_settled_day() -> None:
    names = ("new", "too", "old", "later", "other", "several", "running")
    lineages = [told(name, None if name == "running" else 400, 2, cost=9) for name in names]
    member = {"kind": "k", "candidate": "p5", "since": back(1), "work": 3}
    window = [
        W | member | {"lineage": name} | more
        for name, more in (
            ("new", {}), ("too", {}), ("running", {}), ("old", {"since": back(2)}),
            ("later", {"since": back(-1)}), ("other", {"candidate": "p4d"}),
            ("several", {"kind": "", "candidate": "", "since": LAST}),
        )
    ]  # fmt: skip
    baselines = [
        W | {"recipe": "k", "date": LAST, "platform": "p5"},
        W | {"recipe": "k", "date": back(1), "platform": "p4d"},
        W | {"date": LAST},
    ]
    found = listed(
        "recipe", "hardware", "cost", "epochs",
        told=lineages, baselines=baselines, baseline_window=window,
    )  # fmt: skip
    assert found == {
        "new": ("k", "gpu", 9, 3),
        "too": ("k", "gpu", 9, 3),
        "several": (None, "gpu", 9, 3),
    }


def test_hours_a_unit_are_of_lineages_of_enough_work_and_known_length() -> None:
    """All worked from 10:00 to 20:00; a target is reached where the work until then is known."""
    aim = {"target_loss": 1.5}
    lineages = [
        told("enough", 1, 5, least_work=5),
        told("short", 1, 4, least_work=5),
        told("any", 1, 4),
        told("nothing", 1, 0),
        told("reached", 1, 5, work_to_target=3, **aim),
        told("missed", 1, 5, **aim),
        told("unaimed", 1, 5, work_to_target=3),
        told("unknown", 1, 5),
    ]
    ten, twenty = datetime(2026, 9, 1, 10), datetime(2026, 9, 1, 20)  # noqa: DTZ001 - UTC
    hours = [
        W | {"run": each["run"], "began": ten, "stopped": twenty}
        for each in lineages
        if each["run"] != "unknown"
    ]
    days = [credited(each["lineage"], 1) for each in lineages]
    found = listed(
        "long_enough", "hours_per_epoch", "reached",
        told=lineages, credited_daily=days, run_hours=hours,
    )  # fmt: skip
    assert found == {
        "enough": (True, 2, None),
        "short": (False, None, None),
        "any": (True, 2.5, None),
        "nothing": (False, None, None),
        "reached": (True, 2, True),
        "missed": (True, 2, False),
        "unaimed": (True, 2, None),
        "unknown": (True, None, None),
    }


def test_a_lineage_lasts_from_the_first_to_the_last_hour_of_its_own_runs() -> None:
    def at(hour: int) -> datetime:
        return datetime(2026, 9, 1, hour)  # noqa: DTZ001 - UTC

    lineages = [told("a", 1, 1), told("b", 1, 1)]
    members = [
        W | {"lineage": name, "run": run, "in_lineage": own}
        for name, run, own in (
            ("a", "a1", True), ("a", "a2", True), ("a", "a2", True), ("a", "port", False),
            ("b", "b1", True), ("b", "b2", True),
        )
    ]  # fmt: skip
    hours = [
        W | {"run": run, "began": at(began), "stopped": at(stopped)}
        for run, began, stopped in (("a1", 2, 4), ("a2", 9, 10), ("port", 0, 23), ("b1", 1, 2))
    ]
    days = [credited("a", 1), credited("b", 1)]
    found = listed(
        "elapsed_hours", told=lineages, work_daily=members, credited_daily=days, run_hours=hours
    )
    assert found == {"a": (8,), "b": (None,)}
