"""METHOD §3.4 to §3.6 and §4: what a run may claim, and what it cost."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.world import Marts, World

TRN1 = "trn1.32xlarge"


def one(marts: Marts, run: str) -> dict[str, Any]:
    return marts.row("SELECT * FROM runs WHERE run = ?", run)


def sampled(world: World, run: str, **columns: object) -> None:
    for sample in world.samples:
        if sample["run"] == run:
            sample.update(columns)


def with_loss(world: World, run: str, *losses: float) -> None:
    """Replaces a run's losses: one sample a minute from its end on."""
    world.samples = [s | {"loss": ""} if s["run"] == run else s for s in world.samples]
    last = next(s for s in reversed(world.samples) if s["run"] == run)
    end = datetime.fromisoformat(str(last["observed_at"]))
    for number, loss in enumerate(losses):
        at = end + timedelta(minutes=number)
        world.sample(at.isoformat(), run, last["epoch"], loss=loss)


def test_the_final_loss_is_the_median_of_the_last_twentieth(atlas: World) -> None:
    with_loss(atlas, "t1", *[9.0] * 48, 2.0, 1.0)
    with_loss(atlas, "t2", *[9.0] * 18, 1.0)
    with_loss(atlas, "t3", 9.0, float("nan"))
    marts = atlas.build()
    assert one(marts, "t1")["final_loss"] == 1.5
    assert one(marts, "t2")["final_loss"] == 1.0
    assert one(marts, "t3")["final_loss"] is None


def test_a_sample_delivered_twice_does_not_weigh_twice(atlas: World) -> None:
    with_loss(atlas, "t1", *[9.0] * 38, 2.0, 1.0)
    atlas.samples += [atlas.samples[-1]] * 20
    assert one(atlas.build(), "t1")["final_loss"] == 1.5


@pytest.mark.parametrize(
    ("loss", "parity"),
    [(1.5, "parity"), (1.2, "parity"), (1.515, "parity"), (1.52, "below_parity")],
)
def test_within_one_percent_is_parity(atlas: World, loss: float, parity: str) -> None:
    sampled(atlas, "t3", loss=loss)
    assert one(atlas.build(), "t3")["parity"] == parity


def test_the_baselines_own_spread_widens_the_tolerance(atlas: World) -> None:
    sampled(atlas, "g2", loss=1.7)  # median 1.6, worst ÷ median − 1 = 6.25 %
    sampled(atlas, "t1", loss=1.69)
    sampled(atlas, "t2", loss=1.71)
    marts = atlas.build()
    assert [one(marts, run)["parity"] for run in ("t1", "t2")] == ["parity", "below_parity"]
    assert marts.standing()["parity"] == "mixed"


def test_a_lineage_is_judged_by_the_baseline_of_the_day_it_ended_on(atlas: World) -> None:
    """A worse GPU run widens the tolerance from the day on which it joins, and not before."""
    sampled(atlas, "t3", loss=1.69)
    worse = {"purpose": "baseline", "loss": 1.7}
    atlas.run("g3", "p4d.24xlarge", "2025-09-20T00:00:00", 24, 25, 2, **worse)
    atlas.run("t4", TRN1, "2025-09-21T00:00:00", 10, 16, 1, loss=1.69)
    marts = atlas.build()
    assert [one(marts, run)["parity"] for run in ("t3", "t4")] == ["below_parity", "parity"]


def test_no_loss_where_the_baseline_has_one_is_below_parity(atlas: World) -> None:
    for sample in atlas.samples:
        if sample["run"] == "t3":
            del sample["loss"]
    marts = atlas.build()
    assert one(marts, "t3")["parity"] == "below_parity"
    assert marts.standing()["cumulative_net_saving"] == Decimal("82.875")


