"""METHOD §3.5: what a lineage's final loss is, and when it has none."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.marts.work.parity.final_losses import final_losses
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
NAN, INF = float("nan"), float("inf")
Step = tuple[str, int | None, int, object]
RUN = {"workload": "string", "run": "string", "lineage": "string"}
MARK = {"rise": "decimal(38, 9)", "repeated": "decimal(38, 9)"}


def hour(number: float) -> datetime:
    return datetime.fromisoformat("2025-09-01") + timedelta(hours=number)


def final(
    losses: list[tuple[str, float, float]], *steps: Step, counter: str = "epoch"
) -> float | None:
    """Of one lineage: losses by run and hour; work by run, from an hour to another."""
    told = [("w", run, hour(at), loss) for run, at, loss in losses]
    runs = {"a"} | {run for run, *_ in (*losses, *steps)}
    done = [
        (
            "w", run, "a", counter, None if since is None else hour(since), hour(until),
            Decimal(str(rise)), Decimal(0),
        )
        for run, since, until, rise in steps
    ]  # fmt: skip
    moments = {"observed_at": "timestamp", "loss": "float64"}
    span = {"counter": "string", "since": "timestamp", "observed_at": "timestamp"}
    samples = ("w", "a", "a", "samples", hour(0), hour(90), Decimal(10**9), Decimal(0))
    made = applied(
        final_losses,
        table(RUN | {"in_lineage": "boolean"}, [("w", run, "a", True) for run in sorted(runs)]),
        table({"workload": "string", "run": "string"} | moments, told),
        table(RUN | span | MARK, [*done, samples]),
    )
    (row,) = made.to_pyarrow().to_pylist()
    found: float | None = row["final_loss"]
    return found


@pytest.mark.parametrize(
    ("losses", "found"),
    [
        ([9.0] * 39 + [2.0], 5.5),
        ([9.0] * 38 + [2.0], 2.0),  # a twentieth of 39 is one whole loss
        ([1.5] * 39 + [NAN], None),
        ([1.5] * 57 + [2.0, NAN, 1.0], 2.0),
        ([1.5] * 57 + [NAN, NAN, 1.0], None),
        ([NAN] * 19 + [1.0], 1.0),
    ],
)
def test_a_loss_that_is_no_number_is_the_worst_of_the_last_twentieth(
    losses: list[float], found: float | None
) -> None:
    told = [("a", float(at), loss) for at, loss in enumerate(losses)]
    assert final(told, ("a", 0, len(losses) - 1, 4)) == found


@pytest.mark.parametrize(("last", "known"), [(19, True), (18, True), (17.9, False)])
def test_an_epoch_that_is_told_at_once_was_done_since_the_one_before(
    last: float, known: bool
) -> None:
    """One in 20 hours, told at their end: 0.9 of it is done by the hour 18."""
    found = final([("a", 0, 9.0), ("a", last, 1.5)], ("a", None, 0, 0), ("a", 0, last, 0),
                  ("a", last, 20, 1))  # fmt: skip
    assert (found == 1.5) is known


def test_a_pause_is_no_work() -> None:
    """Half of ten epochs was done after the loss, be it after three weeks."""
    told = [("a", 0.0, 9.0), ("a", 10.0, 1.5)]
    begun = ("a", None, 0, 0), ("a", 0, 10, 5)
    assert final(told, *begun, ("a", 10, 500, 0), ("a", 500, 510, 5)) is None
    assert final(told, *begun, ("a", 10, 510, 5)) is None


@pytest.mark.parametrize(
    ("epochs", "after", "known"),
    [
        ("8", "0.8", True),
        ("8", "0.81", False),
        ("40", "4", True),
        ("40", "4.01", False),
        ("0.2", "0.02", True),
        ("0.2", "0.03", False),
    ],
)
def test_a_loss_before_nine_tenths_of_the_work_is_not_final(
    epochs: str, after: str, known: bool
) -> None:
    done = Decimal(epochs) - Decimal(after)
    found = final([("a", 5, 1.5)], ("a", 0, 5, done), ("a", 5, 9, after))
    assert found == (1.5 if known else None)


@pytest.mark.parametrize(("answered_at", "known"), [(7.2, True), (7, False)])
def test_what_rose_over_a_gap_rose_evenly(answered_at: float, known: bool) -> None:
    """4 epochs in 8 hours: 3.6 of them in the first 7.2."""
    steps = ("a", None, 0, 0), ("a", 0, 8, 4)
    assert final([("a", answered_at, 1.5)], *steps) == (1.5 if known else None)


def test_of_what_rose_after_a_loss_only_the_first_rise_began_before_it() -> None:
    """Of ten epochs in ten hours a half is after the loss, and all of what rose in the next."""
    steps = ("a", None, 0, 0), ("a", 0, 10, 10), ("a", 10, 11, "0.05")
    assert final([("a", 9.5, 1.5)], *steps) == 1.5


def test_a_first_sample_rose_at_its_own_moment() -> None:
    assert final([("a", 1, 1.5)], ("a", None, 2, 1)) is None
    assert final([("a", 2, 1.5)], ("a", None, 2, 1)) == 1.5


@pytest.mark.parametrize(("rise", "known"), [("0.5", False), ("0.4", True), (0, True)])
def test_a_loss_stands_for_a_tenth_of_the_work_of_runs_that_follow(
    rise: object, known: bool
) -> None:
    """4 epochs to a loss of 1.5, then what a run did that resumed there and reported no loss."""
    steps = ("a", 0, 5, 4), ("b", 6, 7, rise)
    assert final([("a", 5, 1.5)], *steps) == (1.5 if known else None)
    assert final([("a", 5, 1.5), ("b", 7, 3.0)], *steps) == 3.0


def test_without_epochs_the_end_is_that_of_the_tokens() -> None:
    """A loss at half of the time in which the tokens rose."""
    tokens = ("a", None, 0, 0), ("a", 0, 90, 10)
    assert final([("a", 81, 1.5)], *tokens, counter="tokens") == 1.5
    assert final([("a", 45, 1.5)], *tokens, counter="tokens") is None


def test_a_run_without_a_loss_before_one_that_has_is_none_of_the_end() -> None:
    steps = ("a", 0, 2, 4), ("b", 3, 5, 4), ("c", 6, 8, 4)
    assert final([("a", 2, 3.0), ("c", 8, 1.5)], *steps) == 1.5


LAST = {"nan": "NaN", "above": "inf", "below": "-inf", "huge": "1e30", "mute": "", "worse": 3.0}
"""What a Trainium run says of its loss at the end, by workload."""
AIMED = {"nan to target": "NaN", "below it": "-inf"}
"""The same of workloads with a target of 1.4, below what GPU reached."""
ALL = (*LAST, *AIMED, "gpu", "none")


def trained(world: World, workload: str, run: str, day: str, kind: str, *losses: object) -> None:
    """Ten hours for $100, 4 epochs; losses an hour apart, the last at the end."""
    world.hours(f"2025-{day}T00:00:00", 10, kind, 10, {"workload": workload, "run": run})
    for place, loss in enumerate(losses):
        at = 11 - len(losses) + place
        epoch = Decimal(4 * at) / 10
        world.sample(f"2025-{day}T{at:02}:00:00", run, epoch, workload=workload, loss=loss)
    world.sample(f"2025-{day}T00:00:00", run, 0, workload=workload)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """GPU runs of 4 epochs for $200; Trainium runs of 4 epochs for $100."""
    world = World(tmp_path_factory.mktemp("losses"))
    for workload in ALL:
        for run, day in (("g1", "05-02"), ("g2", "05-04")):
            losses = (9.0, "inf") if workload == "none" else (9.0, 1.5)
            trained(world, workload, run, day, P4D, *losses)
            world.hours(f"2025-{day}T00:00:00", 10, P4D, 10, {"workload": workload, "run": run})
    for workload, loss in (LAST | AIMED).items():
        ends = (9.0, 1.5, *[loss] * 5)
        trained(world, workload, "t", "09-02", TRN1, *ends)
    trained(world, "gpu", "g3", "05-06", P4D, 9.0, "nan")
    world.hours("2025-05-06T00:00:00", 10, P4D, 10, {"workload": "gpu", "run": "g3"})
    trained(world, "gpu", "t", "09-02", TRN1, 9.0, 1.5)
    trained(world, "gpu", "u", "09-04", TRN1, 9.0, 1.6)
    trained(world, "none", "t", "09-02", TRN1, 9.0, 1.5)
    trained(world, "none", "u", "09-04", TRN1, 9.0, "nan")
    world.charge("2025-10-30T00:00:00", 1)
    targets = [{"name": name, "target_loss": 1.4} for name in AIMED]
    return some_marts(
        world.pulled(baseline={"method": "measured"}, workloads=targets),
        "break_even",
        "loss_curve",
        "progress_daily",
        "runs",
    )


def runs(marts: Marts, workload: str, column: str) -> dict[str, Any]:
    sql = f"SELECT run, {column} AS found FROM runs WHERE workload = ? ORDER BY run"
    return {row["run"]: row["found"] for row in marts.rows(sql, workload)}


@pytest.mark.parametrize("workload", [*LAST])
def test_a_run_that_diverged_earns_no_saving(marts: Marts, workload: str) -> None:
    """As one that ends at 3.0 or falls silent at half: its $100 count, 4 × $50 do not."""
    assert runs(marts, workload, "parity")["t"] == "below_parity"
    told = 3.0 if workload == "worse" else None
    assert runs(marts, workload, "final_loss") == {"g1": 1.5, "g2": 1.5, "t": told}
    assert marts.standing(workload)["cumulative_gross_saving"] == -100


def test_a_gpu_run_that_diverged_sets_no_loss(marts: Marts) -> None:
    """The others' 1.5 holds, and its own cost counts: 600 ÷ 12 an epoch, once credited."""
    assert runs(marts, "gpu", "final_loss")["g3"] is None
    found = runs(marts, "gpu", "parity")
    assert (found["t"], found["u"]) == ("parity", "below_parity")
    assert marts.standing("gpu")["cumulative_gross_saving"] == 4 * 50 - 200


def test_where_no_gpu_run_has_a_final_loss_nothing_is_verified(marts: Marts) -> None:
    found = runs(marts, "none", "parity")
    assert (found["t"], found["u"]) == ("unverified", "unverified")
    standing = marts.standing("none")
    assert standing["cumulative_gross_saving"] == 200
    assert standing["flagged"] == {"unverified": Decimal(200)}


def test_no_target_is_reached_by_a_loss_that_is_no_number(marts: Marts) -> None:
    for workload in AIMED:
        assert runs(marts, workload, "parity")["t"] == "below_parity"
        assert runs(marts, workload, "cost_to_target_loss")["t"] is None


def test_a_loss_that_is_no_number_is_shown_nowhere(marts: Marts) -> None:
    sql = "SELECT workload, loss FROM {} WHERE run = 't' AND workload IN ('nan', 'below', 'huge')"
    drawn = marts.rows(sql.format("loss_curve") + " ORDER BY ALL")
    assert [row["loss"] for row in drawn] == [1.5, 9.0] * 3
    assert [row["loss"] for row in marts.rows(sql.format("progress_daily"))] == [1.5] * 3
