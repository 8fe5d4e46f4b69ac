"""METHOD §3.4 to §3.6 and §4: what a run may claim, and what it cost.

Each case is METHOD §8 A once more, as a workload of its own, and what differs.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
GROSS = Decimal("1138.125")
LOSSES = (1.5, 1.2, 1.515, 1.52)
CASES = (
    "median", "twice", *(f"at {loss}" for loss in LOSSES), "spread", "mute", "resumed",
    "pending", "no loss", "qlora", "alive", "sized", "capped", "to target", "idle", "ghost", "told",
)  # fmt: skip


def one(marts: Marts, workload: str, run: str) -> dict[str, Any]:
    return marts.row("SELECT * FROM runs WHERE workload = ? AND run = ?", workload, run)


def each(marts: Marts, workload: str, column: str, *runs: str) -> list[Any]:
    return [one(marts, workload, run)[column] for run in runs]


def samples(world: World, workload: str, *runs: str) -> list[dict[str, Any]]:
    """Of some runs, or of all."""
    of_it = [sample for sample in world.samples if sample["workload"] == workload]
    return [sample for sample in of_it if not runs or sample["run"] in runs]


def sampled(world: World, workload: str, *runs: str, **columns: object) -> None:
    for sample in samples(world, workload, *runs):
        sample.update(columns)


def with_loss(world: World, workload: str, run: str, *losses: float) -> None:
    """Replaces a run's losses: one sample a minute from its end on."""
    sampled(world, workload, run, loss="")
    last = samples(world, workload, run)[-1]
    end = datetime.fromisoformat(str(last["observed_at"]))
    for number, loss in enumerate(losses):
        at = end + timedelta(minutes=number)
        world.sample(at.isoformat(), run, last["epoch"], workload=workload, loss=loss)


def ran(world: World, workload: str, run: str, day: str, hours: int, epochs: int,
        **said: object) -> None:  # fmt: skip
    """One more Trainium run, at $16 an hour."""
    world.run(run, TRN1, f"2025-{day}", hours, 16, epochs, workload=workload, **said)


def losses(world: World) -> None:
    """The spread: on GPU 1.5 and 1.7, so at most 1.616 is in parity."""
    with_loss(world, "median", "t1", *[9.0] * 48, 2.0, 1.0)
    with_loss(world, "median", "t2", *[9.0] * 18, 1.0)
    with_loss(world, "median", "t3", 9.0, float("nan"))
    with_loss(world, "twice", "t1", *[9.0] * 38, 2.0, 1.0)
    world.samples += [world.samples[-1]] * 20
    for loss in LOSSES:
        sampled(world, f"at {loss}", "t3", loss=loss)
    for run, loss in (("g2", 1.7), ("t1", 1.616), ("t2", 1.69)):
        sampled(world, "spread", run, loss=loss)
    sampled(world, "mute", "t3", loss="")
    sampled(world, "no loss", loss="")
    sampled(world, "resumed", "t3", loss=2.0)
    ran(world, "resumed", "t4", "09-20", 10, 8, resumed_from="t3")
    ran(world, "pending", "t4", "10-26", 25, 4)


def kinds(world: World) -> None:
    """`lora` is of three runs alone; in `sized` t4 is of no size: unset equals only unset."""
    sampled(world, "qlora", "t3", recipe="qlora")
    for run, kind, day, rate, epochs, recipe in (
        ("g1", P4D, "05-02", 25, 10, "full"),
        ("g2", P4D, "05-12", 25, 1, "lora"),
        ("t1", TRN1, "09-02", 16, "0.5", "lora"),
    ):
        said = {"workload": "lora", "recipe": recipe}
        world.run(run, kind, f"2025-{day}T00:00:00", 10, rate, epochs, **said)
    sampled(world, "sized", samples_per_epoch=1_000_000)
    for run, size in (("t1", 1_010_000), ("t2", 990_000), ("t3", 1_010_001)):
        sampled(world, "sized", run, samples_per_epoch=size)
    ran(world, "sized", "t4", "09-25", 10, 1)
    for sample, tokens in zip(samples(world, "mute", "t1"), (0, 8_000_000_000), strict=True):
        sample["tokens"] = tokens
    sampled(world, "told", "t3", recipe="qlora", purpose="production")


