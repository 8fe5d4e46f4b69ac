"""METHOD §4: epochs of days whose machine-hours are on no bill enter no cost and earn nothing.

Every workload: a GPU epoch costs $100; a Trainium day costs $120 and makes one epoch.
"""

from __future__ import annotations

from collections.abc import Container
from decimal import Decimal

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

OCTOBER = range(1, 21)


def on_gpu(world: World, workload: str) -> None:
    """The loss reaches 1.5 with the last of ten epochs."""
    for run, day in (("g1", "05-01"), ("g2", "05-10")):
        world.run(run, "p4d.24xlarge", f"2025-{day}T00:00:00", 100, 10, 10, workload=workload)
        world.samples[-2]["loss"] = 2.0


def trained(world: World, workload: str, tagged: Container[int], split: int = 1) -> None:
    """Twenty days on Trainium, of which the bill knows those that are `tagged`; of two runs."""
    for day in OCTOBER:
        run = "s" if day < split else "t"
        told = {"resumed_from": "s"} if run == "t" and split > 1 else {}
        if day in tagged:
            billed(world, workload, run, day)
        for at, epoch in (("00:00:00", day - 1), ("23:59:59", day)):
            at = f"2025-10-{day:02}T{at}"
            loss = 2.0 if workload == "capped" and epoch < 10 else 1.5
            world.sample(at, run, epoch, workload=workload, loss=loss, **told)


def billed(world: World, workload: str, run: str | None, day: int) -> None:
    tags = {"workload": workload} | ({"run": run} if run else {})
    world.hours(f"2025-10-{day:02}T00:00:00", 24, "trn1.32xlarge", 5, tags)


def late(world: World) -> None:
    """Tagged from the eleventh day on; with a small box before; with few samples; every third."""
    trained(world, "split", range(11, 21), 11)
    for workload in ("late", "box", "capped"):
        trained(world, workload, range(7 if workload == "capped" else 11, 21))
    for day in range(1, 11):
        tags = {"workload": "box"}
        world.hours(f"2025-10-{day:02}T00:00:00", 1, "trn1.2xlarge", "0.1", tags, ListCost=1)
    for day in range(11, 21):
        billed(world, "seldom", "t", day)
    for at, epoch in (("01T00:00:00", 0), ("11T00:00:00", 10), ("21T00:00:00", 20)):
        world.sample(f"2025-10-{at}", "t", epoch, workload="seldom", loss=1.5)
    trained(world, "lost", (*range(1, 8), *range(14, 21)))
    trained(world, "thirds", range(1, 21, 3))


def whole(world: World) -> None:
    """All of it on the bill, if not by the day."""
    trained(world, "loose", range(11, 21))
    for day in range(1, 11):
        billed(world, "loose", None, day)
    trained(world, "day", range(2, 20))
    for at, epoch in (("01T00:00:00", 0), ("01T20:00:00", 1), ("12T04:00:00", 2)):
        world.sample(f"2025-10-{at}", "t", epoch, workload="paused", loss=1.5)
    for workload, day in (("paused", 1), ("paused", 12), ("drifted", 1)):
        billed(world, workload, "t", day)
    for hour in range(12, 36):
        at = f"2025-10-{1 + hour // 24:02}T{hour % 24:02}:00:00"
        world.sample(at, "t", f"{hour / 12 - 1:.6f}", workload="drifted", loss=1.5)
    lump = {"workload": "lump", "run": "t"}
    world.hours("2025-10-01T00:00:00", 480, "trn1.32xlarge", 5, lump)
    trained(world, "lump", ())
    for day, hours in (("09-01", 240), ("10-01", 240)):
        monthly = {"workload": "monthly", "run": "t"}
        world.hours(f"2025-{day}T00:00:00", hours, "trn1.32xlarge", 5, monthly)
    trained(world, "monthly", ())


def hourly(world: World) -> None:
    """Two days of one machine and two epochs, told by the hour, of which the bill has one day."""
    for workload, day in (("tagged at midnight", 2), ("untagged at midnight", 1)):
        billed(world, workload, "t", day)
        for hour in range(48):
            at = f"2025-10-{1 + hour // 24:02}T{hour % 24:02}:00:00"
            world.sample(at, "t", f"{hour / 24:.6f}", workload=workload, loss=1.5)