def test_parity_is_of_the_lineage_not_of_each_of_its_runs(atlas: World) -> None:
    sampled(atlas, "t3", loss=2.0)
    atlas.run("t4", TRN1, "2025-09-20T00:00:00", 10, 16, 8, resumed_from="t3")
    marts = atlas.build()
    verdicts = [one(marts, run) for run in ("t3", "t4")]
    assert [(v["final_loss"], v["parity"]) for v in verdicts] == [(1.5, "parity")] * 2
    assert [v["credited_epochs"] for v in verdicts] == [6, 2]
    saved = Decimal("1138.125") + 2 * Decimal("175.875") - 160
    assert marts.standing()["cumulative_net_saving"] == saved


def test_a_run_that_still_runs_is_pending_counted_and_flagged(atlas: World) -> None:
    atlas.run("t4", TRN1, "2025-10-26T00:00:00", 25, 16, 4)
    marts = atlas.build()
    assert one(marts, "t4")["parity"] == "pending"
    assert marts.standing()["cumulative_net_saving"] == Decimal("1138.125") + Decimal("303.5")
    assert marts.standing()["flagged"] == {"pending": Decimal("303.5")}


def test_without_any_loss_all_days_count_and_say_so_unless_it_must_be_verified(
    atlas: World,
) -> None:
    for sample in atlas.samples:
        sample.pop("loss", None)
    atlas.run("h1", "p4d.24xlarge", "2025-05-02T00:00:00", 10, 25, 1, workload="harbor")
    standing = atlas.build().standing()
    assert standing["parity"] == "unverified"
    assert standing["cumulative_net_saving"] == Decimal("1138.125")
    assert standing["flagged"] == {"unverified": Decimal("1138.125")}
    must = atlas.build(workloads=[{"name": "atlas-7b", "require_verified": True}])
    strict, whole = must.standing(), must.standing("(portfolio)")
    assert strict["cumulative_net_saving"] is None
    assert strict["left_out"] == {"require_verified": Decimal("1138.125")}
    assert strict["progress"] is None
    unsaid = "no loss is reported and require_verified is set: no saving is claimed"
    for barred in (strict, whole):  # harbor has not moved: it has nothing to verify
        assert (barred["status"], barred["reason"]) == ("not_comparable", unsaid)


def test_one_run_of_another_recipe_is_left_out_whole(atlas: World) -> None:
    sampled(atlas, "t3", recipe="qlora")
    marts = atlas.build()
    assert one(marts, "t3")["comparability"] == "recipe differs"
    standing = marts.standing()
    assert standing["status"] == "recovering"
    assert standing["cumulative_net_saving"] == Decimal("303.5") + Decimal("359.375")
    assert standing["left_out"] == {"not_comparable": Decimal("475.25")}
    days = "SELECT sum(trn_cost) AS c FROM savings_daily WHERE date >= '2025-09-15'"
    assert marts.row(days) == {"c": 0}
    month = "SELECT trn_cost, trn_epochs, gross_saving FROM monthly_summary WHERE month = '2025-09'"
    (whole, _) = marts.rows(f"{month} ORDER BY workload DESC")
    assert whole == {"trn_cost": 1500, "trn_epochs": 15, "gross_saving": Decimal("662.875")}


def test_the_kind_that_trainium_trained_most_is_measured_against_however_little(
    world: World,
) -> None:
    """Half an epoch on Trainium decides, not ten on GPU of a recipe that never moved."""
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 10, 25, 10, recipe="full")
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 10, 25, 1, recipe="lora")
    world.run("t1", TRN1, "2025-09-02T00:00:00", 10, 16, "0.5", recipe="lora")
    world.charge("2025-10-30T00:00:00", 1)
    marts = world.build()
    words = [one(marts, run)["comparability"] for run in ("g1", "g2", "t1")]
    assert words == ["recipe differs", "comparable", "comparable"]


def test_a_machine_that_names_the_run_keeps_it_alive(atlas: World) -> None:
    """METHOD §1, whatever ran; what it left in storage would put its verdict off for ever."""
    t1, t2 = ({"workload": "atlas-7b", "run": run} for run in ("t1", "t2"))
    atlas.hours("2025-10-27T00:00:00", 1, "m5.large", 5, t1)
    atlas.charge("2025-10-27T00:00:00", 5, x_UsageType="EBS:VolumeUsage.gp3", tags=t2)
    marts = atlas.build()
    assert [one(marts, run)["parity"] for run in ("t1", "t2")] == ["pending", "parity"]
    assert one(marts, "t1")["ended_at"] is None
    assert one(marts, "t2")["storage_cost"] == 5