def targets(world: World) -> None:
    """On GPU 1.48 is reached in 4 and 5 epochs; u1 to u3 do 2, 2 and 3 of 7; 1.2 is not."""
    for sample in samples(world, "capped"):
        sample["loss"] = 3.0 if sample["epoch"] == 0 else 1.4
    for run, day, epoch in (("g1", "02", 4), ("g2", "12", 5)):
        world.sample(f"2025-05-{day}T12:00:00", run, epoch, workload="capped", loss=1.48)
    for run, parent, hour, epoch in (("u1", None, 1, 2), ("u2", "u1", 2, 4), ("u3", "u2", 3, 7)):
        world.hours("2025-09-25T00:00:00", 1, TRN1, 16, {"workload": "capped", "run": run})
        said = {"workload": "capped", "loss": 1.4, "resumed_from": parent, "start_epoch": 0}
        world.sample(f"2025-09-25T0{hour}:00:00", run, epoch, **said)
    ran(world, "to target", "t4", "10-28", 25, 4, loss=3.0)
    ran(world, "to target", "t5", "09-25T12:00:00", 10, 4, loss=1.1)
    next(s for s in samples(world, "to target", "t5") if s["epoch"] == 0)["loss"] = 3.0
    for run, at, epoch, loss in (
        ("t4", "10-29T06", 4, 1.0), ("t5", "09-25T17", 2, 1.2), ("t6", "09-27T03", 1, 1.0),
    ):  # fmt: skip
        world.sample(f"2025-{at}:00:00", run, epoch, workload="to target", loss=loss)
    for at, epoch, loss in (("00", 0, 3.0), ("05", 2, 1.0)):
        world.sample(f"2025-09-28T{at}:00:00", "t7", epoch, workload="to target", loss=loss)
    for run, day in (("t4", "2025-10-29"), ("t6", "2025-09-27")):
        world.hours(day, 5, TRN1, 16, {"workload": "to target", "run": run})


def costs(world: World) -> None:
    """Machines that did nothing, or did it again; storage; epochs that no machine made."""
    t1, t2 = ({"workload": "alive", "run": run} for run in ("t1", "t2"))
    world.hours("2025-10-27T00:00:00", 1, "m5.large", 5, t1)
    world.hours("2025-10-27T00:00:00", 1, TRN1, 16, {"workload": "alive", "run": "t3"})
    world.charge("2025-10-27T00:00:00", 5, x_UsageType="EBS:VolumeUsage.gp3", tags=t2)
    world.hours("2025-10-01T00:00:00", 2, TRN1, 16, {"workload": "idle", "run": "t4"})
    tags = {"workload": "again", "run": "t1"}
    world.hours("2025-08-31T00:00:00", 5, TRN1, 10, tags)
    world.charge("2025-08-31T00:00:00", 3, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    for day in (1, 2, 3):
        world.hours(f"2025-09-0{day}T00:00:00", 10, TRN1, 10, tags)
    for at, epoch in (("01T00", 0), ("01T10", 3), ("02T00", 1), ("02T10", 4)):
        world.sample(f"2025-09-{at}:00:00", "t1", epoch, workload="again")
    starting(world)
    for hour in (0, 9):
        at = f"2025-09-20T0{hour}:00:00"
        world.sample(at, "ghost", hour, workload="ghost", loss=1.5, resumed_from="ported")
    ran(world, "ghost", "ported", "09-19T00:00:00", 1, 1, purpose="port")


def starting(world: World) -> None:
    """Four hours at $10 each, of which the first compiles; one run reports from the start on.

    A third tells its first epoch at 11:30, and of a fourth the bill knows days only.
    """
    for run, first in (("c1", "11:00"), ("c2", "10:00"), ("c3", None), ("c4", "11:00")):
        tags = {"workload": "starts", "run": run}
        for hour in range(10, 14):
            end = f"2025-09-05T{hour + 1}:00:00" if run != "c4" else "2025-09-06T00:00:00"
            begin = f"2025-09-05T{hour}:00:00" if run != "c4" else "2025-09-05T00:00:00"
            world.hours(begin, 1, TRN1, 10, tags, ChargePeriodEnd=end)
        for at, epoch in ((first, 0), ("11:30", 1), ("13:30", 2)):
            if at:
                world.sample(f"2025-09-05T{at}:00", run, epoch, workload="starts")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("runs"))
    for workload in CASES:
        migrated(world, workload)
    for case in (losses, kinds, targets, costs):
        case(world)
    goals = {"capped": 1.48, "to target": 1.2}
    told = {"workload": "told", "run": "t3", "recipe": "full", "purpose": "validation"}
    return some_marts(
        world.pulled(
            runs=[told],
            workloads=[{"name": name, "target_loss": loss} for name, loss in goals.items()],
        ),
        "baselines",
        "break_even",
        "monthly_summary",
        "run_hours",
        "runs",
        "samples",
        "savings_daily",
        "spend_daily",
    )


