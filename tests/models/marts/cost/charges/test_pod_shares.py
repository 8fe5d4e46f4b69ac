"""METHOD §2.9: parents count, pods only refine attribution."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

DAY = "2025-09-02T00:00:00"
ASKED = ("spend_daily", "runs", "tie_out")
TRN1, P4D, G5 = "trn1.32xlarge", "p4d.24xlarge", "g5.48xlarge"


def pod(world: World, workload: str | None, run: str | None, cost: object, **said: object) -> None:
    tags = {"workload": workload, "run": run, "team": said.pop("team", None)}
    world.charge(
        DAY,
        cost,
        ConsumedUnit="Hours",
        tags={name: value for name, value in tags.items() if value},
        **{"ConsumedQuantity": 1, "x_UsageType": "USE1-EKS-EC2-vCPU-Hours"} | said,
    )


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(Path(tmp_path_factory.mktemp("hosted")))
    # pods that name no instance: all of the one box with their workload's tag
    world.hours(DAY, 20, TRN1, 16, {"workload": "loose"}, ResourceId="i-1", BilledCost=430)
    pod(world, "loose", "l1", 240, ResourceId="pod/l1")
    pod(world, "loose", "l2", 80, ResourceId="pod/l2")
    # of the same account and day, but a run's own: no pod touches it
    world.hours(DAY, 10, TRN1, 16, {"workload": "own", "run": "o1"})
    world.hours(DAY, 1, TRN1, 16, {"workload": "own"}, ResourceId="i-2")
    pod(world, "own", "o2", 16)
    # two types, so which one is not known
    world.hours(DAY, 1, TRN1, 16, {"workload": "torn"})
    world.hours(DAY, 1, P4D, 25, {"workload": "torn"})
    pod(world, "torn", "x1", 16)
    # in another region, a box without any tag; a tenth of it is left unused
    west = {"RegionId": "us-west-2"}
    world.hours(DAY, 12, TRN1, 16, {}, **west)
    world.hours(DAY, -2, TRN1, 16, {}, ChargeCategory="Adjustment", **west)
    pod(world, "west", "w1", 96, **west)
    pod(world, None, "w2", 48, **west)
    world.sample(DAY, "w2", 0, workload="west")
    # beside it what no pod can have used, and in the first region a box that nobody's pods know
    world.hours(DAY, 1, TRN1, 5, {}, CapacityReservationStatus="Unused", **west)
    plan = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    world.hours(DAY, 1, TRN1, 3, {}, **plan, **west)
    world.hours(DAY, 1, TRN1, -2, {}, ChargeCategory="Credit", ListCost=-2, **west)
    world.hours(DAY, 1, TRN1, 16, {})
    return some_marts(world.pulled(), *ASKED)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """A report in FOCUS form that names the pods' instances and splits their costs."""
    world = World(Path(tmp_path_factory.mktemp("told")))
    world.config["tags"] = {"extra": ["purpose", "recipe", "team"]}
    world.hours(DAY, 10, TRN1, "0.1", {"workload": "w"}, ResourceId="i-1")
    world.hours(DAY, 14, P4D, 25, {"team": "shop"}, ResourceId="i-2")
    world.hours(DAY, 10, P4D, 25, {"team": "shop"}, ResourceId="i-2", CommitmentDiscountId="sp-1")
    world.hours(DAY, 24, P4D, 25, {}, ResourceId="i-3")
    world.hours(DAY, 2, P4D, 25, {"workload": "w", "run": "own"}, ResourceId="i-4")
    world.hours(DAY, 7, "p5.48xlarge", 0, {}, ResourceId="i-5", ListCost=0, ContractedCost=0)

    on = partial(_split, world)
    for run in ("a", "b", "c"):
        on("i-1", run, "0.3")
    on("i-2", "a", 100)
    on("i-2", "a", 50, CommitmentDiscountId="sp-2")
    on("i-2", None, 150)
    on("i-4", "a", 25)
    on("i-5", "a", 0, ConsumedQuantity=4)
    on("i-5", "a", 0, ConsumedQuantity=2, CommitmentDiscountId="sp-1")
    on("i-5", "b", 0, ConsumedQuantity=1)
    on("i-6", "a", 9)
    world.hours(DAY, 10, G5, 10, {"team": "shop"}, ResourceId="i-7")
    on("i-7", "d", 100, team="crew")
    on("i-7", "undone", "-0.5")
    _metered(world)
    world.hours(DAY, 10, "g6.12xlarge", 16, {"workload": "half"}, ResourceId="i-11")
    pod(world, "half", "h1", 0, ParentResourceId="i-11", SplitCost=100)
    pod(world, "half", "h2", 0, SplitCost=50)
    return some_marts(world.pulled(), *ASKED)


