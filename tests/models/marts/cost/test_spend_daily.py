"""METHOD §2.6: every cent in exactly one bucket, the first that holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts, World

DAY = "2025-09-02T00:00:00"
TRN1, P4D, P5 = "trn1.32xlarge", "p4d.24xlarge", "p5.48xlarge"
BOX = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
RULES = [
    {"match": {"job.name": "a+b (*)", "pool": "*"}, "run": "t9"},
    {"match": {"user:pool": "b*e"}, "run": "never", "workload": "blue-7b"},
    {"match": {"pool": "*"}, "workload": "late-7b", "from": "2025-09-02"},
]
RUNS = [
    {"run": "told", "workload": "config-7b"},
    {"run": "known", "recipe": "full"},
    {"run": "r2", "recipe": "sft"},
]


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """One bill with an account for each case, where the workload is the account's."""
    world = World(tmp_path_factory.mktemp("spend"))
    for case in (
        every_bucket, options, reversals, three_ways, given_back, disks, mixed, named_elsewhere,
        ruled, repeats, negated, described, free_blocks, free_beside_paid, offset,
    ):  # fmt: skip
        before = len(world.charges)
        case(world)
        for line in world.charges[before:]:
            line["SubAccountId"] = case.__name__
    said = {"tags": {"extra": ["purpose", "recipe", "team"]}, "tag_rules": RULES, "runs": RUNS}
    return some_marts(world.pulled(**said), "spend_daily", "runs", "tie_out")


def of(workload: str, run: str = "t1") -> dict[str, str]:
    return {"workload": workload, "run": run}


def spent(marts: Marts, case: Callable[[World], None], text: str, more: str = "true") -> list[Any]:
    """Tuples of what `text` asks of a case's account."""
    columns, _, order = text.partition(" ORDER BY ")
    query = f"SELECT {columns} FROM spend_daily WHERE account = ? AND {more} GROUP BY ALL "
    rows = marts.rows(f"{query} ORDER BY {order or 'ALL'}", case.__name__)
    return [tuple(row.values()) for row in rows]


def buckets(marts: Marts, case: Callable[[World], None], more: str = "true") -> dict[str, Decimal]:
    return dict(spent(marts, case, "attribution, sum(billed_cost)", more))


def every_bucket(world: World) -> None:
    idle = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    lump, own, both = {"ChargeClass": "Correction"}, {"workload": "every"}, of("every")
    world.charge(DAY, 1, ChargeCategory="Tax", ServiceName="AWS Support (Business)", tags=both)
    world.charge(DAY, 2, ServiceName="AWS Support (Business)", tags=both, **BOX)
    world.charge(DAY, -3, ChargeCategory="Credit", tags=both, **BOX)
    world.charge(DAY, -4, ChargeCategory="Adjustment", tags=both)
    world.charge(DAY, -5, tags=both, **lump)
    world.charge(DAY, 6, ChargeCategory="Purchase", tags=both, **BOX)
    world.charge(DAY, 7, tags=both, **BOX | idle)
    world.charge(DAY, 8, tags=both, CapacityReservationStatus="Unused", **BOX)
    world.charge(DAY, 9, tags=both, x_UsageType=f"USE2-UnusedBox:{TRN1}", ConsumedQuantity=1)
    world.charge(DAY, 10, tags=both, **BOX)
    world.charge(DAY, 11, tags=own, **BOX)
    world.charge(DAY, 12, tags={"workload": "nobody-ran"}, **BOX)
    world.charge(DAY, 13, **BOX)
    world.charge(DAY, 14, tags={"run": "nameless"}, **BOX)
    world.charge(DAY, 15, **BOX | {"x_UsageType": "BoxUsage:m5.large"})
    world.charge(DAY, 16, tags={"run": "nameless"}, x_UsageType="EBS:VolumeUsage.gp3")
    world.charge(DAY, 17, ProviderName="Microsoft", ChargeCategory="Tax", tags=both)
    world.charge(DAY, 18, ProviderName="Amazon Web Services", tags=both, **BOX)
    world.charge(DAY, 19, x_UsageType="BoxUsage:inf2.48xlarge", ConsumedQuantity=1)


