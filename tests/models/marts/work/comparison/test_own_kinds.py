"""METHOD §3.4: which kinds of GPU work a workload's Trainium work is held against.

One company, with a workload for each case: `full` costs $100 an epoch on GPU and $50 on Trainium.
"""

from __future__ import annotations

from functools import partial

import pytest

from tests.support.marts.kinds_of_work import P4D, TRN1, did
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World


def switched(world: World, workload: str, run: str, **said: object) -> None:
    """Halfway, a run of the first days of September or May says that it is something else."""
    at = "2025-05-11T05:00:00" if run == "q" else "2025-09-11T05:00:00"
    world.sample(at, run, 0.5, workload=workload, **said)


def full(world: World, workload: str, *, sized: int | None = None) -> partial[None]:
    """`full` at $100 an epoch on GPU, one of which saves $50 on Trainium; a way to add `qlora`."""
    does = partial(did, world, workload=workload, recipe="full", samples_per_epoch=sized)
    does("g", "05-01", 10, 1, P4D)
    does("t", "09-01", 10, 1)
    return partial(did, world, workload=workload, recipe="qlora")


def alone_on_gpu(world: World) -> None:
    """`qlora` at $10 on GPU; no Trainium lineage did that, and nothing else."""
    full(world, "unused")("q", "05-11", 10, 10, P4D)
    for workload, said, then in (
        ("recipe", {}, {"recipe": "rl"}),
        ("size", {"samples_per_epoch": 1_000_000}, {"samples_per_epoch": 500_000}),
    ):
        qlora = full(world, workload)
        qlora("q", "05-11", 10, 10, P4D, **said)
        qlora("m", "09-11", 10, 5, **said)
        switched(world, workload, "m", **{"recipe": "qlora"} | said | then)


def alone_on_trainium(world: World) -> None:
    """`qlora` on Trainium, and no GPU lineage of it on which a baseline may stand."""
    for workload, day, epochs in (("short", "05-11", 0.8), ("running", "10-26", 0.95)):
        qlora = full(world, workload)
        qlora("q", day, 10, epochs, P4D)
        qlora("u", "09-11", 10, 1)
    near = partial(did, world, workload="near", recipe="full")
    near("g", "05-01", 10, 1, P4D, samples_per_epoch=1_000_000)
    near("h", "05-11", 10, 1, P4D, samples_per_epoch=1_009_000)
    near("t", "09-01", 20, 2, samples_per_epoch=992_000)
    near("u", "09-11", 10, 1, samples_per_epoch=1_015_000)


def three_kinds(world: World) -> None:
    sized = {"samples_per_epoch": 1_000_000}
    qlora = full(world, "third")
    qlora("q", "05-11", 10, 10, P4D, **sized)
    qlora("u", "09-11", 10, 0.5, **sized)
    qlora("w", "09-12", 10, 0.5, **sized | {"recipe": "rl"})
    qlora("x", "09-13", 10, 0.5, samples_per_epoch=500_000)
    qlora = full(world, "between")
    did(world, "t2", "09-02", 10, 1, workload="between", recipe="full")
    for run, day in (("q1", "05-11"), ("q2", "05-12")):
        qlora(run, day, 10, 2, P4D, **sized)
    qlora("q3", "05-13", 3, 3, P4D, samples_per_epoch=1_015_000)
    qlora("u", "09-11", 10, 1.5, samples_per_epoch=1_007_500)


def drifting(world: World) -> None:
    """$10, $100, $100 and $500 an epoch on GPU, whose size grows by less than 1 % each time."""
    for workload, tagged in (("drift", True), ("drift without t2", False)):
        does = partial(did, world, workload=workload)
        for run, size, hours, epochs in (
            ("g1", 1000, 10, 10), ("g2", 1008, 100, 10), ("g3", 1016, 100, 10),
            ("g4", 1024, 500, 10),
        ):  # fmt: skip
            does(run, f"0{run[1]}-01", hours, epochs, P4D, samples_per_epoch=size)
        does("t1", "09-01", 100, 10, samples_per_epoch=1016)
        does("t2", "09-11", 100, 10, samples_per_epoch=1000, tagged=tagged)


def nothing_alike(world: World) -> None:
    """The only GPU lineage is of two recipes, or of a size that Trainium does not tell."""
    did(world, "q", "05-11", 10, 1, P4D, workload="apart", recipe="full")
    switched(world, "apart", "q", recipe="rl")
    did(world, "t", "09-01", 10, 1, workload="apart", recipe="dpo")
    did(world, "g", "05-01", 10, 1, P4D, workload="untold", samples_per_epoch=1_000_000)
    did(world, "t", "09-01", 10, 1, workload="untold")