def test_the_final_loss_is_the_median_of_the_last_twentieth(marts: Marts) -> None:
    assert each(marts, "median", "final_loss", "t1", "t2", "t3") == [1.5, 1.0, None]


def test_a_sample_delivered_twice_does_not_weigh_twice(marts: Marts) -> None:
    assert one(marts, "twice", "t1")["final_loss"] == 1.5


@pytest.mark.parametrize("loss", LOSSES)
def test_within_one_percent_is_parity(marts: Marts, loss: float) -> None:
    parity = "below_parity" if loss == 1.52 else "parity"
    assert one(marts, f"at {loss}", "t3")["parity"] == parity


def test_the_worst_gpu_run_is_no_licence(marts: Marts) -> None:
    assert each(marts, "spread", "parity", "t1", "t2") == ["parity", "below_parity"]
    assert marts.standing("spread")["parity"] == "mixed"


def test_no_loss_where_the_baseline_has_one_is_below_parity(marts: Marts) -> None:
    assert one(marts, "mute", "t3")["parity"] == "below_parity"
    assert marts.standing("mute")["cumulative_net_saving"] == Decimal("82.875")


def test_parity_is_of_the_lineage_not_of_each_of_its_runs(marts: Marts) -> None:
    assert each(marts, "resumed", "final_loss", "t3", "t4") == [1.5, 1.5]
    assert each(marts, "resumed", "parity", "t3", "t4") == ["parity", "parity"]
    assert each(marts, "resumed", "credited_epochs", "t3", "t4") == [6, 2]
    saved = GROSS + 2 * Decimal("175.875") - 160
    assert marts.standing("resumed")["cumulative_net_saving"] == saved


def test_a_run_that_still_runs_is_pending_counted_and_flagged(marts: Marts) -> None:
    assert one(marts, "pending", "t4")["parity"] == "pending"
    standing = marts.standing("pending")
    assert standing["cumulative_net_saving"] == GROSS + Decimal("303.5")
    assert standing["flagged"] == {"pending": Decimal("303.5")}


def test_without_any_loss_all_days_count_and_say_so(marts: Marts) -> None:
    standing = marts.standing("no loss")
    assert standing["parity"] == "unverified"
    assert standing["cumulative_net_saving"] == GROSS
    assert standing["flagged"] == {"unverified": GROSS}


def test_without_any_loss_nothing_counts_that_must_be_verified(atlas: World) -> None:
    sampled(atlas, "atlas-7b", loss="")
    atlas.run("h1", P4D, "2025-05-02T00:00:00", 10, 25, 1, workload="harbor")
    said = [{"name": "atlas-7b", "require_verified": True}]
    must = some_marts(atlas.pulled(workloads=said), "break_even")
    strict, whole = must.standing(), must.standing("(portfolio)")
    assert strict["cumulative_net_saving"] is None
    assert strict["left_out"] == {"require_verified": GROSS}
    assert strict["progress"] is None
    unsaid = "no loss is reported and require_verified is set: no saving is claimed"
    for barred in (strict, whole):  # harbor has not moved: it has nothing to verify
        assert (barred["status"], barred["reason"]) == ("not_comparable", unsaid)


def test_one_run_of_another_recipe_is_left_out_whole(marts: Marts) -> None:
    assert one(marts, "qlora", "t3")["comparability"] == "recipe differs"
    standing = marts.standing("qlora")
    assert standing["status"] == "recovering"
    assert standing["cumulative_net_saving"] == Decimal("303.5") + Decimal("359.375")
    assert standing["left_out"] == {"not_comparable": 580}
    days = "SELECT sum(trn_cost) AS c FROM savings_daily WHERE date >= '2025-09-15'"
    assert marts.row(f"{days} AND workload = 'qlora'") == {"c": 0}
    month = "SELECT trn_cost, trn_epochs, gross_saving FROM monthly_summary WHERE month = '2025-09'"
    whole = marts.row(f"{month} AND workload = 'qlora'")
    assert whole == {"trn_cost": 1500, "trn_epochs": 9, "gross_saving": Decimal("662.875")}


def test_a_recipe_that_never_moved_is_a_kind_of_its_own(marts: Marts) -> None:
    words = each(marts, "lora", "comparability", "g1", "g2", "t1")
    assert words == ["comparable"] * 3
    main = "SELECT DISTINCT recipe, main FROM baselines WHERE workload = 'lora'"
    assert sum(row["main"] for row in marts.rows(main)) == 1


