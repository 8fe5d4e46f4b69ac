"""METHOD §3 to §5 in odd company: what a run is, what it compares with, what it may claim."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, P5, TRN1 = "p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge"
BACK = {"ChargeClass": "Correction", "ResourceId": "i-1"}
FREE = {"ListCost": 0, "ContractedCost": 0}
TARGETS = ("midway", "end", "first", "reach", "jump")
Sample = tuple[str, object]


def ran(
    world: World,
    workload: str | None,
    run: str | None,
    day: str,
    kind: object = TRN1,
    hours: object = 10,
    rate: object = 10,
    purpose: object = None,
    team: object = None,
    **columns: object,
) -> None:
    """Ten hours at $10, unless said otherwise."""
    tags = {"workload": workload, "run": run, "purpose": purpose, "team": team}
    told = {name: str(value) for name, value in tags.items() if value is not None}
    world.hours(f"2025-{day}T00:00:00", hours, str(kind), rate, told, **columns)


def logged(world: World, workload: str, run: str, *samples: Sample, **columns: object) -> None:
    for at, epoch in samples:
        world.sample(f"2025-{at}:00:00", run, epoch, workload=workload, **columns)


def did(
    world: World,
    workload: str,
    run: str,
    day: str,
    epochs: object,
    kind: object = TRN1,
    tokens: object = None,
    size: object = None,
    **said: object,
) -> None:
    """A day of ten hours, and what was reported: samples an epoch, and tokens in all."""
    ran(world, workload, run, day, kind)
    for at, epoch, told in ((f"{day}T00", 0, 0), (f"{day}T10", epochs, tokens)):
        columns = {"samples_per_epoch": size, "tokens": tokens and told} | said
        logged(world, workload, run, (at, epoch), **columns)


def purposes(world: World) -> None:
    """Tags that say what a run was for, on a part of its hours."""
    for run, *told in (
        ("few", ("", 10), (" Port ", 1)),
        ("blank", ("  ", 10)),
        ("most", ("validation", 3), ("port", 5)),
        ("tie", ("validation", 3), ("port", 3)),
    ):
        for purpose, hours in told:
            ran(world, "tagged", run, "09-02", hours=hours, purpose=purpose or None)
    ran(world, "tagged", "most", "09-03", hours=3, purpose="validation")
    blue = {"workload": "tagged", "run": "back", "team": "blue"}
    world.charge("2025-09-02T00:00:00", 1, x_UsageType="EBS:VolumeUsage.gp3", tags=blue)
    ran(world, "tagged", "back", "09-02")
    ran(world, "tagged", "back", "09-02", hours=-5, team="amber", **BACK)


def names(world: World) -> None:
    """Hours without a workload tag, and a name that two workloads use."""
    for workload, run in (("one", "same"), ("two", "same"), ("one", "lone"), ("one", "moved"),
                          ("one", "told")):  # fmt: skip
        logged(world, workload, run, ("09-02T00", 0), ("09-02T10", 1))
    for run in ("same", "lone", "moved", "told"):
        ran(world, None, run, "09-02")
    for run, at in (("ahead", "11-02T00"), ("behind", "09-02T00")):
        ran(world, "clock", run, "09-02")
        logged(world, "clock", run, (at, 0))


def company(world: World) -> None:
    """One GPU run beside Trainium runs of every kind; all epochs are alike, in tokens too."""
    alike = {"size": 1000, "tokens": 20}
    did(world, "equal", "g", "05-02", 2, kind=P4D, **alike)
    did(world, "equal", "t", "09-02", 2, **alike)
    did(world, "equal", "port", "09-03", 2, purpose="port", **alike)
    did(world, "equal", "base", "09-04", 2, purpose="baseline", **alike)
    logged(world, "equal", "ghost", ("09-05T00", 0), ("09-05T10", 2), samples_per_epoch=1000)
    ran(world, "equal", "blink", "09-06", hours="0.05")
    logged(
        world, "equal", "blink", ("09-06T00", 0), ("09-06T01", 1), samples_per_epoch=1000, tokens=0
    )
    ran(world, "equal", "dear", "09-07", rate=0, **FREE)
    logged(world, "equal", "dear", ("09-07T00", 0), ("09-07T10", 2), samples_per_epoch=1000)
    did(world, "moved on", "t", "09-02", 2, **alike)


def tokens(world: World) -> None:
    """Epochs of two sizes: counted in tokens, where all report them."""
    did(world, "single", "g", "05-02", 2, kind=P4D, size=10, tokens=4 * 10**9)
    did(world, "single", "t", "09-02", 2, size=20, tokens=2 * 10**9)
    ran(world, "single", "mute", "05-02", P4D)
    logged(world, "single", "mute", ("05-02T00", 0), samples_per_epoch=10, tokens=0)
    did(world, "unset", "g", "05-02", 2, kind=P4D, size=10, tokens=4000)
    did(world, "unset", "t", "09-02", 2, tokens=4000)
    did(world, "either", "g", "05-02", 2, kind=P4D, size=10, tokens=4000)
    logged(world, "either", "g", ("05-02T05", 1), samples_per_epoch=10)
    did(world, "either", "t", "09-02", 2, size=10, tokens=4000)
    did(world, "either", "u", "09-03", "0.5", size=20, tokens=1000)
    for run, size in (("g", 10), ("h", 20)):
        did(world, "sizes", run, "05-02", size // 5, kind=P4D, size=10 * size, tokens=40)
    did(world, "sizes", "t", "09-02", 2, size=200, tokens=40)
    did(world, "hushed", "g", "05-02", 2, kind=P4D, size=10, tokens=4000)
    did(world, "hushed", "t", "09-02", 2, size=20, tokens=4000)
    ran(world, "hushed", "child", "09-03")


def recipes(world: World) -> None:
    """Which kind of GPU work is the reference, where Trainium did two or none."""
    did(world, "begun", "a", "05-02", 1, kind=P4D, recipe="a")
    did(world, "begun", "b", "05-02", 5, kind=P4D, recipe="b")
    did(world, "begun", "t", "09-02", 0, recipe="a")
    for run, recipe, epochs in (("t1", "full", 1), ("t2", "full", 1), ("t3", "lora", "1.5")):
        did(world, "twice", run, "09-02", epochs, recipe=recipe)
    for recipe, epochs in (("full", 1), ("lora", 2)):
        did(world, "twice", f"g-{recipe}", "05-02", epochs, kind=P4D, recipe=recipe)
    did(world, "twice", "odd", "09-03", 1, recipe="odd")
    ran(world, "twice", "heir", "09-04")


def losses(world: World) -> None:
    """Baselines of no loss, of a negative one, and one that worsens on the day of the verdict."""
    for workload, gpu, *others in (("null", 0.0, 0.0, 0.5), ("likely", -1.0, -0.995, -0.98)):
        did(world, workload, "g", "05-02", 2, kind=P4D, loss=gpu)
        for place, loss in enumerate(others):
            did(world, workload, f"t{place}", "09-02", 2, loss=loss)
    did(world, "joined", "g", "05-02", 2, kind=P4D, loss=1.5)
    did(world, "joined", "h", "09-02", 2, kind=P4D, loss=1.7)
    did(world, "joined", "t", "09-02", 2, loss=1.61)


def targets(world: World) -> None:
    """The target is reached on the second of three days, on the last, and after a port run."""
    for workload, reached in (("midway", "09-03T06"), ("end", "09-04T03")):
        for day in ("09-02", "09-03", "09-04"):
            ran(world, workload, "r", day)
        logged(world, workload, "r", ("09-02T00", 0), ("09-04T00", 2), loss=3.0)
        logged(world, workload, "r", (reached, 2), loss=1.0)
        logged(world, workload, "r", ("09-04T12", 3), loss=1.0)
    ran(world, "first", "r", "09-02")
    logged(world, "first", "r", ("09-02T06", 0), loss=3.0)
    logged(world, "first", "r", ("09-02T09", 1), ("09-02T18", 2), loss=1.0)
    disk = {"workload": "first", "run": "r"}
    for day in ("01", "05"):
        world.charge(f"2025-09-{day}", 1, x_UsageType="EBS:VolumeUsage.gp3", tags=disk)
    did(world, "jump", "a", "05-02", 3, kind=P4D, loss=3.0)
    ran(world, "jump", "b", "05-03", P4D)
    further = {"resumed_from": "a", "start_epoch": 5, "loss": 1.0}
    logged(world, "jump", "b", ("05-03T10", 6), **further)
    did(world, "jump", "t", "09-02", 10, loss=1.0)
    world.samples[-2]["loss"] = 3.0
    did(world, "reach", "p", "09-01", 2, purpose="port", loss=3.0)
    did(world, "reach", "q", "09-02", 3, resumed_from="p", loss=1.0)
    world.samples[-2]["loss"] = 3.0
    did(world, "reach", "a", "09-05", 4, resumed_from="q", loss=1.0)


def costs(world: World) -> None:
    """Days that repeat, idle or have not settled; hours without a price; two kinds of GPU."""
    for day in ("09-01", "09-02", "09-03", "10-30"):
        ran(world, "idle", "r", day)
    logged(world, "idle", "r", ("09-01T00", 0), ("09-01T10", 3), ("09-02T00", 1), ("09-02T10", 2))
    ran(world, "blind", "r", "09-02")
    for day in ("09-03", "10-30"):
        ran(world, "blind", "r", day, rate=0, **FREE)
    disk = {"workload": "blind", "run": "r"}
    world.charge("2025-09-02T00:00:00", 4, x_UsageType="EBS:VolumeUsage.gp3", tags=disk)
    for kind, hours, *days in ((P5, 6, "05-02", "05-03"), (P4D, 10, "05-02")):
        for day in days:
            ran(world, "kinds", "r", day, kind, hours=hours)
    ran(world, "kinds", "s", "09-02")
    told = {"workload": "kinds", "run": "s"}  # no hours are told of it
    world.charge("2025-09-02T00:00:00", 1, x_UsageType=f"BoxUsage:{P4D}", tags=told)
    did(world, "undone", "r", "09-02", 1)
    ran(world, "undone", "r", "09-03", hours=-10, **BACK)
    did(world, "wired", "r", "09-02", 1)
    wire = {"x_UsageType": "USE1-DataTransfer-Regional-Bytes", "tags": {"workload": "wired"}}
    world.charge("2025-09-25T00:00:00", 7, **wire)


def moves(world: World) -> None:
    """A lineage that goes on on Trainium on the same day; boxes before, between and after."""
    did(world, "cut", "g", "05-02", 2, kind=P4D)
    did(world, "cut", "a", "08-01", 2, kind=P4D)
    ran(world, "cut", "b", "08-01")
    logged(world, "cut", "b", ("08-01T10", 2), ("08-01T20", 4), resumed_from="a")
    did(world, "late", "g", "05-02", 2, kind=P4D)
    did(world, "late", "a", "08-01", 2, kind=P4D)
    for day, begin, end in (("09-02", 2, 3), ("09-04", 3, 4)):
        ran(world, "late", "b", day)
        logged(world, "late", "b", (f"{day}T00", begin), (f"{day}T10", end), resumed_from="a")
    disk = {"workload": "late", "run": "b"}
    world.charge("2025-08-20T00:00:00", 1, x_UsageType="EBS:VolumeUsage.gp3", tags=disk)
    for day, rate in (("08-25", 30), ("09-03", 7)):
        ran(world, "late", None, day, hours=1, rate=rate)
    did(world, "fresh", "g", "05-02", 2, kind=P4D)
    did(world, "fresh", "t", "10-30", 2)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("lineages"))
    for trouble in (purposes, names, company, tokens, recipes, losses, targets, costs, moves):
        trouble(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(
        world.pulled(
            tags={"extra": ["purpose", "recipe", "team"]},
            baseline={"method": "measured", "min_runs": 1},
            workloads=[{"name": name, "target_loss": 1.2} for name in TARGETS],
            runs=[
                {"run": "same", "workload": "one", "recipe": "lora"},
                {"run": "moved", "workload": "two"},
                {"run": "told", "recipe": "full"},
                {"run": "child", "workload": "hushed", "resumed_from": "t"},
                {"run": "heir", "resumed_from": "odd"},
            ],
        ),
        "baseline_runs",
        "baselines",
        "break_even",
        "cost_per_epoch",
        "monthly_summary",
        "runs",
        "savings_daily",
    )


def of(marts: Marts, workload: str, *columns: str) -> dict[str, Any]:
    """Of each run what stands in the columns; of one column that alone."""
    rows = marts.rows("SELECT * FROM runs WHERE workload = ?", workload)
    return {row["run"]: tuple(row[c] for c in columns) if columns[1:] else row[columns[0]]
            for row in rows}  # fmt: skip


def test_a_tag_says_what_a_run_was_for_in_any_case_on_any_part_of_its_hours(marts: Marts) -> None:
    assert of(marts, "tagged", "purpose") == {
        "few": "port",
        "blank": "production",
        "most": "validation",
        "tie": "port",
        "back": "production",
    }


def test_a_tag_on_hours_that_were_only_taken_back_is_worth_less_than_one_on_a_disk(
    marts: Marts,
) -> None:
    assert of(marts, "tagged", "tag_team")["back"] == "blue"


def test_hours_that_name_a_run_alone_are_of_the_workload_that_has_it(marts: Marts) -> None:
    """The config's word first; a name of two workloads says nothing."""
    assert of(marts, "one", "cost") == {"same": 100, "lone": 100, "moved": None, "told": 100}
    assert of(marts, "two", "cost") == {"same": None, "moved": 100}
    assert of(marts, "one", "recipe")["same"] == "lora"
    assert of(marts, "two", "recipe")["same"] is None


