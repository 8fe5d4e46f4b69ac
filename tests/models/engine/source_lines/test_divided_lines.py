"""Lines of the bill behind what an allocation gives to a run: their parts, which add up to it.

One company: cases that no charge or job ties to each other are accounts of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from models.access.scope import Scope
from models.config.settings import Settings
from models.engine.source_lines.first_lines import FirstLines
from tests.support.bills.lines_behind import MAIN, Costs, behind, costs
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import published_lines
from tests.support.world import World, pulled_by_month

D = Decimal
TRN1 = "trn1.32xlarge"
POOL_A, POOL_B, TAGGED, SAGEMAKER, UNHELD, OUTSIDE = (
    f"99990000000{number}" for number in range(2, 8)
)
ACCOUNTS = (MAIN, POOL_A, POOL_B, TAGGED, SAGEMAKER, UNHELD, OUTSIDE)
Whole = Mapping[str, tuple[Costs, Costs]]
Jobs = list[dict[str, object]]


def main(world: World) -> Jobs:
    """Three hours of a shared machine, an hour of a pool of two, and a run with a tag.

    Of i-1 `a` has half from 10:00, `b` half until 10:30 and all from 12:00; 9:00 is idle.
    """
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
    atlas, other = {"workload": "atlas-7b", "run": "a"}, {"workload": "other", "run": "b"}
    day = "2025-09-01T"
    pool = {"cluster": "lab", "resource": None, "pool": TRN1, "node": "n1"}
    return [
        held(f"{day}10:00:00", f"{day}12:00:00", accelerators=8, job="1", **atlas),
        held(f"{day}10:00:00", f"{day}10:30:00", accelerators=8, job="2", **other),
        held(f"{day}12:00:00", f"{day}12:30:00", accelerators=16, job="3", **other),
        held(f"{day}10:00:00", f"{day}11:00:00", accelerators=16, job="4", **pool, **atlas),
    ]


def pools_of_one_name(world: World) -> None:
    """Two accounts have a pool each, both of cluster `twin`."""
    tag = {"parallelcluster:cluster-name": "twin"}
    for machine, account, cost in (("i-a", POOL_A, "60"), ("i-b", POOL_B, "90")):
        about = {"ResourceId": machine, "SubAccountId": account}
        world.hours("2025-09-01T10:00:00", 1, TRN1, cost, tag, **about)


def deliver_to_pools_of_one_name(data: Path) -> None:
    pool = {"cluster": "twin", "resource": None, "pool": TRN1, "node": "n1", "accelerators": 16}
    for account, until, run in ((POOL_A, "11:00", "pool-a"), (POOL_B, "10:30", "pool-b")):
        named = {"workload": "atlas-7b", "run": run, "job": run}
        job = held("2025-09-01T10:00:00", f"2025-09-01T{until}:00", **pool, **named)
        deliver(data, [job], place=f"{account}/")


def tagged_machine(world: World) -> Jobs:
    """On the first day a job holds half, of the second nothing is told, of the third a part."""
    tags = {"workload": "atlas-7b", "parallelcluster:cluster-name": "told"}
    for day in (1, 2, 3):
        about = {"ResourceId": "i-told", "SubAccountId": TAGGED}
        world.hours(f"2025-09-0{day}T10:00:00", 1, TRN1, "20", tags, **about)
    about = {"cluster": "told", "resource": "i-told", "accelerators": 8, "run": "told", "job": 1}
    about |= {"workload": "other"}
    return [
        held("2025-09-01T10:00:00", "2025-09-01T11:00:00", **about),
        held("2025-09-03T10:00:00", None, observed_at="2025-09-03T10:30:00Z", **about),
    ]


def sagemaker_job(world: World) -> Jobs:
    """A job of SageMaker without accelerators, and a machine that a job held."""
    arn = f"arn:aws:sagemaker:us-east-1:{SAGEMAKER}:training-job/cpu"
    hour, account = "2025-09-01T10:00:00", {"SubAccountId": SAGEMAKER}
    world.charge(hour, 5, ResourceId=arn, x_UsageType="USE1-Train:ml.m5.xlarge", **account)
    world.charge(hour, 2, ResourceId=arn, x_UsageType="USE1-Train:VolumeUsage.gp2", **account)
    world.hours(hour, 1, TRN1, "20", {}, ResourceId="i-s", **account)
    about = {"workload": "atlas-7b", "run": "sage"}
    machine = {"cluster": "sage", "resource": "i-s", "accelerators": 16, "job": 2}
    return [
        held(hour, "2025-09-01T11:00:00", resource=arn, cluster="S", share="1", job=1, **about),
        held(hour, "2025-09-01T11:00:00", **machine, **about),
    ]


def volume_of_an_unheld_month(world: World) -> Jobs:
    """Jobs know the machine by its pool alone. In September `a` held half of its hour, so the
    volume's $3 are its own; in October it did not run, and nobody held its cluster.
    """
    tag, account = {"parallelcluster:cluster-name": "unheld"}, {"SubAccountId": UNHELD}
    volume = {"ResourceId": "i-u", "x_UsageType": "EBS:VolumeUsage.gp3", "tags": tag, **account}
    world.hours("2025-09-01T10:00:00", 1, TRN1, "20", tag, ResourceId="i-u", **account)
    world.charge("2025-09-01T10:00:00", 3, **volume)
    world.charge("2025-10-02T10:00:00", 5, **volume)
    pool = {"cluster": "unheld", "resource": None, "pool": TRN1, "node": "n1", "accelerators": 16}
    about = {"workload": "atlas-7b", "run": "unheld", "job": "1"}
    return [held("2025-09-01T10:00:00", "2025-09-01T10:30:00", **about, **pool)]


def volume_of_a_held_machine(world: World) -> Jobs:
    """In October another machine of the cluster was held. On the second, i-o1 did not run at all;
    on the third of September it did not run, and what it ran on the first makes it one to share.
    """
    account = {"SubAccountId": OUTSIDE}
    volume = {"ResourceId": "i-o1", "x_UsageType": "EBS:VolumeUsage.gp3", **account}
    world.hours("2025-09-01T10:00:00", 1, TRN1, "20", {}, ResourceId="i-o1", **account)
    world.charge("2025-09-03T10:00:00", 3, **volume)
    world.charge("2025-10-02T10:00:00", 5, **volume)
    world.hours("2025-10-03T10:00:00", 1, TRN1, "20", {}, ResourceId="i-o2", **account)
    about = {"cluster": "outside", "workload": "atlas-7b", "accelerators": 16}
    return [
        held(f"2025-{day}T10:00:00", f"2025-{day}T11:00:00", run=run, job=run, resource=machine)
        | about
        for run, day, machine in (("held-9", "09-01", "i-o1"), ("held-10", "10-03", "i-o2"))
    ]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    world = World(tmp_path_factory.mktemp("lines"))
    jobs = [*main(world), *tagged_machine(world), *sagemaker_job(world)]
    jobs += [*volume_of_an_unheld_month(world), *volume_of_a_held_machine(world)]
    pools_of_one_name(world)
    for account in (MAIN, SAGEMAKER, UNHELD, OUTSIDE):
        world.charge("2025-10-30T00:00:00", 1, SubAccountId=account)
    settings = pulled_by_month(world)
    deliver(settings.data, jobs)
    deliver_to_pools_of_one_name(settings.data)
    published_lines(settings)
    return settings


@pytest.fixture(scope="module")
def whole(settings: Settings) -> Whole:
    """All lines and numbers of each account."""
    return costs(settings, " ".join(ACCOUNTS))


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


def test_what_nobody_held_has_lines_too_and_all_lines_are_the_bill(
    settings: Settings, whole: Whole
) -> None:
    idle = behind(settings, "attribution = 'cluster_idle'")
    assert (idle.spread, idle.lines) == (0, idle.number)
    assert ("09:00", "i-1", D("0.75"), D("16.125")) in parts(idle)
    lines, numbers = (sum(each.values()) for each in whole[MAIN])
    assert lines == numbers == D("64.50") + D("14.255") + 40 + 48 + 20 + 1


def test_a_scope_sees_its_own_parts_alone_and_they_add_up(settings: Settings) -> None:
    scope = Scope(patterns=("atlas-*",))
    found = behind(settings, "attribution = 'direct'", scope=scope)
    assert {row["workload"] for row in found.rows} == {"atlas-7b"}
    assert (found.spread, found.lines) == (0, D("44.1875") + 48)
    assert not behind(settings, "run = 'b' OR attribution = 'shared'", scope=scope).count


def test_lines_of_pools_of_one_name_stand_behind_the_jobs_of_their_account(whole: Whole) -> None:
    lines, numbers = whole[POOL_A]
    assert lines == numbers == {"pool-a": 60}
    lines, numbers = whole[POOL_B]
    assert lines == numbers == {"pool-b": 45, "cluster_idle": 45}


def test_lines_of_a_day_without_allocations_stand_behind_their_own_tag(whole: Whole) -> None:
    lines, numbers = whole[TAGGED]
    assert lines == numbers == {"told": 15, "cluster_idle": 10, "atlas-7b": 35}


def test_lines_of_a_sagemaker_job_without_accelerators_stay_as_they_were(whole: Whole) -> None:
    lines, numbers = whole[SAGEMAKER]
    assert lines == numbers == {"other": 8, "sage": 20}


def test_the_volume_of_a_month_without_hours_stands_beside_that_of_a_month_with_them(
    whole: Whole,
) -> None:
    lines, numbers = whole[UNHELD]
    assert lines == numbers == {"unheld": 13, "cluster_idle": 10, "other": 6}


def test_the_volume_of_a_held_machine_stands_as_it_was_in_a_month_without_hours(
    whole: Whole,
) -> None:
    """Of a day on which its cluster ran nothing the volume is shared by who held it that month."""
    lines, numbers = whole[OUTSIDE]
    assert numbers == {"held-9": 23, "held-10": 20, "other": 6}
    assert lines == {"held-9": 20, "shared": 3, "held-10": 20, "other": 6}


def test_volumes_are_found_by_days_on_which_their_machines_did_not_run(settings: Settings) -> None:
    both = f"{UNHELD} {OUTSIDE}"
    told = costs(settings, both, "date IN ('2025-09-03', '2025-10-02')")
    assert told[UNHELD] == ({"other": 5}, {"other": 5})
    assert told[OUTSIDE] == ({"shared": 3, "other": 5}, {"held-9": 3, "other": 5})
    told = costs(settings, both, "component = 'storage'")
    lines = {account: each for account, (each, _) in told.items()}
    assert lines == {UNHELD: {"unheld": 3, "other": 5}, OUTSIDE: {"shared": 3, "other": 5}}