def test_the_first_bucket_that_holds_takes_the_charge(marts: Marts) -> None:
    assert buckets(marts, every_bucket) == {
        "tax": 1, "support": 2, "credit": -3, "refund": -9, "purchase": 6, "idle_commitment": 24,
        "direct": 28, "shared": 11, "overhead": 12, "untagged": 27, "other": 15 + 16 + 17 + 19,
    }  # fmt: skip
    assert spent(marts, every_bucket, "workload, run", "billed_cost = 1") == [(None, None)]
    for kept in (-3, -9, 7, 28, 11, 12):
        ((workload,),) = spent(marts, every_bucket, "workload", f"billed_cost = {kept}")
        assert workload is not None
    for repeating in (-3, 6):
        hours = "instance_hours, accelerator_hours"
        found = spent(marts, every_bucket, hours, f"billed_cost = {repeating}")
        assert found == [(None, None)]


def options(world: World) -> None:
    tags = of("options")
    world.charge(DAY, 1, tags=tags, **BOX)
    world.charge(DAY, 2, tags=tags, PricingCategory="Dynamic", **BOX)
    world.charge(DAY, 0, tags=tags, PricingCategory="Dynamic", **BOX)
    world.charge(DAY, 4, tags=tags, **BOX | {"x_UsageType": f"USE2-SpotUsage:{TRN1}"})
    world.charge(DAY, 8, tags=tags, PricingCategory="Committed", **BOX)
    world.charge(DAY, 16, tags=tags, CommitmentDiscountId="sp-1", **BOX)


def test_how_hours_were_bought(marts: Marts) -> None:
    """An hour of Spot that AWS interrupted is free, and none of a Capacity Block."""
    bought = "purchase_option, sum(effective_cost), sum(accelerator_hours)"
    assert spent(marts, options, bought) == [
        ("committed", 24, 32),
        ("on_demand", 1, 16),
        ("spot", 6, 48),
    ]


def reversals(world: World) -> None:
    box = BOX | {"tags": of("reversals")}
    world.charge(DAY, 100, **box | {"ConsumedQuantity": 5})
    undone = {"ChargeClass": "Correction", "BillingPeriodStart": "2025-10-01", "ListCost": -40}
    hours = undone | {"ConsumedQuantity": -2}
    world.charge(DAY, -40, ResourceId="i-1", **box | hours)
    unsaid = undone | {"x_UsageType": "", "ChargeCategory": "Adjustment", "ConsumedQuantity": ""}
    world.charge(DAY, -30, ResourceId="i-1", **box | unsaid)


def test_a_correction_that_names_what_it_corrects_reverses_it_on_its_day(marts: Marts) -> None:
    sums = "billing_period, attribution, sum(effective_cost), sum(instance_hours) ORDER BY 1, 2"
    assert spent(marts, reversals, sums) == [
        ("2025-09", "direct", Decimal(100), Decimal(5)),
        ("2025-10", "direct", Decimal(-70), Decimal(-2)),
    ]


def three_ways(world: World) -> None:
    for run in ("t1", "t2", "t3"):
        world.hours(DAY, 1, TRN1, 16, of("thirds", run))
    world.hours(DAY, 9, P4D, 25, of("thirds", "g1"))
    world.hours("2025-09-03T00:00:00", 3, TRN1, 16, of("thirds"))
    own = {"workload": "thirds"}
    world.charge(DAY, "100.00", tags=own, **BOX)
    world.charge("2025-09-20T00:00:00", "0.000000001", tags=own, x_UsageType="EBS:VolumeUsage.gp3")
    world.charge("2025-10-01T00:00:00", "5.00", tags=own, x_UsageType="EBS:VolumeUsage.gp3")


def test_a_three_way_split_adds_up_to_the_cent_and_beyond(marts: Marts) -> None:
    shared = "attribution = 'shared' AND component = 'accelerator'"
    third = Decimal("33.333333333")
    assert spent(marts, three_ways, "run, effective_cost", shared) == [
        ("t1", third + Decimal("1e-9")),
        ("t2", third),
        ("t3", third),
    ]
    assert buckets(marts, three_ways, "component = 'storage'") == {
        "shared": Decimal("0.000000001"),
        "overhead": Decimal("5.00"),
    }
    hours = spent(marts, three_ways, "sum(instance_hours)", "run IS NOT NULL")
    assert hours == [(3 + 9 + 3 + 1,)]


