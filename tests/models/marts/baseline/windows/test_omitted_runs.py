"""METHOD §5: GPU runs whose epochs nobody knows stand in no baseline, and `reason` says so.

Each case is a workload of its own: METHOD §8 A beside such runs, unless said otherwise.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.contract.rules.work.lineage_qualifies import PARTLY_REPORTED, SILENT
from models.marts.baseline.windows.ended_runs import ended_runs
from tests.conftest import migrated
from tests.support.marts.hand_written_tables import rows, table
from tests.support.properties.drawn import Run, Workload, at, line
from tests.support.properties.memory import Memory
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
BEHIND = "repriced $175.88 is below measured $262.50 (2 GPU runs)"
GROSS = Decimal("1138.125")
ELSEWHERE, SAID, RESUMED = "a checkpoint from elsewhere", "said where it began", "resumed"
BESIDE_A = (
    "silent", "unsized", "failed", "moved", "window", "recipe", "late", "ahead", ELSEWHERE, SAID,
    RESUMED, "hours", "stopped", "cheap", "side by side", "chained", "parent",
)  # fmt: skip


def ran(world: World, workload: str, run: str, day: str, hours: int, *samples: tuple[int, object],
        kind: str = P4D, **said: object) -> None:  # fmt: skip
    """A run from midnight on: its hours at $25, and the epochs that it told after some hours."""
    start = datetime.fromisoformat(f"{day}T00:00:00")
    for begin in range(0, hours, 24):
        at = start + timedelta(hours=begin)
        tags = {"workload": workload, "run": run}
        world.hours(at.isoformat(), min(24, hours - begin), kind, 25, tags)
    for after, epoch in samples:
        at = start + timedelta(hours=after)
        world.sample(at.isoformat(), run, epoch, workload=workload, **{"loss": 1.5} | said)


def silent(world: World) -> None:
    """Runs that told no epoch, one that told no more than its start, and one on Trainium."""
    told = ((0, None), (10, None))
    for number in range(10):
        ran(world, "silent", f"old{number}", f"2025-03-{10 + number}", 10)
        ran(world, "unsized", f"old{number}", f"2025-03-{10 + number}", 10, *told, samples=500)
    ran(world, "failed", "g3", "2025-05-10", 10, (0, 0))
    ran(world, "moved", "t4", "2025-09-25", 10, kind=TRN1)
    ran(world, "window", "old", "2024-05-06", 24)
    ran(world, "window", "new", "2025-09-03", 24)
    ran(world, "recipe", "g3", "2025-05-20", 10)
    for sample in world.samples:
        if sample["workload"] == "recipe":
            sample["recipe"] = "full"


def without_example_a(world: World) -> None:
    """Of `few` g4 still runs, and may report."""
    for run, day in (("g1", "2024-03-01"), ("g2", "2024-05-01")):
        ran(world, "long ago", run, day, 10, (0, 0), (10, 1))
        ran(world, "long ago", f"beside-{run}", day, 10)
    ran(world, "long ago", "between", "2024-04-01", 10)
    ran(world, "long ago", "before", "2023-04-01", 10)
    for run, day in (("g1", "2025-05-01"), ("g2", "2025-05-09")):
        ran(world, "few", run, day, 100, (80, 8), (100, 10))
    ran(world, "few", "g3", "2025-05-20", 10)
    ran(world, "few", "g4", "2025-10-26", 10)
    for workload in ("long ago", "few"):
        world.run("t1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload=workload)


def late(world: World) -> None:
    """A third GPU run on 20 May, whose first sample says that it is far."""
    ran(world, "late", "g3", "2025-05-20", 100, (95, 9), (100, 10))
    empty = ((0, ""), (48, ""))
    ran(world, "ahead", "g3", "2025-05-20", 100, *empty, (95, 9), (100, 10), tokens=5)
    for sample in world.samples:
        if sample["epoch"] == "":
            sample["samples"] = 7
    for workload, first, said in (
        (ELSEWHERE, 5, {}),
        (SAID, 95, {"start_epoch": 9}),
        (RESUMED, 95, {"resumed_from": "p"}),
    ):
        ran(world, workload, "p", "2025-05-18", 10, (0, 0), (10, 9), purpose="port")
        ran(world, workload, "g3", "2025-05-20", 100, (first, 9), (100, 10), **said)
    for place, (hours, samples) in enumerate((
        (20, ((18, 9), (20, 10))),
        (20, ((19, "9.5"), (20, 10))),
        (47, ((46, 9), (47, 10))),
        (100, ((6, 2), (100, 10))),
    )):  # fmt: skip
        ran(world, "hours", f"g{3 + place}", "2025-05-20", hours, *samples)
    ran(world, "stopped", "g3", "2025-05-20", 20, (18, 9), (19, "9.9"), (40, 10))
    ran(world, "cheap", "g3", "2025-05-20", 20, (0, 5), (10, 10))
    for hours, samples in ((100, ()), (100, ()), (0, ((1, 9), (99, 10)))):
        ran(world, "side by side", "g3", "2025-05-20", hours, *samples)
    ran(world, "parent", "p", "2025-05-18", 48)
    ran(world, "parent", "g3", "2025-05-20", 10, (0, 5), (10, 6), resumed_from="p")


def chained(world: World) -> None:
    """`-` told nothing, `a` and `b` did."""
    for name, order, hours, start in (
        ("after", "ab-", 50, None),
        ("sameday", "a-", 12, None),
        ("start", "-ab", 50, 5),
        ("short", "ab-", 2, None),  # a twentieth of the lineage's hours at most
        ("between", "a-b", 50, None),  # where the next one stood, it had got to
        ("before", "-ab", 50, None),  # the next one began at 0
        ("zero", "-ab", 50, 0),  # and this one said so
    ):
        _chain(world, name, order, hours, start)


def _chain(world: World, lineage: str, order: str, hours: int, start: int | None) -> None:
    """Runs that resume each other, five days apart, or on one day."""
    one_day = lineage == "sameday"
    told, parent = 12 if one_day else 25, {}
    for place, name in enumerate(order):
        run, done = f"{lineage}-{name}", (start or 0) + (name == "b")
        day = f"2025-05-{10 if one_day else 10 + 5 * place}"
        if name == "-":
            world.config.setdefault("runs", []).append({"run": run, **parent})
            ran(world, "chained", run, day, hours)
        else:
            said = parent | ({"start_epoch": start} if name == "a" else {})
            ran(world, "chained", run, day, told, (0, done), (told, done + 1), **said)
        parent = {"resumed_from": run}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("omissions"))
    for workload in BESIDE_A:
        migrated(world, workload)
    for case in (silent, without_example_a, late, chained):
        case(world)
    return some_marts(world.pulled(), "baselines", "runs", "break_even")


def on(marts: Marts, workload: str, day: str = "2025-09-02") -> dict[str, Any]:
    return marts.row(
        "SELECT measured, runs, flags, reason FROM baselines WHERE workload = ? AND date = ?",
        workload, day,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("workload", "left"),
    [
        # with the $2,500 of ten such runs an epoch had cost $387.50
        ("silent", "10 GPU runs that never reported ($2500.00) are"),
        ("unsized", "10 GPU runs whose work is not counted in epochs ($2500.00) are"),
        # it never said its recipe either
        ("recipe", "1 GPU run that never reported ($250.00) is"),
        # $2,500 for the one epoch that was seen of ten: 7,750 ÷ 21 is $369.05
        ("late", "1 GPU run whose reporting began late ($2500.00) is"),
        # its first samples count no epoch, only what cannot be one
        ("ahead", "1 GPU run whose reporting began late ($2500.00) is"),
        # on the same day; half an epoch is not one that failed; on the next day; of 100 hours six
        ("hours", "4 GPU runs whose reporting began late ($4675.00) are"),
        # of 20 hours the last two, and what came the next day
        ("stopped", "1 GPU run whose reporting began late ($500.00) is"),
        # whatever the parent did is in nobody's epochs, and its dollars are in the lineage's
        ("parent", "1 GPU run whose reporting began late ($1450.00) is"),
    ],
)
def test_a_gpu_run_whose_epochs_nobody_knows_sets_no_price_and_is_named(
    marts: Marts, workload: str, left: str
) -> None:
    assert on(marts, workload) == {
        "measured": Decimal("262.5"),
        "runs": 2,
        "flags": [],
        "reason": f"{BEHIND}; {left} left out",
    }
    assert marts.standing(workload)["cumulative_gross_saving"] == GROSS


@pytest.mark.parametrize(
    ("workload", "measured", "runs"),
    [
        ("failed", "275", 2),  # no more than its start: (5,250 + 250) ÷ 20
        # its hours are those of its epochs: (5,250 + 2,500) ÷ (20 + 1), from 9 to 10
        (ELSEWHERE, "369.047619048", 3),
        (SAID, "369.047619048", 3),
        (RESUMED, "369.047619048", 3),
        # two machines or half the hours, nobody knows: (5,250 + 500) ÷ (20 + 5) claims less
        ("cheap", "230", 3),
        # 100 hours of 2 machines leave no more unseen than one: (5,250 + 5,000) ÷ 21
        ("side by side", "488.095238095", 3),
    ],
)
def test_a_gpu_run_whose_epochs_are_known_stays(
    marts: Marts, workload: str, measured: str, runs: int
) -> None:
    found = on(marts, workload)
    assert (found["measured"], found["runs"]) == (Decimal(measured), runs)
    assert "left out" not in found["reason"]


def test_a_trainium_run_that_never_reported_costs_what_it_costs(marts: Marts) -> None:
    assert marts.standing("moved")["cumulative_gross_saving"] == GROSS - 250


def test_only_what_ended_in_the_window_is_named(marts: Marts) -> None:
    """The first ended 365 days before g1, and g2 came ten days later; the other after them."""
    left = "; 1 GPU run that never reported ($600.00) is left out"
    assert left not in on(marts, "window", "2025-05-16")["reason"]
    assert on(marts, "window", "2025-09-02")["reason"] == BEHIND
    assert on(marts, "window", "2025-09-03")["reason"] == BEHIND + left


def test_what_ended_among_the_runs_that_stand_in_for_a_window_is_named(marts: Marts) -> None:
    """Of the spring of 2024, from the first's last day to the last's; not of the year before."""
    assert on(marts, "long ago") == {
        "measured": 250,
        "runs": 2,
        "flags": ["stale"],
        "reason": "repriced $167.50 is below measured $250.00 (2 GPU runs)"
        "; stale: the newest ended longer ago than the window"
        "; 3 GPU runs that never reported ($750.00) are left out",
    }


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A tracker's: $480 for 10 epochs on GPU, half on Trainium; g2 and t1 report a loss alone."""
    charges, samples = [line(at(12, 31), Decimal(1))], []
    runs = [
        Run(name, P4D if gpu else TRN1, at(5 if gpu else 9, 1 + 5 * int(name[1])),
            (Decimal(10 if gpu else 5),) * 2, Decimal(5), 1.5, recipe="full")
        for name in ("g0", "g1", "t0", "g2", "t1") for gpu in [name[0] == "g"]
    ]  # fmt: skip
    work = Workload("loss", tuple(runs), (), ())
    nothing = {"epoch": None, "recipe": None, "loss": 5}
    charges += work.charges()
    for row in work.samples():
        samples.append(row | (nothing if row["run"].endswith(("g2", "t1")) else {}))
    memory = Memory(tmp_path_factory.mktemp("tracked"), baseline={"method": "measured"})
    memory.derive(charges, samples)
    return memory