def test_a_run_that_only_has_samples_of_days_to_come_is_named(marts: Marts) -> None:
    assert of(marts, "clock", "flags") == {
        "ahead": ["no_progress", "future_samples"],
        "behind": [],
    }


def test_each_run_compares_or_is_left_out_by_its_own_facts(marts: Marts) -> None:
    found = of(marts, "equal", "comparability", "parity", "flags")
    assert found == {
        "g": ("comparable", None, []),
        "t": ("comparable", "unverified", []),
        "port": (None, None, []),
        "base": ("comparable", "unverified", []),
        "ghost": (None, None, ["no_accelerator_hours", "cost_unknown"]),
        "blink": ("comparable", "unverified", []),
        "dear": (None, None, ["cost_unknown"]),
    }
    alone = {"t": ("no GPU run to compare with", [])}
    assert of(marts, "moved on", "comparability", "flags") == alone
    assert of(marts, "equal", "ended_at")["port"].date() == date(2025, 9, 3)


def test_a_gpu_run_that_failed_did_no_token(marts: Marts) -> None:
    """$200 for 4 billion tokens, and $100 for none."""
    rows = marts.rows(
        "SELECT lineage, qualifies, epochs FROM baseline_runs WHERE workload = 'single'"
        " AND month = '2025-09' ORDER BY lineage"
    )
    assert [tuple(row.values()) for row in rows] == [("g", True, 4), ("mute", False, 0)]
    day = "WHERE workload = 'single' AND date = '2025-09-10'"
    row = marts.row(f"SELECT unit, measured, reason FROM baselines {day}")
    assert row == {
        "unit": "billion_tokens",
        "measured": 50,
        "reason": "measured $50.00: what a billion tokens cost (1 GPU run)",
    }