def given_back(world: World) -> None:
    for day, run, hours in (("05", "g0", 1), ("09", "g1", 1), ("09", "g2", 3)):
        world.hours(f"2025-09-{day}T00:00:00", hours, P4D, 25, of("back", run))
    world.hours("2025-09-09T00:00:00", 1, TRN1, 16, of("back"))
    for day, kind, cost in ((4, P4D, -1), (20, P4D, -40), (21, P4D, 8), (20, TRN1, -2)):
        told = {"x_UsageType": f"BoxUsage:{kind}", "tags": {"workload": "back"}}
        world.charge(f"2025-09-{day:02}T00:00:00", cost, ChargeCategory="Adjustment", **told)


def test_gpu_hours_given_back_on_a_day_without_a_run_fall_on_the_last_that_had_one(
    marts: Marts,
) -> None:
    """A GPU's overhead counts in no saving; what it costs, and Trainium's, stays overhead."""
    sums = "day(date), attribution, run, sum(effective_cost)"
    assert spent(marts, given_back, sums, "attribution != 'direct'") == [
        (4, "overhead", None, -1),
        (20, "overhead", None, -2),
        (20, "shared", "g1", -10),
        (20, "shared", "g2", -30),
        (21, "overhead", None, 8),
    ]


def disks(world: World) -> None:
    """2 h × 8 accelerators against 1 h × 16."""
    world.hours("2025-09-02T00:00:00", 1, TRN1, 16, of("disks"))
    world.hours("2025-09-09T00:00:00", 2, P4D, 25, of("disks", "g1"))
    own = {"workload": "disks"}
    world.charge("2025-09-20T00:00:00", 60, tags=own, x_UsageType="EBS:VolumeUsage.gp3")


def test_storage_without_a_platform_is_split_over_the_months_runs(marts: Marts) -> None:
    columns = "date, run, hardware, effective_cost"
    assert spent(marts, disks, columns, "component = 'storage'") == [
        (date(2025, 9, 20), "g1", "gpu", 30),
        (date(2025, 9, 20), "t1", "trainium", 30),
    ]


def mixed(world: World) -> None:
    for day in ("2025-09-02", "2025-09-03", "2025-09-04"):
        world.hours(f"{day}T00:00:00", 24, P4D, 20, of("mixed"))
    world.hours("2025-09-05T00:00:00", 24, TRN1, 16, of("mixed"))
    world.charge(DAY, 1, tags=of("mixed"), x_UsageType="EBS:VolumeUsage.gp3")


def test_the_hardware_is_that_of_most_accelerator_hours_and_all_rows_inherit_it(
    marts: Marts,
) -> None:
    assert spent(marts, mixed, "hardware") == [("gpu",)]
    run = marts.row("SELECT hardware, platform, flags FROM runs WHERE workload = 'mixed'")
    assert (run["hardware"], run["platform"]) == ("gpu", "p4d")
    assert "mixed_hardware" in run["flags"]


def named_elsewhere(world: World) -> None:
    for run, cost in (("known", 1), ("told", 2), ("twice", 4), ("nobody", 8)):
        world.hours(DAY, 1, TRN1, cost, {"run": run})
    for run in ("known", "told", "twice"):
        world.sample(DAY, run, 0)
    world.sample(DAY, "twice", 0, workload="other")


def test_the_workload_of_a_run_tag_comes_from_progress_or_the_config(marts: Marts) -> None:
    sums = "workload, run, attribution, sum(billed_cost) ORDER BY 4"
    assert spent(marts, named_elsewhere, sums) == [
        ("atlas-7b", "known", "direct", 1),
        ("config-7b", "told", "direct", 2),
        (None, None, "untagged", 4 + 8),
    ]