def test_a_loss_is_no_progress(tracked: Memory) -> None:
    """Nobody said how far the others got: no failure, and on Trainium it costs what it costs,
    though it does not say its recipe.
    """
    of = "workload = 'loss'"
    day = tracked.row(
        f"SELECT runs, measured, reason FROM baselines WHERE {of} AND date = '2025-09-01'"
    )
    assert (day["runs"], day["measured"]) == (2, 48)
    assert day["reason"].endswith("; 1 GPU run that reported no progress ($480.00) is left out")
    standing = tracked.row(f"SELECT * FROM break_even WHERE {of}")
    assert standing["cumulative_gross_saving"] == 10 * 48 - 240 - 240
    idle = f"{of} AND list_contains(flags, 'no_progress') ORDER BY run"
    odd = [row["run"] for row in tracked.rows(f"SELECT run FROM runs WHERE {idle}")]
    assert odd == ["loss/g2", "loss/t1"]


def test_a_lineage_of_which_a_run_never_reported_sets_no_price(marts: Marts) -> None:
    """Its dollars stand in the lineage, and nobody's epochs."""
    found = on(marts, "chained")
    left = "; 3 GPU runs with a part that never reported ($5600.00) are left out"
    assert (found["runs"], found["reason"].endswith(left)) == (2 + 4, True)