def by_tokens(world: World) -> None:
    """`qlora` at $100 for 1,000 tokens on GPU; on Trainium $500 for 10,000, in larger epochs."""
    full(world, "tokens")
    for run, day, hours, epochs, size, kind in (
        ("q", "05-11", 10, 1, 1000, P4D), ("u", "09-11", 100, 5, 2000, TRN1),
    ):  # fmt: skip
        did(world, run, day, hours, epochs, kind, workload="tokens", recipe="qlora")
        for sample in world.samples[-2:]:
            sample |= {"samples_per_epoch": size, "tokens": sample["epoch"] * size}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("many"))
    for case in (
        alone_on_gpu,
        alone_on_trainium,
        three_kinds,
        drifting,
        nothing_alike,
        by_tokens,
    ):
        case(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(
        world.pulled(baseline={"method": "measured", "min_runs": 1}),
        "baselines",
        "runs",
        "break_even",
    )


def words(marts: Marts, workload: str) -> dict[str, str | None]:
    rows = marts.rows("SELECT run, comparability FROM runs WHERE workload = ?", workload)
    return {row["run"]: row["comparability"] for row in rows}


def main_kind(marts: Marts, workload: str) -> tuple[object, object]:
    day = "WHERE date = '2025-10-01' AND workload = ?"
    row = marts.row(f"SELECT value, flags FROM baselines {day}", workload)
    return row["value"], row["flags"]


@pytest.mark.parametrize("workload", ["unused", "recipe", "size"])
def test_a_kind_that_no_whole_trainium_lineage_did_is_none(many: Marts, workload: str) -> None:
    """Whatever another workload's did; the five epochs of two things make nothing the main kind."""
    found = words(many, workload)
    differs = "samples per epoch differ" if workload == "size" else "recipe differs"
    assert (found["t"], found["q"]) == ("comparable", differs)
    assert main_kind(many, workload) == (100, [])


@pytest.mark.parametrize("workload", ["short", "running", "near"])
def test_a_kind_without_a_gpu_run_of_its_own_is_left_out(many: Marts, workload: str) -> None:
    """In `near` both GPU runs are the main kind's: 1 % beyond the second there is no baseline."""
    differs = "samples per epoch differ" if workload == "near" else "recipe differs"
    assert words(many, workload)["u"] == differs
    saving = 100 if workload == "near" else 50
    standing = many.standing(workload)
    assert (standing["cumulative_gross_saving"], standing["left_out"]) == (
        saving, {"not_comparable": 50},
    )  # fmt: skip


def test_a_further_kind_is_of_one_recipe_and_size(many: Marts) -> None:
    """$50 of `full`, 0.5 × $10 − $50 of `u`; `w` shares but its size, `x` but its recipe."""
    found = words(many, "third")
    assert (found["u"], found["w"], found["x"]) == (
        "comparable", "recipe differs", "samples per epoch differ",
    )  # fmt: skip
    assert many.standing("third")["cumulative_gross_saving"] == 50 + 5 - 50


def test_between_two_sizes_the_one_of_most_epochs_counts(many: Marts) -> None:
    """Two runs of two epochs at $50 before one of three at $10; two of `full` before `u`'s 1.5."""
    assert main_kind(many, "between") == (100, ["several_kinds"])
    assert many.standing("between")["cumulative_gross_saving"] == 100 + 75 - 50


def test_no_other_runs_tag_decides_what_a_run_compares_with(many: Marts) -> None:
    """Both are within 1 % of the size that most GPU epochs are near: three runs' $2,100 for 30.

    Without its tag the $500 of `t2` are overhead, and `t1` earns the same.
    """
    assert many.standing("drift")["cumulative_net_saving"] == 20 * 70 - 1000
    assert many.standing("drift without t2")["cumulative_net_saving"] == 10 * 70 - 1000


def test_where_only_two_things_at_once_ran_on_gpu_the_recipe_differs(many: Marts) -> None:
    assert words(many, "apart") == {"q": "its samples differ in recipe", "t": "recipe differs"}
    assert many.standing("apart")["status"] == "not_comparable"


def test_a_size_that_trainium_does_not_tell_is_not_the_gpus(many: Marts) -> None:
    assert words(many, "untold") == {"g": "comparable", "t": "samples per epoch differ"}


def test_work_that_tokens_compare_makes_the_main_kind(many: Marts) -> None:
    """10,000 tokens at 10 cents less $500, and what `full` saves."""
    assert many.standing("tokens")["cumulative_gross_saving"] == 500 + 50
    assert main_kind(many, "tokens") == (200, ["per_token", "several_kinds"])