def test_tag_rules_correct_history_from_their_date_without_ingesting_again(bill: World) -> None:
    group = {"aws:autoscaling:groupName": "atlas-blue"}
    for day, cost in (("2025-09-01", 1), ("2025-09-02", 2)):
        bill.hours(f"{day}T00:00:00", 1, TRN1, cost, group)
    bill.hours(DAY, 1, TRN1, 4, group | {"workload": "wrong"})
    bill.hours(DAY, 1, TRN1, 8, {"aws:autoscaling:groupName": "xatlas-blue"})
    bill.hours("2025-09-01T00:00:00", 1, TRN1, 16, {"aws:autoscaling:groupName": "borea-blue"})
    rule, always = (
        {"match": {"aws:autoscaling:groupName": f"{name}-*"}, "workload": f"{name}-7b"}
        for name in ("atlas", "borea")
    )
    query = "SELECT coalesce(workload, attribution) AS whose, sum(billed_cost) AS cost "
    query += "FROM spend_daily GROUP BY ALL"
    bill.pulled()
    for rules, expected in (
        ([], {"wrong": 4, "untagged": 1 + 2 + 8 + 16}),
        (
            [{**rule, "from": "2025-09-02"}, always],
            {"atlas-7b": 2 + 4, "borea-7b": 16, "untagged": 1 + 8},
        ),
    ):
        rows = some_marts(bill.settings(tag_rules=rules), "spend_daily").rows(query)
        assert {row["whose"]: row["cost"] for row in rows} == expected


def ruled(world: World) -> None:
    node = {"user:job.name": "a+b (7)", "user_pool": "blue"}
    world.charge(DAY, 1, tags=node, **BOX)
    world.charge(DAY, 2, tags=node | {"run": "own", "workload": "own-7b"}, **BOX)
    world.charge(DAY, 4, tags={"job.name": "aab (7)", "pool": "blue"}, **BOX)
    world.charge(DAY, 8, tags={"pool": "red"}, **BOX)
    green = {"x_UsageType": f"BoxUsage:{TRN1}", "tags": {"pool": "green"}}
    world.charge("2025-09-01T23:00:00", 16, **green)


def test_of_overlapping_rules_the_first_wins_for_each_name(marts: Marts) -> None:
    assert spent(marts, ruled, "workload, run, sum(billed_cost) ORDER BY 3") == [
        ("blue-7b", "t9", 3),
        ("blue-7b", "never", 4),
        ("late-7b", None, 8),
        (None, None, 16),
    ]


def repeats(world: World) -> None:
    box = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedUnit": "Hrs"}
    both = of("repeats")
    world.charge(DAY, 100, ConsumedQuantity=5, **box)
    for pod in (f"USE2-EKSPod-EC2:{TRN1}", "ECSTask-EC2", "USW2-EKS-EC2-vCPU-Hours"):
        world.charge(DAY, 50, tags=both, x_UsageType=pod, ConsumedQuantity=5)
    world.charge(DAY, 80, tags=both, ConsumedQuantity=4, **box)
    undone = {"ChargeCategory": "Adjustment", "BillingPeriodStart": "2025-10-01", "ListCost": -20}
    world.charge(DAY, -20, tags=both, ConsumedQuantity=-1, **box | undone)
    world.charge("2025-10-02T00:00:00", -7, ChargeCategory="Adjustment", tags=both)


def test_what_repeats_a_charge_is_not_counted_and_what_reverses_it_is(marts: Marts) -> None:
    """METHOD §2.2 and §2.9: pods repeat their instance; a named refund undoes what it names."""
    assert buckets(marts, repeats) == {"untagged": 100, "direct": 60, "refund": -7}
    run = marts.row(
        "SELECT cost, accelerator_cost, accelerator_hours AS h FROM runs WHERE workload = 'repeats'"
    )
    assert run == {"cost": 60, "accelerator_cost": 60, "h": 3 * 16}
    sums = "sum(bill_total)::INT AS total, sum(remainder)::INT AS off"
    tied = marts.row(f"SELECT {sums} FROM tie_out WHERE account = 'repeats'")
    assert tied == {"total": 2 * (100 + 60 - 7), "off": 0}


