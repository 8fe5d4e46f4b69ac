"""Runs that only the bill or only progress knows: why, and what would make them one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest

from ingest.doctor import examine
from models.config.loading import validated_settings
from models.contract.schema import EXPLAINERS, PROGRESS
from models.marts.trust.unmatched_runs import unmatched_runs
from tests.support.marts.benchmarked_world import benchmark
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN = "trn1.32xlarge"
Row = dict[str, Any]


def told(world: World, run: str, day: str, workload: str = "atlas-7b") -> None:
    """One epoch that day."""
    for hour, epoch in (("06", 0), ("18", 1)):
        world.sample(f"{day}T{hour}:00:00", run, epoch, workload=workload)


def billed(world: World, day: str, **tags: str) -> None:
    """Ten hours that day: $160."""
    world.hours(f"{day}T00:00:00", 10, TRN, 16, {"workload": "atlas-7b"} | tags)


def without_number(world: World) -> None:
    """A benchmark of one sample beside one of eleven, steps of unknown size, no times."""
    world.sample("", "timeless", 2)
    world.sample("", "charged", 2)
    billed(world, "2025-09-12", run="charged")
    benchmark(world, "bench", "b1", TRN, samples=1)
    benchmark(world, "bench", "b2", TRN, samples=11)
    world.sample("2025-09-12T00:00:00", "steps", "", step=500)
    billed(world, "2025-09-12", run="steps")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("unmatched"))
    billed(world, "2025-09-01", run="both")
    told(world, "both", "2025-09-01")
    for day in ("2025-09-02", "2025-09-03"):
        billed(world, day, run="ATLAS_T1")
    told(world, "atlas-t1", "2025-09-02")
    for day, run in (("1", "Both"), ("1", "x/both"), ("2", "team-a/t2")):
        billed(world, f"2025-09-0{day}", run=run)  # of both some hours, spelt otherwise
    told(world, "t2", "2025-09-02")
    for run, day in (("v1", "2025-09-05"), ("v2", "2025-09-04")):
        billed(world, day, workload="Vision", run=run)
        told(world, run, day, "vision")
    for day in ("2025-09-05", "2025-09-06"):
        billed(world, day, run=f"twin/{day[-1]}")
        billed(world, day, run="a/x9")
        told(world, "x9", day)
        told(world, "X9", day)
    billed(world, "2025-09-07", run="bt3")  # t3 is no word of it
    told(world, "t3", "2025-09-07")
    billed(world, "2025-09-07", run='odd"4')
    told(world, 'ODD"4', "2025-09-07")
    billed(world, "2025-09-08", run="z5")
    told(world, "Z5", "2025-06-08")  # three months apart
    billed(world, "2025-09-09")
    told(world, "forgotten", "2025-09-09")
    told(world, "newest", "2025-10-30")
    told(world, "oldest", "2025-03-01")
    billed(world, "2025-09-10", workload="bert", run="shared")
    billed(world, "2025-09-10", workload="cobra", run="shared")
    told(world, "Shared", "2025-09-10", "bert")
    tags = {"workload": "atlas-7b", "run": "stored"}
    world.charge("2025-09-10T00:00:00", "3", x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    without_number(world)
    return world.build()


@pytest.fixture(scope="module")
def rows(marts: Marts) -> dict[tuple[str, str], Row]:
    every = marts.rows("SELECT * FROM unmatched_runs ORDER BY ALL")
    return {(row["seen_in"], row["run"]): row for row in every}


def test_each_has_its_cause(rows: dict[tuple[str, str], Row]) -> None:
    causes = {f"{where} {run}": row["cause"] for (where, run), row in rows.items()}
    assert causes == {
        "bill ATLAS_T1": "name_differs",
        "bill team-a/t2": "name_differs",
        "bill Both": "name_differs",
        "bill x/both": "never_reported",
        "bill v1": "name_differs",
        "bill v2": "name_differs",
        "bill twin/5": "never_reported",
        "bill twin/6": "never_reported",
        "bill a/x9": "several_alike",
        "bill bt3": "never_reported",
        'bill odd"4': "name_differs",
        "bill z5": "never_reported",
        "bill shared": "never_reported",
        "bill stored": "no_accelerator_hours",
        "progress atlas-t1": "name_differs",
        "progress t2": "name_differs",
        "progress v1": "name_differs",
        "progress v2": "name_differs",
        "progress x9": "several_alike",
        "progress X9": "several_alike",
        "progress t3": "no_charge",
        'progress ODD"4': "name_differs",
        "progress Z5": "before_the_bill",
        "progress forgotten": "run_tag_missing",
        "progress newest": "not_billed_yet",
        "progress oldest": "before_the_bill",
        "progress Shared": "name_differs",
        "progress b1": "benchmark_without_number",
        "progress steps": "steps_without_size",
        "progress timeless": "samples_without_time",
    }


def test_a_row_says_what_is_at_stake(rows: dict[tuple[str, str], Row]) -> None:
    row = rows["bill", "ATLAS_T1"]
    assert (row["first_day"].isoformat(), row["last_day"].isoformat()) == (
        "2025-09-02",
        "2025-09-03",
    )
    assert (row["cost"], row["accelerator_hours"]) == (Decimal(320), Decimal(320))
    assert (row["counterpart_workload"], row["counterpart_run"]) == ("atlas-7b", "atlas-t1")
    other = rows["progress", "atlas-t1"]
    assert (other["cost"], other["epochs"], other["counterpart_run"]) == (None, 1, "ATLAS_T1")


def test_doctor_shows_the_rules_and_applies_none(marts: Marts) -> None:
    found = [one for one in examine(marts.settings) if one.check == "runs"]
    proposed = [one for one in found if one.remedy.startswith("paste into breakeven.toml:\n")]
    assert [one.about for one in proposed] == [
        "2 runs of Vision",
        "ATLAS_T1 of atlas-7b",
        "Both of atlas-7b",
        "team-a/t2 of atlas-7b",
    ]
    called = "progress calls it atlas-t1 of atlas-7b"
    theirs = "progress calls their workload vision"
    assert proposed[0].found == f"{theirs}: they have a cost but no epochs"
    assert proposed[1].found == f"{called}: it has a cost but no epochs"
    others = {one.about: one.found for one in found if one not in proposed}
    assert others["atlas-7b, 5 runs on the bill"].startswith(
        "bt3, twin/5, twin/6, x/both, z5: $800."
    )
    assert others["bench, 1 run in progress"] == (
        "b1: not usable as a benchmark (the steady part, after the first tenth of its reported "
        "time, has 1 sample and needs 2: report more often, or run it longer)"
    )
    assert others["atlas-7b, 1 run in progress"] == (
        "steps: training steps, and nothing says how much one is"
    )
    assert {one.state for one in found} == {"warning"}


def test_what_is_proposed_can_be_pasted_and_makes_them_one(
    marts: Marts, rows: dict[tuple[str, str], Row]
) -> None:
    rules = {row["tag_rule"]: None for row in rows.values() if row["tag_rule"]}
    assert rows["bill", "v1"]["tag_rule"] == (
        '[[tag_rules]]\nmatch = { "workload" = "Vision" }\nworkload = "vision"\nfrom = 2025-09-04\n'
    )
    assert rows["bill", "a/x9"]["tag_rule"] is None
    assert rows["bill", 'odd"4']["tag_rule"] is None
    assert rows["progress", "Shared"]["tag_rule"] is None
    assert len(rules) == 4
    table = tomllib.loads("".join(rules))
    assert [rule["run"] for rule in table["tag_rules"] if "run" in rule] == [
        "atlas-t1",
        "both",
        "t2",
    ]
    sources = [one.model_dump(exclude_defaults=True) for one in marts.settings.sources]
    config = {"as_of": marts.settings.as_of, "sources": sources, **table}
    again = some_marts(
        validated_settings(config, home=marts.settings.home), "unmatched_runs", "runs"
    )
    left = {row["run"] for row in again.rows("SELECT run FROM unmatched_runs")}
    assert left.isdisjoint({"ATLAS_T1", "atlas-t1", "team-a/t2", "t2", "v1", "v2", "Both"})
    assert len(left) == len({run for _, run in rows}) - 7
    paid = again.rows("SELECT cost FROM runs WHERE run = 'both'")
    assert paid == [{"cost": Decimal(320)}]


NUMBER = pa.decimal128(38, 9)
NAMED = [("date", pa.date32()), ("workload", pa.string()), ("run", pa.string())]
BILL = pa.schema([*NAMED, ("accelerator_hours", NUMBER), ("effective_cost", NUMBER)])
REPORTED = pa.schema([*NAMED, ("epochs", NUMBER)])
DIFFERING = pa.schema(
    [
        *NAMED[1:], ("first_day", pa.date32()), ("last_day", pa.date32()), ("detail", pa.string())
    ]
)  # fmt: skip


def found(bill: Iterable[tuple[Any, ...]], progress: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Of rows whose date is a day of September."""
    known = [
        ibis.memtable(pa.table(list(map(list, zip(*rows, strict=True))), schema=schema))
        for rows, schema in (
            ([(date(2025, 9, day), *rest) for day, *rest in bill], BILL),
            ([(date(2025, 9, day), *rest) for day, *rest in progress], REPORTED),
        )
    ]
    none = ibis.memtable(pa.table([[]] * 5, schema=DIFFERING))
    unmeasured, unsampled = table(EXPLAINERS["benchmark_runs"], []), table(PROGRESS, [])
    settings = validated_settings({"as_of": "2025-10-31"}, home=Path())
    made = applied(unmatched_runs, *known, none, unmeasured, unsampled, unsampled, settings)
    rows: list[Row] = made.to_pyarrow().to_pylist()
    return rows