def test_where_too_few_remain_the_baseline_says_what_it_lacks(marts: Marts) -> None:
    told = (
        "insufficient baseline: fewer than 2 qualifying GPU runs have ended"
        "; 1 GPU run that never reported ($250.00) is left out"
        "; 2 GPU runs whose reporting began late ($5000.00) are left out"
    )
    assert on(marts, "few") == {"measured": None, "runs": 0, "flags": [], "reason": told}
    standing = marts.standing("few")
    assert (standing["status"], standing["cumulative_net_saving"], standing["reason"]) == (
        "insufficient_baseline", None, told,
    )  # fmt: skip


YES = ("on_gpu", "ended", "reports", "reports_progress")
NO = ("reported_late", "partly_reported")
AMOUNTS = ("work", "cost")
LINES = {"workload": "string", "lineage": "string"}
FACTS = {
    **LINES,
    **dict.fromkeys((*YES, *NO), "boolean"),
    "cost": "decimal(38, 9)",
    "ended_on": "date",
    "ended_at": "timestamp",
}
UNITS = {
    **LINES,
    **dict.fromkeys(("kind", "unit", "comparability"), "string"),
    **dict.fromkeys(("not_countable", "qualifies"), "boolean"),
    **dict.fromkeys(("work", "least_work"), "decimal(38, 9)"),
}