def test_samples_per_epoch_may_differ_by_one_percent(atlas: World) -> None:
    for sample in atlas.samples:
        sample["samples_per_epoch"] = 1_000_000
    sampled(atlas, "t1", samples_per_epoch=1_010_000)
    sampled(atlas, "t2", samples_per_epoch=990_000)
    sampled(atlas, "t3", samples_per_epoch=1_010_001)
    atlas.run("t4", TRN1, "2025-09-25T00:00:00", 10, 16, 1)  # unset equals only unset
    marts = atlas.build()
    words = [one(marts, run)["comparability"] for run in ("t1", "t2", "t3", "t4")]
    assert words == ["comparable", "comparable", *["samples per epoch differ"] * 2]


def test_epochs_beyond_the_baselines_epochs_to_target_earn_nothing(atlas: World) -> None:
    for sample in atlas.samples:
        sample["loss"] = 3.0 if sample["epoch"] == 0 else 1.4
    for run, epoch in (("g1", 4), ("g2", 5)):
        day = next(s["observed_at"] for s in atlas.samples if s["run"] == run)
        atlas.sample(str(day).replace("T00", "T12"), run, epoch, loss=1.48)
    for run, parent, hour, epoch in (("u1", None, 1, 2), ("u2", "u1", 2, 4), ("u3", "u2", 3, 7)):
        owner = {"workload": "atlas-7b", "run": run}
        atlas.hours("2025-09-25T00:00:00", 1, TRN1, 16, owner)
        at = f"2025-09-25T0{hour}:00:00"
        atlas.sample(at, run, epoch, loss=1.4, resumed_from=parent, start_epoch=0)
    marts = atlas.build(workloads=[{"name": "atlas-7b", "target_loss": 1.48}])
    credited = [one(marts, run)["credited_epochs"] for run in ("t1", "t2", "t3")]
    assert credited == [4, Decimal("4.5"), Decimal("4.5")]
    assert [one(marts, run)["epochs"] for run in ("t1", "t2", "t3")] == [4, 5, 6]
    assert one(marts, "g1")["cost_to_target_loss"] == Decimal(300)  # half of the first day
    # 4.5 epochs for three runs that did 2, 2 and 3 of 7: the rounding falls on the largest
    shares = [one(marts, run)["credited_epochs"] for run in ("u1", "u2", "u3")]
    assert shares == [Decimal("1.285714286"), Decimal("1.285714286"), Decimal("1.928571428")]
    saved = Decimal("175.875") * Decimal("17.5") - 1548
    assert marts.standing()["cumulative_gross_saving"] == saved


def test_a_target_that_no_gpu_run_reached_earns_what_they_ran_and_no_more(atlas: World) -> None:
    """10 and 12 epochs on GPU without getting there: of 20 on Trainium, 11 are credited."""
    atlas.samples = [s | {"epoch": 12} if s["run"] == "g2" and s["epoch"] else s
                     for s in atlas.samples]  # fmt: skip
    atlas.run("t4", TRN1, "2025-09-25T00:00:00", 10, 16, 20)
    target = [{"name": "atlas-7b", "target_loss": 1.2}]
    day = "SELECT reason FROM baselines WHERE date = '2025-09-25'"
    marts = atlas.build(workloads=target, baseline={"method": "measured"})
    assert [one(marts, run)["credited_epochs"] for run in ("t3", "t4")] == [6, 11]
    assert marts.row(day)["reason"] == (
        "measured $238.64: what an epoch cost (2 GPU runs); no GPU run reached the target loss: "
        "no run is credited more than the 11.00 epochs that they ran (median)"
    )
    atlas.sample("2025-05-02T12:00:00", "g1", 4, loss=1.2)
    marts = atlas.build(workloads=target, baseline={"method": "measured"})
    assert [one(marts, run)["credited_epochs"] for run in ("t3", "t4")] == [4, 4]
    assert marts.row(day)["reason"] == "measured $238.64: what an epoch cost (2 GPU runs)"