def causes(rows: Iterable[Row]) -> list[str]:
    """As many as there are rows."""
    return sorted(f"{row['run']} {row['cause']}" for row in rows)


def test_runs_are_one_where_their_days_meet_or_touch() -> None:
    bill = [(12, "w", "Near-1", 1, 9), (13, "w", "Near-2", 1, 9), (12, "w", "Far-1", 1, 9),
            (14, "w", "Far-2", 1, 9), (1, "w", "first", 1, 9)]  # fmt: skip
    told = [(13, "w", "near-1", 1), (12, "w", "near-2", 1), (14, "w", "far-1", 1),
            (12, "w", "far-2", 1), (30, "w", "last", 1)]  # fmt: skip
    assert causes(found(bill, told)) == [
        "Far-1 never_reported",
        "Far-2 never_reported",
        "Near-1 name_differs",
        "Near-2 name_differs",
        "far-1 no_charge",
        "far-2 no_charge",
        "first never_reported",
        "last not_billed_yet",
        "near-1 name_differs",
        "near-2 name_differs",
    ]


def test_a_tag_is_missing_on_hours_of_the_runs_own_days() -> None:
    """Not on hours of 0, nor on what is no hours at all, nor on another workload's."""
    bare = [(10, "w", None, hours, 9) for hours in (Decimal("0.5"), Decimal("0.25"))]
    bare += [(21, "w", None, 1, 9), (22, "w", None, 1, 9), (15, "w", None, 0, 9)]
    bare += [(16, "w", None, None, 9), (1, "w", "m", 1, 9), (29, "w", "m", 1, 9)]
    told = [(10, "w", "from", 1), (11, "w", "from", 1), (9, "w", "to", 1), (10, "w", "to", 1)]
    told += [(11, "w", "off", 1), (15, "w", "zero", 1), (16, "w", "disk", 1), (21, "w", "twice", 1)]
    told += [(22, "w", "twice", 1), (10, "v", "other", 1), (1, "w", "m", 1)]
    assert causes(found(bare, told)) == [
        "disk no_charge",
        "from run_tag_missing",
        "off no_charge",
        "other no_charge",
        "to run_tag_missing",
        "twice run_tag_missing",
        "zero no_charge",
    ]


