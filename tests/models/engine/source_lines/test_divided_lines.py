"""Lines of the bill behind what an allocation gives to a run: their parts, which add up to it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from models.access.scope import EVERYTHING, Scope
from models.config.settings import Settings
from models.engine import build
from models.engine.source_lines.bill_lines import bill_lines
from models.engine.source_lines.first_lines import FirstLines
from tests.support.delivered_allocations import deliver, held
from tests.support.world import World, one_core, pull_once, write

D = Decimal
TRN1 = "trn1.32xlarge"


def company(folder: Path) -> World:
    """Three hours of a shared machine, an hour of a pool of two, and a run with a tag."""
    world = World(folder)
    for hour in (9, 10, 11):
        world.hours(f"2025-09-01T{hour:02}:00:00", 1, TRN1, "21.50", {}, ResourceId="i-1")
    plan = {"CommitmentDiscountId": "sp", "CommitmentDiscountStatus": "Used"}
    world.hours("2025-09-01T12:00:00", "0.5", TRN1, "21.50", {}, ResourceId="i-1")
    world.hours("2025-09-01T12:00:00", "0.5", TRN1, "7.01", {}, ResourceId="i-1", **plan)
    for machine in ("i-8", "i-9"):
        tag = {"aws:eks:cluster-name": "lab"}
        world.hours("2025-09-01T10:00:00", 1, TRN1, "20", tag, ResourceId=machine)
    tagged = {"workload": "atlas-7b", "run": "tagged"}
    world.hours("2025-09-01T10:00:00", 3, TRN1, "16", tagged, ResourceId="i-3")
    for cluster, cost in (("hpc", 10), ("lab", 3)):
        head = {"ResourceId": f"i-{cluster}", "tags": {"aws:eks:cluster-name": cluster}}
        world.charge("2025-09-02T10:00:00", cost, x_UsageType="BoxUsage:m5.large", **head)
    world.charge("2025-09-02T10:00:00", 7, x_UsageType="BoxUsage:m5.large", ResourceId="i-other")
    world.charge("2025-10-30T00:00:00", 1)
    return world


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Of i-1 `a` has half from 10:00, `b` half until 10:30 and all from 12:00; 9:00 is idle."""
    settings = company(tmp_path_factory.mktemp("lines")).pulled()
    atlas, other = {"workload": "atlas-7b", "run": "a"}, {"workload": "other", "run": "b"}
    day = "2025-09-01T"
    jobs = [
        held(f"{day}10:00:00", f"{day}12:00:00", accelerators=8, job="1", **atlas),
        held(f"{day}10:00:00", f"{day}10:30:00", accelerators=8, job="2", **other),
        held(f"{day}12:00:00", f"{day}12:30:00", accelerators=16, job="3", **other),
    ]
    pool = {"cluster": "lab", "resource": None, "pool": TRN1, "node": "n1"}
    jobs.append(held(f"{day}10:00:00", f"{day}11:00:00", accelerators=16, job="4", **pool, **atlas))
    deliver(settings.data, jobs)
    with one_core():
        build.build(settings)
    return settings


def behind(settings: Settings, where: str, scope: Scope = EVERYTHING) -> FirstLines:
    with bill_lines(settings, where, {}, "effective", scope) as lines:
        found = lines.first()
        in_file = lines.batches().read_all().column("effective_cost").to_pylist()
    assert sum(in_file) == (found.lines or 0)
    return found


def parts(found: FirstLines) -> list[tuple[object, ...]]:
    return sorted(
        (row["began"][11:16], row["resource"], row["quantity"].normalize(), row["effective_cost"])
        for row in found.rows
    )


