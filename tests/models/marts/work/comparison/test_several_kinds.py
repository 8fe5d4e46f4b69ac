"""METHOD §3.4 where one lineage did work of several kinds: it compares with nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
FULL, MILLION = {"recipe": "full"}, {"samples_per_epoch": 1_000_000}


def did(
    world: World, workload: str, run: str, day: str, *samples: tuple[object, dict[str, object]],
    hours: int = 10, kind: str = TRN1, **said: object,
) -> None:  # fmt: skip
    """Hours at $10 on GPU and $5 on Trainium, and samples spread over them."""
    rate = 10 if kind == P4D else 5
    begin = datetime.fromisoformat(f"2025-{day}T00:00:00")
    left, at = hours, begin
    while left > 0:
        tags = {"workload": workload, "run": run}
        world.hours(at.isoformat(), min(left, 24), kind, rate, tags)
        left, at = left - 24, at + timedelta(days=1)
    for place, (epoch, told) in enumerate(samples):
        moment = begin + timedelta(hours=hours) * place / (len(samples) - 1)
        world.sample(moment.isoformat(), run, epoch, workload=workload, loss=1.5, **told | said)


def company(world: World, workload: str, **said: object) -> None:
    """A GPU run at $100 an epoch, and a Trainium run of one epoch that saves $50."""
    did(world, workload, "g", "05-02", (0, {}), (2, {}), hours=20, kind=P4D, **said)
    did(world, workload, "t", "09-01", (0, {}), (1, {}), **said)


def two_runs(
    world: World, workload: str, first: dict[str, object], then: dict[str, object], end: int
) -> None:
    """`a` does one epoch, `b` goes on to `end`: $50 each."""
    did(world, workload, "a", "09-02", (0, first), (1, first))
    did(world, workload, "b", "09-03", (1, then), (end, then), resumed_from="a")


def lineages(world: World) -> None:
    qlora, twentieth = {"recipe": "qlora"}, {"samples_per_epoch": 50_000}
    for workload, said, then, end in (
        ("recipe", FULL, qlora, 21),
        ("size", MILLION, twentieth, 21),
        ("drift", MILLION, {"samples_per_epoch": 1_010_000}, 3),
        ("drifted", MILLION, {"samples_per_epoch": 1_010_001}, 3),
        ("follows", FULL | MILLION, {}, 3),
    ):
        company(world, workload, **said)
        two_runs(world, workload, said, then, end)
    for workload, said, before in (
        ("one recipe", FULL, qlora), ("one size", MILLION, twentieth), ("told", FULL, qlora),
    ):  # fmt: skip
        company(world, workload, **said)
        run = workload.replace(" ", "-")
        did(world, workload, run, "09-02", (0, before), (20, before), (21, said))


def by_tokens(world: World) -> None:
    """$200 for 4,000 tokens; on Trainium $100 for as many, in epochs of two sizes."""
    sizes = ({"samples_per_epoch": 100}, {"samples_per_epoch": 50})
    done = [(0, {"tokens": 0}), (2, {"tokens": 4000})]
    did(world, "tokens", "g", "05-02", *done, hours=20, kind=P4D, **sizes[0])
    did(world, "tokens", "a", "09-02", (0, {"tokens": 0}), (1, {"tokens": 2000}), **sizes[0])
    further = [(1, {"tokens": 2000}), (4, {"tokens": 4000})]
    did(world, "tokens", "b", "09-03", *further, resumed_from="a", **sizes[1])


def on_gpu(world: World) -> None:
    """A GPU run that goes on as something dearer, beside a whole one and alone."""
    company(world, "gpu", **FULL)
    for workload in ("gpu", "alone"):
        did(world, workload, "h", "05-03", (0, FULL), (1, FULL), kind=P4D)
        dear = {"recipe": "rl", "resumed_from": "h"}
        did(world, workload, "i", "05-06", (1, dear), (2, dear), hours=100, kind=P4D)
    did(world, "alone", "t", "09-01", (0, FULL), (1, FULL))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("kinds"))
    for case in (lineages, by_tokens, on_gpu):
        case(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(
        world.pulled(
            baseline={"method": "measured", "min_runs": 1},
            runs=[{"run": "told", "recipe": "full"}],
        ),
        "baselines",
        "runs",
        "break_even",
    )


def words(marts: Marts, workload: str) -> dict[str, str | None]:
    rows = marts.rows("SELECT run, comparability FROM runs WHERE workload = ?", workload)
    return {row["run"]: row["comparability"] for row in rows}


@pytest.mark.parametrize(
    ("workload", "why", "amount"),
    [
        ("recipe", "its runs differ in recipe", 21 * 100 - 100),
        ("size", "its runs differ in samples per epoch", 21 * 100 - 100),
        ("drifted", "its runs differ in samples per epoch", 3 * 100 - 100),
        ("one recipe", "its samples differ in recipe", 21 * 100 - 50),
        ("one size", "its samples differ in samples per epoch", 21 * 100 - 50),
    ],
)
def test_a_lineage_of_several_kinds_is_left_out_whole(
    marts: Marts, workload: str, why: str, amount: int
) -> None:
    """What compares with nothing earns nothing, and its dollars are named; `t` saves its $50."""
    found = words(marts, workload)
    assert (found.pop("g"), found.pop("t")) == ("comparable", "comparable")
    assert set(found.values()) == {why}
    standing = marts.standing(workload)
    assert standing["cumulative_gross_saving"] == 50
    assert standing["left_out"] == {"not_comparable": Decimal(amount)}


@pytest.mark.parametrize(
    ("workload", "saving"),
    [("drift", 50 + 200), ("follows", 50 + 200), ("told", 50 + 2050)],
)
def test_a_small_drift_or_a_silence_or_the_configs_word_keeps_a_lineage_whole(
    marts: Marts, workload: str, saving: int
) -> None:
    """1 % is the same size; who states nothing follows; `[[runs]]` overrides what samples say."""
    assert set(words(marts, workload).values()) == {"comparable"}
    standing = marts.standing(workload)
    assert (standing["cumulative_gross_saving"], standing["left_out"]) == (saving, None)


def test_epochs_of_several_sizes_compare_where_all_tell_tokens(marts: Marts) -> None:
    """4,000 tokens at 5 cents, less $100."""
    assert set(words(marts, "tokens").values()) == {"comparable"}
    assert marts.standing("tokens")["cumulative_gross_saving"] == 100


def test_a_gpu_lineage_of_several_kinds_sets_no_baseline(marts: Marts) -> None:
    """$200 for 2 epochs; with the other lineage's $1,100 for 2 an epoch cost $325."""
    assert words(marts, "gpu") == {
        "g": "comparable",
        "h": "its runs differ in recipe",
        "i": "its runs differ in recipe",
        "t": "comparable",
    }
    row = marts.row("SELECT measured, runs FROM baselines WHERE workload = 'gpu'"
                    " AND date = '2025-09-01'")  # fmt: skip
    assert row == {"measured": 100, "runs": 1}
    assert marts.standing("gpu")["cumulative_gross_saving"] == 50


def test_where_no_gpu_lineage_is_whole_nothing_compares(marts: Marts) -> None:
    assert words(marts, "alone")["t"] == "recipe differs"
    standing = marts.standing("alone")
    assert (standing["status"], standing["cumulative_net_saving"]) == ("not_comparable", None)
    assert standing["left_out"] == {"not_comparable": None}