def test_cost_to_target_is_null_when_never_reached_or_not_yet_settled(atlas: World) -> None:
    """METHOD §4: a day whose cost is incomplete enters no headline."""
    atlas.run("t4", TRN1, "2025-10-28T00:00:00", 25, 16, 4, loss=3.0)
    atlas.sample("2025-10-29T06:00:00", "t4", 4, loss=1.0)
    atlas.hours("2025-10-29T00:00:00", 5, TRN1, 16, {"workload": "atlas-7b", "run": "t4"})
    atlas.run("t5", TRN1, "2025-09-25T12:00:00", 10, 16, 4, loss=1.1)
    atlas.samples[-2]["loss"] = 3.0
    atlas.sample("2025-09-25T17:00:00", "t5", 2, loss=1.2)
    atlas.hours("2025-09-27T00:00:00", 5, TRN1, 16, {"workload": "atlas-7b", "run": "t6"})
    atlas.sample("2025-09-27T03:00:00", "t6", 1, loss=1.0)
    marts = atlas.build(workloads=[{"name": "atlas-7b", "target_loss": 1.2}])
    assert one(marts, "t1")["cost_to_target_loss"] is None
    assert one(marts, "t1")["credited_epochs"] == 4  # the baseline never got there, and ran 10
    assert one(marts, "t5")["cost_to_target_loss"] == 80  # 5 of its 10 hours
    assert one(marts, "t4")["cost_to_target_loss"] is None
    assert one(marts, "t6")["cost_to_target_loss"] == 80  # one sample: all that it cost by then


def test_a_run_without_progress_has_no_cost_per_epoch(atlas: World) -> None:
    tags = {"workload": "atlas-7b", "run": "t4"}
    atlas.hours("2025-10-01T00:00:00", 2, TRN1, 16, tags)
    marts = atlas.build()
    run = one(marts, "t4")
    assert (run["cost"], run["epochs"], run["cost_per_epoch"]) == (32, 0, None)
    assert (run["idle_cost"], run["flags"]) == (32, ["no_progress"])
    assert marts.standing()["cumulative_net_saving"] == Decimal("1138.125") - 32


def test_idle_and_repeated_cost_of_a_run(world: World) -> None:
    tags = {"workload": "atlas-7b", "run": "t1"}
    for day in (1, 2, 3):
        world.hours(f"2025-09-0{day}T00:00:00", 10, TRN1, 10, tags)
    for at, epoch in (("01T00", 0), ("01T10", 3), ("02T00", 1), ("02T10", 4)):
        world.sample(f"2025-09-{at}:00:00", "t1", epoch)
    world.charge("2025-10-30T00:00:00", 1)
    run = one(world.build(), "t1")
    assert (run["cost"], run["idle_cost"]) == (300, 100)
    assert (run["epochs"], run["repeated_epochs"]) == (4, 2)
    assert run["repeated_cost"] == (Decimal(200) * 2 / 6).quantize(Decimal("1e-9"))


def test_epochs_without_any_accelerator_hour_are_excluded_and_named(atlas: World) -> None:
    atlas.sample("2025-09-20T00:00:00", "ghost", 0, loss=1.5)
    atlas.sample("2025-09-20T09:00:00", "ghost", 9, loss=1.5)
    marts = atlas.build()
    assert "no_accelerator_hours" in one(marts, "ghost")["flags"]
    assert marts.standing()["cumulative_net_saving"] == Decimal("1138.125")
    assert "no_accelerator_hours" in marts.standing()["left_out"]


def test_what_the_config_says_of_a_run_wins(atlas: World) -> None:
    sampled(atlas, "t3", recipe="qlora", purpose="production")
    told = [{"run": "t3", "recipe": "full", "purpose": "validation"}]
    run = one(atlas.build(runs=told), "t3")
    assert (run["recipe"], run["purpose"]) == ("full", "validation")