def _split(world: World, host: str, run: str | None, split: object, **said: object) -> None:
    name = f"arn:aws:eks:us-east-1:999900000001:pod/of-{host}/default/{run}/u"
    about = {"ParentResourceId": host, "SplitCost": split, "ResourceId": name}
    pod(world, "w", run, 0, **about | said)


def _metered(world: World) -> None:
    """Pods at no cost: by two meters, of which the one or the other is common; and by one."""
    on = partial(_split, world)
    chips = {"x_UsageType": "USE1-EKS-EC2-Accelerator-Hours"}
    for host, common in (("i-8", {}), ("i-9", chips)):
        world.hours(DAY, 7, "g6.48xlarge", 0, {}, ResourceId=host, ListCost=0, ContractedCost=0)
        on(host, "a", 0)
        on(host, "a", 0, **chips)
        on(host, "b", 0, **common)
    world.hours(DAY, 7, "g6.24xlarge", 10, {}, ResourceId="i-10")
    on("i-10", "a", 0, ConsumedQuantity=6)
    on("i-10", "b", 0, ConsumedQuantity=1)


def spent(marts: Marts, where: str = "true") -> list[tuple[object, ...]]:
    rows = marts.rows(
        "SELECT run, attribution AS bucket, effective_cost, billed_cost, list_cost, "
        f"accelerator_hours FROM spend_daily WHERE {where} ORDER BY ALL"
    )
    return [tuple(row.values()) for row in rows]


def test_pods_divide_their_instance_on_every_basis(marts: Marts) -> None:
    """320 effective, 430 billed and listed, 20 hours of 16 accelerators: three quarters, one."""
    assert spent(marts, "workload = 'loose'") == [
        ("l1", "direct", 240, Decimal("322.5"), Decimal("322.5"), 15 * 16),
        ("l2", "direct", 80, Decimal("107.5"), Decimal("107.5"), 5 * 16),
    ]
    runs = marts.rows("SELECT run, cost FROM runs WHERE workload = 'loose' ORDER BY run")
    assert runs == [{"run": "l1", "cost": 240}, {"run": "l2", "cost": 80}]


def test_what_pods_leave_unused_stays_with_the_instances_own_tags(marts: Marts) -> None:
    """Of 160 dollars the pods used 96 and 48; the run of the second tells its workload."""
    assert spent(marts, "region = 'us-west-2'") == [
        ("w1", "direct", 96, 96, 129, 6 * 16),
        ("w2", "direct", 48, 48, Decimal("64.5"), 3 * 16),
        (None, "credit", -2, -2, -2, None),
        (None, "idle_commitment", 3, 3, Decimal("21.5"), 16),
        (None, "idle_commitment", 5, 5, Decimal("21.5"), 16),
        (None, "untagged", 16, 16, Decimal("21.5"), 16),
    ]