def test_head_nodes_stand_whole_behind_each_run_that_has_a_part_of_them(settings: Settings) -> None:
    """In cluster `hpc` either run held 18 accelerator-hours, gaps included; `lab` is all of `a`."""
    found = behind(settings, "run = 'a' AND attribution = 'shared'")
    assert (found.number, found.lines, found.elsewhere, found.spread) == (8, 13, -5, 0)
    assert {row["attribution"] for row in found.rows} == {"shared"}
    assert not behind(settings, "attribution = 'shared'", Scope(patterns=("atlas-*",))).count


def test_a_run_has_its_part_of_each_line_and_they_add_up_to_its_cost(settings: Settings) -> None:
    """By hand: half of two hours of i-1 and of the quarter before; an hour of the pool's two."""
    found = behind(settings, "run = 'a' AND attribution = 'direct'")
    assert (found.spread, found.elsewhere, found.number) == (0, 0, found.lines)
    assert parts(found) == [
        ("09:00", "i-1", D("0.125"), D("2.6875")),
        ("10:00", "i-1", D("0.5"), D("10.75")),
        ("10:00", "i-8", D("0.5"), D(10)),
        ("10:00", "i-9", D("0.5"), D(10)),
        ("11:00", "i-1", D("0.5"), D("10.75")),
    ]


def test_both_lines_of_an_hour_of_which_a_plan_covers_half_are_divided(settings: Settings) -> None:
    """`b`: a quarter of 10:00, half of 12:00, an eighth before, a quarter of an hour after."""
    found = behind(settings, "run = 'b' AND attribution = 'direct'")
    assert (found.spread, found.lines) == (0, found.number)
    assert parts(found) == [
        ("09:00", "i-1", D("0.125"), D("2.6875")),
        ("10:00", "i-1", D("0.25"), D("5.375")),
        ("12:00", "i-1", D("0.375"), D("2.62875")),
        ("12:00", "i-1", D("0.375"), D("8.0625")),
    ]


def test_what_nobody_held_has_lines_too_and_all_lines_are_the_bill(settings: Settings) -> None:
    idle = behind(settings, "attribution = 'cluster_idle'")
    assert (idle.spread, idle.lines) == (0, idle.number)
    assert ("09:00", "i-1", D("0.75"), D("16.125")) in parts(idle)
    whole = behind(settings, "true")
    assert (whole.spread, whole.lines) == (0, D("64.50") + D("14.255") + 40 + 48 + 20 + 1)


def test_a_scope_sees_its_own_parts_alone_and_they_add_up(settings: Settings) -> None:
    scope = Scope(patterns=("atlas-*",))
    found = behind(settings, "attribution = 'direct'", scope)
    assert {row["workload"] for row in found.rows} == {"atlas-7b"}
    assert (found.spread, found.lines) == (0, D("44.1875") + 48)
    assert not behind(settings, "run = 'b'", scope).count


def test_a_correction_of_a_later_bill_stands_behind_those_who_held_the_hour(tmp_path: Path) -> None:
    """Of $21.50 at ten $8.00 come back in October; `a` held half of the machine."""
    world = World(tmp_path)
    world.hours("2025-09-01T10:00:00", 1, TRN1, "21.50", {}, ResourceId="i-1")
    back = {"ChargeClass": "Correction", "BillingPeriodStart": "2025-10-01", "ResourceId": "i-1"}
    world.hours("2025-09-01T10:00:00", "-0.5", TRN1, "16", {}, **back)
    world.charge("2025-10-30T00:00:00", 1, BillingPeriodStart="2025-10-01")
    for month, lines in ((9, world.charges[:1]), (10, world.charges[1:])):
        folder = tmp_path / "bill" / f"BILLING_PERIOD=2025-{month:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", lines)
    settings = world.settings(sources=[{"kind": "focus", "location": "bill"}])
    pull_once(settings)
    atlas = {"workload": "atlas-7b", "run": "a", "accelerators": 8}
    deliver(settings.data, [held("2025-09-01T10:00:00", "2025-09-01T11:00:00", job="1", **atlas)])
    with one_core():
        build.build(settings)
    found = behind(settings, "run = 'a'")
    assert (found.spread, found.lines, found.number) == (0, D("6.75"), D("6.75"))
    assert [row["effective_cost"] for row in found.rows] == [D("10.75"), D("-4")]
    assert behind(settings, "attribution = 'cluster_idle'").lines == D("6.75")
    assert behind(settings, "attribution = 'untagged'").lines is None