WORKLOADS = (
    "late", "split", "box", "seldom", "capped", "lost", "thirds",
    "loose", "day", "paused", "drifted", "lump", "monthly",
    "tagged at midnight", "untagged at midnight",
)  # fmt: skip


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("unbilled"))
    for workload in WORKLOADS:
        on_gpu(world, workload)
    late(world)
    whole(world)
    hourly(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    aims = [{"name": "capped", "target_loss": 1.5}]
    return some_marts(
        world.pulled(baseline={"method": "measured"}, workloads=aims),
        "cost_per_epoch",
        "runs",
        "break_even",
    )


@pytest.mark.parametrize(
    ("workload", "box"), [("late", 0), ("split", 0), ("box", 1), ("seldom", 0)]
)
def test_tags_that_come_late_earn_nothing_for_what_was_done_before(
    marts: Marts, workload: str, box: int
) -> None:
    """Ten epochs at $120 against $100; the ten before are on nobody's bill."""
    standing = marts.standing(workload)
    assert standing["cumulative_net_saving"] == 10 * (100 - 120) - box
    assert standing["left_out"] == {"no_accelerator_hours": 10 * 100}


def test_neither_do_they_make_an_epoch_cheap(marts: Marts) -> None:
    run = marts.row("SELECT * FROM runs WHERE workload = 'late' AND hardware = 'trainium'")
    assert (run["cost"], run["epochs"], run["credited_epochs"]) == (1200, 10, 10)
    assert run["flags"] == ["unbilled_epochs"]
    month = marts.row(
        "SELECT * FROM cost_per_epoch WHERE period = 'month' AND workload = 'late' "
        "AND hardware = 'trainium'"
    )
    assert month["cost_per_epoch"] == 120


def test_so_do_tags_that_were_lost_for_a_while(marts: Marts) -> None:
    standing = marts.standing("lost")
    assert standing["cumulative_net_saving"] == 14 * (100 - 120)
    assert standing["left_out"] == {"no_accelerator_hours": 6 * 100}


def test_so_do_machines_of_which_every_third_day_is_billed(marts: Marts) -> None:
    standing = marts.standing("thirds")
    assert standing["cumulative_net_saving"] == 7 * (100 - 120)
    assert standing["left_out"] == {"no_accelerator_hours": 13 * 100}


def test_hours_of_the_workloads_tag_alone_are_what_it_cost(marts: Marts) -> None:
    standing = marts.standing("loose")
    assert (standing["cumulative_net_saving"], standing["left_out"]) == (20 * (100 - 120), None)


@pytest.mark.parametrize("workload", ["lump", "monthly"])
def test_a_bill_that_is_not_by_the_day_has_all_hours(marts: Marts, workload: str) -> None:
    standing = marts.standing(workload)
    assert (standing["cumulative_net_saving"], standing["left_out"]) == (20 * (100 - 120), None)


@pytest.mark.parametrize("workload", ["paused", "drifted"])
def test_neither_a_pause_nor_a_clock_makes_epochs_unbilled(marts: Marts, workload: str) -> None:
    """What rose over a pause was made on the machines before and after it."""
    run = marts.row("SELECT * FROM runs WHERE workload = ? AND run = 't'", workload)
    epochs = Decimal(2) if workload == "paused" else Decimal("1.916667")
    assert (run["epochs"], run["credited_epochs"], run["flags"]) == (epochs, epochs, [])


def test_one_day_beside_the_billed_ones_may_be_a_clock(marts: Marts) -> None:
    assert marts.standing("day")["left_out"] is None


@pytest.mark.parametrize(
    ("workload", "epochs"),
    [("tagged at midnight", "0.958333"), ("untagged at midnight", "1")],
)
def test_a_day_of_reports_beside_the_billed_ones_is_no_clock(
    marts: Marts, workload: str, epochs: str
) -> None:
    """The other day's epoch is on nobody's bill: it would halve what an epoch costs."""
    run = marts.row("SELECT * FROM runs WHERE workload = ? AND run = 't'", workload)
    assert (run["cost"], run["flags"]) == (120, ["unbilled_epochs"])
    assert run["epochs"] == run["credited_epochs"] == Decimal(epochs)
    gross = marts.standing(workload)["cumulative_gross_saving"]
    assert gross == Decimal(epochs) * 100 - 120


def test_what_was_done_before_the_tags_came_uses_up_the_way_to_the_target(marts: Marts) -> None:
    """Of the GPU's ten epochs to the target six were done before the first billed day."""
    run = "SELECT * FROM runs WHERE workload = 'capped' AND run = ?"
    assert marts.row(run, "g1")["cost_to_target_loss"] == 1000
    assert marts.row(run, "t")["cost_to_target_loss"] is None
    standing = marts.standing("capped")
    assert standing["cumulative_gross_saving"] == 4 * 100 - 14 * 120
    assert standing["left_out"] == {"no_accelerator_hours": 6 * 100}