def test_a_run_that_its_kinds_unit_does_not_tell_is_left_out(marts: Marts) -> None:
    """Most GPU cost is of one size; where sizes differ, tokens or samples tell all."""
    assert set(of(marts, "unset", "comparability").values()) == {"comparable"}
    assert of(marts, "either", "comparability") == {
        "g": "comparable",
        "t": "comparable",
        "u": "comparable",
    }
    assert of(marts, "either", "unit")["t"] == "billion_tokens"
    assert of(marts, "sizes", "comparability") == {
        "g": "samples per epoch differ",
        "h": "comparable",
        "t": "comparable",
    }
    assert set(of(marts, "hushed", "comparability").values()) == {"comparable"}


def test_each_recipe_is_held_against_gpu_runs_of_its_own(marts: Marts) -> None:
    differs, same = "recipe differs", "comparable"
    assert of(marts, "begun", "comparability") == {"a": same, "b": same, "t": same}
    assert of(marts, "twice", "comparability") == {
        "t1": same, "t2": same, "t3": same, "g-full": same, "g-lora": same, "odd": differs,
        "heir": differs,
    }  # fmt: skip
    assert of(marts, "twice", "credited_epochs")["t1"] == 1
    kinds = "SELECT DISTINCT workload, recipe, main FROM baselines WHERE workload = ?"
    assert {(row["recipe"], row["main"]) for row in marts.rows(kinds, "twice")} == {
        ("full", True), ("lora", False), ("odd", False),
    }  # fmt: skip
    assert {(row["recipe"], row["main"]) for row in marts.rows(kinds, "begun")} == {
        ("a", True), ("b", False),
    }  # fmt: skip