def test_half_told_work_stays_only_where_it_cost_less_than_the_others_of_its_kind() -> None:
    """$10 an epoch of kind 0, $1 of kind 1; of kind 2 nine tenths of an epoch cost $9."""
    half, late = {"partly_reported": True}, {"reported_late": True}
    other = {"comparability": "recipe"}
    told = {
        "a": ("0", 10, 100, {}),
        "b": ("0", "0.8", 99, {}),
        "cheap": ("0", 10, 50, half),
        "cheap, late": ("0", 10, 50, late),
        "alike": ("0", 10, 100, half),
        "little": ("0", "0.5", 1, half),
        "silent": ("0", 0, 1, {"reports": False, "reports_progress": False}),
        "unlike": ("0", 10, 1, other),
        "going on": ("0", 10, 1, {"ended": False}),
        "mixed": ("0", 10, 1, {"on_gpu": False}),
        "c": ("1", 10, 10, {}),
        "dear": ("1", 10, 50, half),
        "d": ("2", "0.9", 9, {}),
        "half": ("2", 1, 8, half),
        "alone": ("3", 1, 8, half),
    }
    lines = [
        {"workload": "w", "lineage": name, "kind": kind, "comparability": "comparable"}
        | dict.fromkeys(YES, True)
        | dict.fromkeys(NO, False)
        | dict(zip(AMOUNTS, (Decimal(n) for n in (epochs, cost)), strict=True))
        | {
            "least_work": Decimal("0.9"),
            "qualifies": Decimal(epochs) >= Decimal("0.9") and not said,
        }
        | {"unit": "epoch", "not_countable": False}
        | said
        for name, (kind, epochs, cost, said) in told.items()
    ]
    found = ended_runs(table(FACTS, *lines), table(UNITS, *lines))
    assert rows(found, "lineage", "kind", "qualifies", "omitted") == [
        ("a", "0", True, None),
        ("alike", "0", False, PARTLY_REPORTED),
        ("alone", "3", False, PARTLY_REPORTED),
        ("b", "0", False, None),
        ("c", "1", True, None),
        ("cheap", "0", True, None),
        ("cheap, late", "0", True, None),
        ("d", "2", True, None),
        ("dear", "1", False, PARTLY_REPORTED),
        ("half", "2", True, None),
        ("little", "0", False, None),
        ("silent", "0", False, SILENT),
    ]