def test_lines_of_pools_of_one_name_stand_behind_the_jobs_of_their_account(tmp_path: Path) -> None:
    world, tag = World(tmp_path), {"parallelcluster:cluster-name": "hpc"}
    for machine, account, cost in (("i-1", "999900000001", "60"), ("i-2", "999900000002", "90")):
        about = {"ResourceId": machine, "SubAccountId": account}
        world.hours("2025-09-01T10:00:00", 1, TRN1, cost, tag, **about)
    world.charge("2025-09-30T00:00:00", 1)
    settings = world.pulled()
    pool = {"resource": None, "pool": TRN1, "node": "n1", "accelerators": 16}
    for account, until, run in (("999900000001", "11:00", "a"), ("999900000002", "10:30", "b")):
        named = {"workload": "atlas-7b", "run": run, "job": run}
        job = held("2025-09-01T10:00:00", f"2025-09-01T{until}:00", **pool, **named)
        deliver(settings.data, [job], place=f"{account}/")
    with one_core():
        build.build(settings)
    costs = (("run = 'a'", D(60)), ("run = 'b'", D(45)), ("attribution = 'cluster_idle'", D(45)))
    for where, cost in costs:
        found = behind(settings, where)
        assert (found.lines, found.number) == (cost, cost)


def test_a_refund_of_a_month_stands_behind_all_who_held_the_machine(tmp_path: Path) -> None:
    """Of four hours on two days `a` held one, `b` two and nobody the last; October takes $8 back.

    On the first day of the month, which is the refund's, the machine did not run.
    """
    world = World(tmp_path)
    for at in ("03T10", "03T11", "09T10", "09T11"):
        world.hours(f"2025-09-{at}:00:00", 1, TRN1, "20", {}, ResourceId="i-1")
    month = {"ChargePeriodEnd": "2025-10-01T00:00:00", "BillingPeriodStart": "2025-10-01"}
    back = {"ChargeClass": "Correction", "ResourceId": "i-1", "ConsumedQuantity": None, **month}
    world.charge("2025-09-01T00:00:00", -8, x_UsageType=f"USW2-BoxUsage:{TRN1}", **back)
    world.charge("2025-10-30T00:00:00", 1, BillingPeriodStart="2025-10-01")
    for number, lines in ((9, world.charges[:4]), (10, world.charges[4:])):
        folder = tmp_path / "bill" / f"BILLING_PERIOD=2025-{number:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", lines)
    settings = world.settings(
        sources=[{"kind": "focus", "location": "bill"}], clusters={"gap_minutes": 0}
    )
    pull_once(settings)
    spans = (("a", "03T10", "03T11"), ("b", "03T11", "03T12"), ("b", "09T10", "09T11"))
    jobs = [
        held(f"2025-09-{since}:00:00", f"2025-09-{until}:00:00", accelerators=16, run=run, job=n)
        for n, (run, since, until) in enumerate(spans)
    ]
    deliver(settings.data, [job | {"workload": "atlas-7b"} for job in jobs])
    with one_core():
        build.build(settings)
    for where, cost in (("run = 'a'", 18), ("run = 'b'", 36), ("attribution = 'cluster_idle'", 18)):
        found = behind(settings, where)
        assert (found.spread, found.lines, found.number) == (0, cost, cost), where
    assert behind(settings, "run = 'b' AND date = '2025-09-01'").lines == -4
    assert behind(settings, "attribution = 'untagged'").lines is None