def test_only_accelerators_that_name_the_run_keep_it_alive(marts: Marts) -> None:
    """METHOD §1: a host without any, or storage, would put its verdict off for ever."""
    assert each(marts, "alive", "parity", "t1", "t2", "t3") == ["parity", "parity", "pending"]
    ends = each(marts, "alive", "ended_at", "t1", "t3")
    assert ends == [datetime(2025, 9, 3, 1), None]  # noqa: DTZ001 - UTC
    assert one(marts, "alive", "t1")["other_cost"] == 5
    assert one(marts, "alive", "t2")["storage_cost"] == 5


def test_where_epochs_differ_by_more_than_one_percent_samples_are_counted(marts: Marts) -> None:
    words = each(marts, "sized", "comparability", "t1", "t2", "t3", "t4")
    assert words == [*["comparable"] * 3, "it reports no millions of samples"]


def test_what_a_million_samples_and_a_billion_tokens_cost_stands_beside_the_unit(
    marts: Marts,
) -> None:
    columns = ("unit", "cost_per_epoch", "cost_per_million_samples", "cost_per_billion_tokens")

    def priced(workload: str, run: str) -> tuple[Any, ...]:
        return tuple(one(marts, workload, run)[column] for column in columns)

    in_samples = Decimal("99.009900990")  # $400 for 4 epochs of 1,010,000 samples
    assert priced("sized", "t1") == ("million_samples", in_samples, in_samples, None)
    assert priced("mute", "t1") == ("epoch", 100, None, 50)
    assert priced("idle", "t4") == ("epoch", None, None, None)
    assert priced("ghost", "ghost") == ("epoch", None, None, None)


def test_each_result_earns_the_epochs_that_one_took_on_gpu(marts: Marts) -> None:
    """4.5 to t1 to t3 each, and to u1 to u3 together: the rounding is the largest's."""
    credited = each(marts, "capped", "credited_epochs", "t1", "t2", "t3")
    assert credited == [Decimal("4.5")] * 3
    assert each(marts, "capped", "epochs", "t1", "t2", "t3") == [4, 5, 6]
    assert one(marts, "capped", "g1")["cost_to_target_loss"] == Decimal(300)  # half of a day
    shares = each(marts, "capped", "credited_epochs", "u1", "u2", "u3")
    assert shares == [Decimal("1.285714286"), Decimal("1.285714286"), Decimal("1.928571428")]
    saved = Decimal("175.875") * 18 - 1548
    assert marts.standing("capped")["cumulative_gross_saving"] == saved


def test_results_count_where_gpu_had_some_and_no_saving_is_known_where_it_had_none(
    world: World,
) -> None:
    """`reached`: 4 epochs and 12 in vain for one result. t3 ended without, t5 still runs.

    On p5 a unit costs less and a result more, on g5 there was none.
    """
    for workload in ("missed", "reached"):
        migrated(world, workload)
        samples(world, workload, "g2")[-1]["epoch"] = 12
        ran(world, workload, "t4", "09-25", 10, 20)
        ran(world, workload, "t5", "10-26", 25, 20)
    samples(world, "reached", "t4")[-1]["loss"] = 1.2
    world.sample("2025-05-02T12:00:00", "g1", 4, workload="reached", loss=1.2)
    for run, kind, epochs, loss in (
        ("h1", "p5.48xlarge", 40, 1.2), ("h2", "p5.48xlarge", 40, 1.2),
        ("k1", "g5.48xlarge", 40, 1.5), ("k2", "g5.48xlarge", 40, 1.5),
    ):  # fmt: skip
        said = {"workload": "reached", "loss": loss}
        world.run(run, kind, "2025-05-20T00:00:00", 20, 200, epochs, **said)
        samples(world, "reached", run)[0]["loss"] = 9.0
    goals = [{"name": name, "target_loss": 1.2} for name in ("missed", "reached")]
    settings = world.pulled(workloads=goals, baseline={"method": "measured"})
    marts = some_marts(settings, "baselines", "runs", "break_even")
    assert each(marts, "reached", "credited_epochs", "t3", "t4", "t5") == [0, 16, 16]
    assert each(marts, "reached", "parity", "t3", "t4", "t5") == [
        "below_parity", "parity", "pending",
    ]  # fmt: skip
    saved = Decimal("238.636363636") * 32 - 1500 - 160 - 400
    standing = marts.standing("reached")
    assert abs(standing["cumulative_gross_saving"] - saved) < Decimal("0.000001")
    told = marts.rows("SELECT value, cap, reason FROM baselines "
                      "WHERE date = '2025-09-25' ORDER BY workload")  # fmt: skip
    assert [tuple(row.values()) for row in told] == [
        (None, None, "insufficient baseline: of 2 GPU runs none reached the target loss"),
        (
            Decimal("238.636363636"), 16, "measured $238.64: what an epoch cost (2 GPU runs on "
            "p4d; p5 would be $100.00, $4000.00 a result); a result is credited 16.00 epochs: 1 of "
            "2 GPU runs reached the target loss; on g5 none did",
        ),
    ]  # fmt: skip
    missed = marts.standing("missed")
    assert (missed["status"], missed["cumulative_net_saving"]) == ("insufficient_baseline", None)