def negated(world: World) -> None:
    """Covered hours, and what they would have cost taken back."""
    plan = {"CommitmentDiscountId": "sp-1", "PricingCategory": "Committed"}
    world.hours(DAY, 20, TRN1, 12, of("negated"), BilledCost=430, **plan)
    free = {"EffectiveCost": 0, "ListCost": 0, "ContractedCost": 0}
    world.hours(DAY, 20, TRN1, 0, of("negated"), BilledCost=-430, **plan | free)


def test_a_savings_plans_negation_brings_no_hours(marts: Marts) -> None:
    """It repeats the covered hours at what they would have cost: 20 hours, not 40."""
    names = ("instance_hours", "accelerator_hours", "billed_cost", "effective_cost", "list_cost")
    sums = ", ".join(f"sum({name})" for name in names)
    assert spent(marts, negated, sums) == [(20, 320, 0, 240, 430)]


def described(world: World) -> None:
    """Hours of r2 whose recipe and purpose something else says; hours that name no run."""
    for run, hours, recipe in (("r1", 3, "full"), ("r1", 2, "qlora"), ("r2", 1, "lora")):
        tags = of("described", run) | {"user:recipe": recipe, "purpose": "port"}
        world.hours(DAY, hours, TRN1, 16, tags)
    beside = {"workload": "described", "user:recipe": "sft", "purpose": "validation"}
    world.hours(DAY, 90, TRN1, 16, beside)
    world.sample(DAY, "r2", 0, workload="described", recipe="dpo", purpose="baseline")


def test_a_runs_recipe_and_purpose_come_from_tags_unless_something_says_otherwise(
    marts: Marts,
) -> None:
    """What shares its workload says nothing of a run."""
    query = "SELECT run, recipe, purpose FROM runs WHERE workload = 'described' ORDER BY run"
    assert [tuple(row.values()) for row in marts.rows(query)] == [
        ("r1", "full", "port"),
        ("r2", "sft", "baseline"),
    ]


def free_blocks(world: World) -> None:
    world.hours(DAY, 10, P5, 0, of("blocks", "b1"), ListCost=0, ContractedCost=0)
    world.hours(DAY, 10, P5, 50, of("blocks", "b2"))


def test_hours_of_a_capacity_block_are_unknown_never_free(marts: Marts) -> None:
    costs = [effective for _, effective in spent(marts, free_blocks, "run, effective_cost")]
    assert costs == [None, 500]
    run = marts.row(
        "SELECT cost, cost_per_epoch, flags FROM runs WHERE workload = 'blocks' AND run = 'b1'"
    )
    assert (run["cost"], run["cost_per_epoch"]) == (None, None)
    assert "cost_unknown" in run["flags"]
    assert spent(marts, free_blocks, "purchase_option", "run = 'b1'") == [("capacity_block",)]


def free_beside_paid(world: World) -> None:
    world.hours(DAY, 10, P5, 50, of("beside"))
    held = {"CommitmentDiscountId": f"arn:aws:ec2:us-east-1:{ACCOUNT}:capacity-reservation/cr-1"}
    world.hours(DAY, 14, P5, 0, of("beside"), ListCost=0, ContractedCost=0, **held)


def test_block_hours_beside_paid_hours_of_the_same_run_and_day_stay_unknown(marts: Marts) -> None:
    """One day, one SKU, one run: 10 paid hours and 14 block hours are not 24 cheap ones."""
    assert marts.row("SELECT cost FROM runs WHERE workload = 'beside'") == {"cost": None}


def offset(world: World) -> None:
    world.charge("2025-09-30T23:00:00", 1, BillingPeriodStart="2025-10-01T00:00:00Z")
    world.charge("2025-10-01T00:00:00+02:00", 2, BillingPeriodStart="2025-09-01")


def test_the_date_is_the_charges_and_the_period_is_the_bills(marts: Marts) -> None:
    assert spent(marts, offset, "date, billing_period, billed_cost ORDER BY 3") == [
        (date(2025, 9, 30), "2025-10", 1),
        (date(2025, 9, 30), "2025-09", 2),
    ]