def test_a_loss_is_judged_on_either_side_of_nothing(marts: Marts) -> None:
    for workload in ("null", "likely"):
        found = of(marts, workload, "parity")
        assert found == {"g": None, "t0": "parity", "t1": "below_parity"}


def test_a_verdict_counts_the_gpu_runs_that_ended_on_its_day(marts: Marts) -> None:
    """1.61 against 1.5 and 1.7: at most 1.616."""
    assert of(marts, "joined", "parity")["t"] == "parity"


@pytest.mark.parametrize(("workload", "cost"), [("midway", 125), ("end", 225), ("first", 51)])
def test_a_days_cost_accrues_evenly_until_the_target(
    marts: Marts, workload: str, cost: int
) -> None:
    """A quarter of the second day; a quarter of the last, until noon; nine of a day's 18 hours."""
    assert of(marts, workload, "cost_to_target_loss") == {"r": cost}


def test_epochs_that_a_start_leaves_out_are_none_to_the_target(marts: Marts) -> None:
    """3 and, after a declared start at 5, one more: the Trainium run's ten epochs earn four."""
    assert of(marts, "jump", "epochs", "credited_epochs") == {
        "a": (3, 0),
        "b": (1, 0),
        "t": (10, 4),
    }


def test_a_port_run_is_no_part_of_what_the_target_cost(marts: Marts) -> None:
    assert of(marts, "reach", "cost_to_target_loss") == {
        "p": None,
        "q": Decimal("41.666666667"),  # ten hours of a day
        "a": None,
    }