def test_cost_to_target_is_null_when_never_reached_or_not_yet_settled(marts: Marts) -> None:
    """METHOD §4: a day whose cost is incomplete enters no headline."""
    assert one(marts, "to target", "t1")["cost_to_target_loss"] is None
    assert one(marts, "to target", "t1")["credited_epochs"] == 0
    assert one(marts, "to target", "t5")["cost_to_target_loss"] == 80  # 5 of its 10 hours
    assert one(marts, "to target", "t4")["cost_to_target_loss"] is None
    assert one(marts, "to target", "t6")["cost_to_target_loss"] == 80  # all, by its one sample
    assert one(marts, "to target", "t7")["cost_to_target_loss"] is None  # nothing was charged


def test_a_run_without_progress_has_no_cost_per_epoch(marts: Marts) -> None:
    run = one(marts, "idle", "t4")
    assert (run["cost"], run["epochs"], run["cost_per_epoch"]) == (32, 0, None)
    assert (run["idle_cost"], run["flags"]) == (32, ["no_progress"])
    assert marts.standing("idle")["cumulative_net_saving"] == GROSS - 32


def test_a_run_that_is_not_counted_in_the_unit_of_its_kind_was_not_idle(marts: Marts) -> None:
    """`sized` counts samples, of which t4 tells none: it made an epoch all the same."""
    run = one(marts, "sized", "t4")
    assert (run["unit"], run["epochs"], run["cost"]) == ("million_samples", 0, 160)
    assert (run["idle_cost"], run["startup_cost"]) == (0, 0)


def test_what_passes_before_the_first_progress_is_startup(marts: Marts) -> None:
    """Of $40 in four hours the first one's $10; half an hour more without a report of epoch 0."""
    runs = [one(marts, "starts", name) for name in ("c1", "c2", "c3", "c4")]
    assert [run["startup_cost"] for run in runs] == [10, 0, 15, 0]
    assert [run["idle_cost"] for run in runs] == [10, 0, 15, 0]
    rows = marts.rows(
        """SELECT r.run, startup_cost,
            sum(effective_cost) * epoch(max(s.moved) - max(elapsed.began)) / 14400 AS due
        FROM runs r JOIN spend_daily USING (workload, run)
        JOIN (SELECT run, min(observed_at) AS moved FROM samples WHERE workload = 'starts'
            GROUP BY run) s ON s.run = r.run
        JOIN (SELECT run, began FROM run_hours WHERE workload = 'starts') elapsed
            ON elapsed.run = r.run
        WHERE r.workload = 'starts' AND r.run <> 'c4' GROUP BY ALL"""
    )
    assert len(rows) == 3
    assert all(row["startup_cost"] == round(row["due"], 9) for row in rows)


def test_idle_repeated_and_startup_cost_of_a_run(marts: Marts) -> None:
    """Machines for $50 and storage for $3 on the day before the first progress."""
    run = one(marts, "again", "t1")
    assert (run["cost"], run["idle_cost"], run["startup_cost"]) == (353, 153, 50)
    assert [one(marts, "idle", name)["startup_cost"] for name in ("t1", "t4")] == [0, None]
    assert marts.rows("SELECT run FROM runs WHERE startup_cost > idle_cost") == []
    assert (run["epochs"], run["repeated_epochs"]) == (4, 2)
    assert run["repeated_cost"] == (Decimal(200) * 2 / 6).quantize(Decimal("1e-9"))


def test_epochs_without_any_accelerator_hour_are_excluded_and_named(marts: Marts) -> None:
    assert "no_accelerator_hours" in one(marts, "ghost", "ghost")["flags"]
    before = one(marts, "ghost", "ported")  # the port that it resumed has hours of its own
    assert (before["cost_per_epoch"], before["flags"]) == (16, [])
    standing = marts.standing("ghost")
    assert standing["cumulative_net_saving"] == GROSS
    assert "no_accelerator_hours" in standing["left_out"]


def test_what_the_config_says_of_a_run_wins(marts: Marts) -> None:
    run = one(marts, "told", "t3")
    assert (run["recipe"], run["purpose"]) == ("full", "validation")