def test_lines_of_a_day_without_allocations_stand_behind_their_own_tag(tmp_path: Path) -> None:
    world = World(tmp_path)
    tags = {"workload": "atlas-7b", "parallelcluster:cluster-name": "hpc"}
    for day in (1, 2, 3):
        world.hours(f"2025-09-0{day}T10:00:00", 1, TRN1, "20", tags, ResourceId="i-1")
    world.charge("2025-09-30T00:00:00", 1)
    settings = world.pulled()
    about = {"accelerators": 8, "run": "a", "workload": "other", "job": 1}
    partly = about | {"observed_at": "2025-09-03T10:30:00Z"}
    jobs = [
        held("2025-09-01T10:00:00", "2025-09-01T11:00:00", **about),
        held("2025-09-03T10:00:00", None, **partly),
    ]
    deliver(settings.data, jobs)
    with one_core():
        build.build(settings)
    costs = (("run = 'a'", 15), ("attribution = 'cluster_idle'", 10), ("workload = 'atlas-7b'", 35))
    for where, cost in costs:
        found = behind(settings, where)
        assert (found.spread, found.elsewhere, found.lines, found.number) == (0, 0, cost, cost), (
            where
        )


def test_a_refund_over_a_months_end_stands_behind_the_holders_of_both_months(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    for day in ("08-31", "09-01"):
        world.hours(f"2025-{day}T10:00:00", 1, TRN1, "20", {}, ResourceId="i-1")
    back = {"ChargeClass": "Correction", "ResourceId": "i-1", "ConsumedQuantity": None}
    back |= {"ChargePeriodEnd": "2025-09-02T00:00:00", "BillingPeriodStart": "2025-10-01"}
    world.charge("2025-08-31T00:00:00", -8, x_UsageType=f"USW2-BoxUsage:{TRN1}", **back)
    world.charge("2025-10-30T00:00:00", 1, BillingPeriodStart="2025-10-01")
    bills = ((8, world.charges[:1]), (9, world.charges[1:2]), (10, world.charges[2:]))
    for number, lines in bills:
        folder = tmp_path / "bill" / f"BILLING_PERIOD=2025-{number:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", lines)
    settings = world.settings(sources=[{"kind": "focus", "location": "bill"}])
    pull_once(settings)
    about = {"accelerators": 16, "workload": "atlas-7b"}
    jobs = [
        held(f"2025-{day}T10:00:00", f"2025-{day}T11:00:00", run=run, job=run, **about)
        for run, day in (("a", "08-31"), ("b", "09-01"))
    ]
    deliver(settings.data, jobs)
    with one_core():
        build.build(settings)
    for where, cost in (
        ("run = 'a'", 16),
        ("run = 'b'", 16),
        ("run = 'b' AND date < '2025-09-01'", -4),
    ):
        found = behind(settings, where)
        assert (found.spread, found.lines, found.number) == (0, cost, cost), where


def test_lines_of_a_sagemaker_job_without_accelerators_stay_as_they_were(tmp_path: Path) -> None:
    world = World(tmp_path)
    arn = "arn:aws:sagemaker:us-east-1:999900000001:training-job/cpu"
    hour = "2025-09-01T10:00:00"
    world.charge(hour, 5, ResourceId=arn, x_UsageType="USE1-Train:ml.m5.xlarge")
    world.charge(hour, 2, ResourceId=arn, x_UsageType="USE1-Train:VolumeUsage.gp2")
    world.hours(hour, 1, TRN1, "20", {}, ResourceId="i-1")
    world.charge("2025-10-30T00:00:00", 1)
    settings = world.pulled()
    about = {"workload": "atlas-7b", "run": "r"}
    jobs = [
        held(hour, "2025-09-01T11:00:00", resource=arn, cluster="S", share="1", job=1, **about),
        held(hour, "2025-09-01T11:00:00", accelerators=16, job=2, **about),
    ]
    deliver(settings.data, jobs)
    with one_core():
        build.build(settings)
    for where, cost in (("attribution = 'other'", 8), ("run = 'r'", 20), ("true", 28)):
        found = behind(settings, where)
        assert (found.spread, found.lines, found.number) == (0, cost, cost), where