def test_what_is_newer_than_the_other_side_may_yet_come() -> None:
    bill = [(10, "w", "a", 1, 9), (12, "w", "b", 1, 9), (14, "w", "c", 1, 9)]
    told = [(10, "w", "x", 1), (9, "w", "y", 1), (12, "w", "z", 1)]
    assert causes(found(bill, told)) == [
        "a never_reported",
        "b never_reported",
        "c not_reported_yet",
        "x no_charge",
        "y before_the_bill",
        "z no_charge",
    ]
    assert causes(found(bill[:2], told)[2:]) == ["x no_charge", "y before_the_bill", "z no_charge"]


def test_a_rule_names_both_where_both_differ() -> None:
    bill = [(12, "Audio", "A_9", 3, 9), (13, "Audio", "A_9", 4, None), (14, "w", "b/1", 1, 9)]
    bill += [(15, "w", "7", 1, 9), (16, "w", "p/5", 1, 9), (16, "w", "q/5", 1, 9)]
    told = [(12, "audio", "a-9", 1), (13, "audio", "a-9", 2), (14, "w", "1", 1)]
    told += [(15, "w", "team-b/7", 1), (16, "w", "5", 1)]
    rows = {row["run"]: row for row in found(bill, told)}
    assert (
        rows["a-9"]["tag_rule"]
        == rows["A_9"]["tag_rule"]
        == (
            '[[tag_rules]]\nmatch = { "run" = "A_9" }\nrun = "a-9"\nworkload = "audio"\n'
            "from = 2025-09-12\n"
        )
    )
    assert (rows["A_9"]["cost"], rows["A_9"]["accelerator_hours"]) == (None, 7)
    assert (rows["a-9"]["epochs"], rows["a-9"]["counterpart_workload"]) == (3, "Audio")
    assert rows["b/1"]["tag_rule"] == (
        '[[tag_rules]]\nmatch = { "run" = "b/1" }\nrun = "1"\nfrom = 2025-09-14\n'
    )
    assert rows["7"]["counterpart_run"] == "team-b/7"
    for run in ("p/5", "q/5", "5"):
        assert (rows[run]["cause"], rows[run]["tag_rule"]) == ("several_alike", None)


def test_a_workloads_rule_begins_with_the_first_of_its_own_runs() -> None:
    bill = [(12, "Audio", "a1", 3, 9), (16, "Audio", "a2", 3, 9), (14, "Text", "t1", 1, 9)]
    told = [(12, "audio", "a1", 1), (16, "audio", "a2", 1), (14, "text", "t1", 1)]
    rows = {row["workload"]: row["tag_rule"] for row in found(bill, told)}
    for billed, name, day in (("Audio", "audio", 12), ("Text", "text", 14)):
        assert rows[billed] == rows[name]
        assert rows[name] == (
            f'[[tag_rules]]\nmatch = {{ "workload" = "{billed}" }}\n'
            f'workload = "{name}"\nfrom = 2025-09-{day}\n'
        )