def test_pods_divide_nothing_where_their_instance_is_in_doubt(marts: Marts) -> None:
    own = spent(marts, "workload = 'own'")
    assert [row[:3] for row in own] == [("o1", "direct", 160), ("o1", "shared", 16)]
    torn = spent(marts, "workload = 'torn'")
    assert [row[:3] for row in torn] == [(None, "overhead", 16), (None, "overhead", 25)]
    nobodys = spent(marts, "workload IS NULL AND region = 'us-east-1'")
    assert [row[:3] for row in nobodys] == [(None, "untagged", 16)]


def test_without_rows_of_accelerators_pods_hold_what_aws_split_to_them(told: Marts) -> None:
    """Pods used 0.9 of a dollar in three; a tenth was nobody's, whoever's tag the instance has."""
    third = Decimal("0.3")
    found = spent(told, f"instance_type = '{TRN1}'")
    assert [row[:3] for row in found] == [
        ("a", "direct", third),
        ("b", "direct", third),
        ("c", "direct", third),
        (None, "cluster_idle", Decimal("0.1")),
    ]
    assert [sum(Decimal(str(row[n])) for row in found) for n in (2, 4, 5)] == [1, 215, 160]


def test_named_pods_divide_their_own_instance_and_no_other(told: Marts) -> None:
    """i-2 cost 600, of which a pod of run a used 150 and one of no run as much."""
    rows = told.rows(
        "SELECT workload, run, tag_team AS team, attribution, sum(effective_cost) AS cost "
        f"FROM spend_daily WHERE instance_type = '{P4D}' AND attribution <> 'shared' "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("w", "a", "shop", "direct", 150),
        ("w", "own", None, "direct", 50),
        (None, None, "shop", "cluster_idle", 300),
        (None, None, None, "untagged", 600),
    ]
    shared = told.row(
        f"SELECT sum(effective_cost) AS c FROM spend_daily WHERE instance_type = '{P4D}' "
        "AND attribution = 'shared'"
    )
    assert shared == {"c": 150}


def test_a_pod_that_names_no_instance_has_no_part_in_one_that_others_name(told: Marts) -> None:
    """i-11 cost 160, of which its own pod used 100."""
    found = spent(told, "instance_type = 'g6.12xlarge'")
    assert [row[:3] for row in found] == [("h1", "direct", 100), (None, "cluster_idle", 60)]


def test_a_pods_own_tags_come_before_its_instances(told: Marts) -> None:
    found = f"SELECT run, tag_team FROM spend_daily WHERE instance_type = '{G5}'"
    assert told.rows(found) == [{"run": "d", "tag_team": "crew"}]


def test_pods_to_which_nothing_is_split_hold_nothing(told: Marts) -> None:
    """Hours of a Capacity Block, and a machine whose pods cost nothing: by processors no part."""
    found = spent(told, "instance_type IN ('p5.48xlarge', 'g6.24xlarge')")
    assert [(row[1], row[5]) for row in found] == [("cluster_idle", 28), ("cluster_idle", 56)]


def test_pods_hold_the_accelerators_that_their_rows_count(told: Marts) -> None:
    """Of two machines of seven hours and eight GPUs: an hour of one GPU each; vCPUs are none."""
    found = spent(told, "instance_type = 'g6.48xlarge'")
    assert [(row[0], row[1], row[5]) for row in found] == [
        ("a", "direct", 2),
        ("b", "direct", 1),
        (None, "cluster_idle", 2 * 7 * 8 - 3),
    ]


@pytest.mark.parametrize("world", ["marts", "told"])
def test_pods_rows_are_no_charges(world: str, request: pytest.FixtureRequest) -> None:
    tied = request.getfixturevalue(world).rows(
        "SELECT sum(bill_total)::INT AS total, sum(remainder)::DECIMAL(38, 9) AS off "
        "FROM tie_out GROUP BY basis ORDER BY basis"
    )
    totals = {"marts": [430 + 399, 320 + 399], "told": [1581, 1581]}[world]
    assert tied == [{"total": total, "off": 0} for total in totals]