def test_a_day_that_only_repeats_is_not_idle(marts: Marts) -> None:
    names = ("cost", "unsettled", "idle_cost", "epochs", "repeated_epochs", "repeated_cost")
    assert of(marts, "idle", *names) == {"r": (300, 100, 100, 3, 1, 50)}


def test_a_part_of_the_cost_is_unknown_with_one_of_its_hours(marts: Marts) -> None:
    parts = ("accelerator_cost", "storage_cost", "network_cost", "other_cost", "cost")
    assert of(marts, "blind", *parts) == {"r": (None, 4, 0, 0, None)}
    others = ("list_cost", "idle_cost", "unsettled", "repeated_cost")
    assert of(marts, "blind", *others) == {"r": (None, None, None, 0)}


def test_the_platform_is_that_of_most_accelerator_hours_in_all(marts: Marts) -> None:
    assert of(marts, "kinds", "platform", "flags") == {
        "r": ("p5", ["mixed_hardware", "no_progress"]),
        "s": ("trn1", ["no_progress"]),
    }


def test_hours_that_were_all_taken_back_are_none(marts: Marts) -> None:
    found = of(marts, "undone", "cost", "cost_per_epoch", "flags")
    assert found == {"r": (0, None, ["no_accelerator_hours"])}


def test_a_shared_charge_does_not_keep_a_run_alive(marts: Marts) -> None:
    found = of(marts, "wired", "ended_at", "cost", "network_cost")["r"]
    assert (found[0].date(), *found[1:]) == (date(2025, 9, 2), 107, 7)


def test_epochs_that_a_lineage_did_on_gpu_that_day_earn_nothing(marts: Marts) -> None:
    assert of(marts, "cut", "credited_epochs") == {"g": 0, "a": 0, "b": 2}


def test_boxes_are_overhead_from_the_first_day_on_trainium(marts: Marts) -> None:
    days = "SELECT date, overhead FROM savings_daily WHERE workload = 'late' AND overhead <> 0"
    assert marts.rows(days) == [{"date": date(2025, 9, 3), "overhead": Decimal(7)}]
    assert set(of(marts, "late", "cost")) == {"g", "a", "b"}


def test_a_first_day_that_has_not_settled_is_no_cutover(marts: Marts) -> None:
    assert marts.standing("fresh")["status"] == "not_started"
    months = "SELECT comparability FROM monthly_summary WHERE workload = 'fresh'"
    assert {row["comparability"] for row in marts.rows(months)} == {None}
    assert of(marts, "fresh", "credited_epochs") == {"g": 0, "t": 0}