def test_the_volume_of_a_month_without_hours_stands_beside_that_of_a_month_with_them(
    tmp_path: Path,
) -> None:
    """Jobs know the machine by its pool alone. In September `a` held half of its hour, so the
    volume's $3 are its own; in October it did not run, and nobody held its cluster.
    """
    world, tag = World(tmp_path), {"parallelcluster:cluster-name": "hpc"}
    volume = {"ResourceId": "i-1", "x_UsageType": "EBS:VolumeUsage.gp3", "tags": tag}
    world.hours("2025-09-01T10:00:00", 1, TRN1, "20", tag, ResourceId="i-1")
    world.charge("2025-09-01T10:00:00", 3, **volume)
    world.charge("2025-10-02T10:00:00", 5, **volume)
    world.charge("2025-10-30T00:00:00", 1)
    for number, lines in ((9, world.charges[:2]), (10, world.charges[2:])):
        folder = tmp_path / "bill" / f"BILLING_PERIOD=2025-{number:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", lines)
    settings = world.settings(sources=[{"kind": "focus", "location": "bill"}])
    pull_once(settings)
    pool = {"resource": None, "pool": TRN1, "node": "n1", "accelerators": 16}
    job = held("2025-09-01T10:00:00", "2025-09-01T10:30:00", run="a", job="1", **pool)
    deliver(settings.data, [job | {"workload": "atlas-7b"}])
    with one_core():
        build.build(settings)
    for where, cost in (
        ("run = 'a'", 13),
        ("attribution = 'cluster_idle'", 10),
        ("date >= '2025-10-01'", 6),
        ("attribution = 'other'", 6),
        ("component = 'storage'", 8),
        ("true", 29),
    ):
        found = behind(settings, where)
        assert (found.spread, found.lines, found.number) == (0, cost, cost), where


def test_the_volume_of_a_held_machine_stands_as_it_was_in_a_month_without_hours(
    tmp_path: Path,
) -> None:
    """In October another machine of the cluster was held. On the second, i-1 did not run at all; on
    the third of September it did not run, and what it ran on the first makes it a machine to share.
    """
    world = World(tmp_path)
    volume = {"ResourceId": "i-1", "x_UsageType": "EBS:VolumeUsage.gp3"}
    world.hours("2025-09-01T10:00:00", 1, TRN1, "20", {}, ResourceId="i-1")
    world.charge("2025-09-03T10:00:00", 3, **volume)
    world.charge("2025-10-02T10:00:00", 5, **volume)
    world.hours("2025-10-03T10:00:00", 1, TRN1, "20", {}, ResourceId="i-2")
    world.charge("2025-10-30T00:00:00", 1)
    for number, lines in ((9, world.charges[:2]), (10, world.charges[2:])):
        folder = tmp_path / "bill" / f"BILLING_PERIOD=2025-{number:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", lines)
    settings = world.settings(sources=[{"kind": "focus", "location": "bill"}])
    pull_once(settings)
    about = {"workload": "atlas-7b", "accelerators": 16}
    jobs = [
        held(f"2025-{day}T10:00:00", f"2025-{day}T11:00:00", run=run, job=run, resource=machine)
        for run, day, machine in (("a", "09-01", "i-1"), ("b", "10-03", "i-2"))
    ]
    deliver(settings.data, [job | about for job in jobs])
    with one_core():
        build.build(settings)
    for where, cost in (
        ("run = 'a'", 23),
        ("date = '2025-09-03'", 3),
        ("run = 'b'", 20),
        ("date = '2025-10-02'", 5),
        ("attribution = 'other'", 6),
        ("component = 'storage'", 8),
        ("true", 49),
    ):
        found = behind(settings, where)
        assert (found.spread, found.lines, found.number) == (0, cost, cost), where