def test_a_node_with_the_tag_of_the_pods_cluster_is_of_its_pool(tmp_path: Path) -> None:
    """No source of allocations is configured: the pods of the bill are them (METHOD §2.9)."""
    world, tag = World(tmp_path), {"aws:eks:cluster-name": "prod"}
    world.hours(DAY, 1, TRN1, 16, tag, ResourceId="i-1")
    world.hours(DAY, 2, TRN1, 16, tag, ResourceId="i-2")
    world.hours(DAY, 3, TRN1, 16, {"aws:eks:cluster-name": "other"}, ResourceId="i-3")
    chips = {"x_UsageType": "USE1-EKS-EC2-Accelerator-Hours", "ConsumedQuantity": 16}
    name = "arn:aws:eks:us-east-1:999900000001:pod/prod/default/a/u"
    pod(world, "w", "a", 0, ParentResourceId="i-1", SplitCost=16, ResourceId=name, **chips)
    world.charge(DAY, "2.40", tags=tag, x_UsageType="USE1-AmazonEKS-Hours:perCluster")
    found = some_marts(world.pulled(), *ASKED).rows(
        "SELECT attribution AS bucket, run, sum(effective_cost) AS cost FROM spend_daily "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("cluster_idle", None, 32),
        ("direct", "a", 16),
        ("shared", "a", Decimal("2.4")),
        ("untagged", None, 48),
    ]


def test_a_pods_ratio_counts_where_its_row_has_no_usage(tmp_path: Path) -> None:
    """METHOD §2.9: three quarters and a quarter; c's reserved usage counts before its ratio."""
    world = World(tmp_path)
    for host in ("i-1", "i-2"):
        world.hours(DAY, 1, TRN1, 16, {}, ResourceId=host)
    meter = {"x_UsageType": "USE1-EKS-EC2-Accelerator-Hours", "ConsumedQuantity": 1}
    for host, run, ratio, reserved in (
        ("i-1", "a", "0.75", ""), ("i-1", "b", "0.25", ""), ("i-2", "c", "0.75", "8"),
    ):  # fmt: skip
        told = {"x_SplitUsageRatio": ratio, "x_SplitReservedUsage": reserved}
        _split(world, host, run, 8, **meter, **told)
    found = some_marts(world.pulled(), *ASKED).rows(
        "SELECT attribution AS bucket, run, sum(effective_cost) AS cost FROM spend_daily "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("cluster_idle", None, 8), ("direct", "a", 12), ("direct", "b", 4), ("direct", "c", 8),
    ]  # fmt: skip


def test_clusters_of_one_name_in_two_accounts_count_accelerators_each_for_itself(
    tmp_path: Path,
) -> None:
    """The rows of accelerators in the first account say nothing of pods in the second."""
    world, other = World(tmp_path), {"SubAccountId": "999900000002"}
    world.hours(DAY, 1, TRN1, 16, {}, ResourceId="i-1")
    world.hours(DAY, 1, P4D, 20, {}, ResourceId="i-2", **other)
    name = "arn:aws:eks:us-east-1:{}:pod/prod/default/{}/u"
    chips = {"x_UsageType": "USE1-EKS-EC2-Accelerator-Hours", "ConsumedQuantity": 16}
    first = {"ParentResourceId": "i-1", "ResourceId": name.format("999900000001", "a")}
    second = {"ParentResourceId": "i-2", "ResourceId": name.format("999900000002", "b")}
    pod(world, "w", "a", 0, SplitCost=1, **first, **chips)
    pod(world, "w", "b", 0, SplitCost=15, **second, **other)
    found = some_marts(world.pulled(), *ASKED).rows(
        "SELECT attribution AS bucket, run, sum(effective_cost) AS cost FROM spend_daily "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("cluster_idle", None, 5), ("direct", "a", 16), ("direct", "b", 15),
    ]  # fmt: skip
