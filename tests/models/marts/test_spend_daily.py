"""METHOD §2.6: every cent in exactly one bucket, the first that holds."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from tests.world import ACCOUNT, Marts, World

DAY = "2025-09-02T00:00:00"
TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
BOTH = {"workload": "atlas-7b", "run": "t1"}
OWN = {"workload": "atlas-7b"}


def buckets(marts: Marts, where: str = "true") -> dict[str, Decimal]:
    rows = marts.rows(
        f"SELECT attribution, sum(billed_cost) AS cost FROM spend_daily WHERE {where} "
        "GROUP BY attribution ORDER BY attribution"
    )
    return {row["attribution"]: row["cost"] for row in rows}


def only(marts: Marts, cost: object, column: str = "*") -> dict[str, Any]:
    return marts.row(f"SELECT {column} FROM spend_daily WHERE billed_cost = ?", cost)


def test_the_first_bucket_that_holds_takes_the_charge(bill: World) -> None:
    box = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
    idle = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    lump = {"ChargeClass": "Correction"}
    bill.charge(DAY, 1, ChargeCategory="Tax", ServiceName="AWS Support (Business)", tags=BOTH)
    bill.charge(DAY, 2, ServiceName="AWS Support (Business)", tags=BOTH, **box)
    bill.charge(DAY, -3, ChargeCategory="Credit", tags=BOTH, **box)
    bill.charge(DAY, -4, ChargeCategory="Adjustment", tags=BOTH)
    bill.charge(DAY, -5, tags=BOTH, **lump)
    bill.charge(DAY, 6, ChargeCategory="Purchase", tags=BOTH, **box)
    bill.charge(DAY, 7, tags=BOTH, **box | idle)
    bill.charge(DAY, 8, tags=BOTH, CapacityReservationStatus="Unused", **box)
    bill.charge(DAY, 9, tags=BOTH, x_UsageType=f"USE2-UnusedBox:{TRN1}", ConsumedQuantity=1)
    bill.charge(DAY, 10, tags=BOTH, **box)
    bill.charge(DAY, 11, tags=OWN, **box)
    bill.charge(DAY, 12, tags={"workload": "nobody-ran"}, **box)
    bill.charge(DAY, 13, **box)
    bill.charge(DAY, 14, tags={"run": "nameless"}, **box)
    bill.charge(DAY, 15, x_UsageType="BoxUsage:m5.large", ConsumedQuantity=1, ConsumedUnit="Hrs")
    bill.charge(DAY, 16, tags={"run": "nameless"}, x_UsageType="EBS:VolumeUsage.gp3")
    bill.charge(DAY, 17, ProviderName="Microsoft", ChargeCategory="Tax", tags=BOTH)
    bill.charge(DAY, 18, ProviderName="Amazon Web Services", tags=BOTH, **box)
    bill.charge(DAY, 19, x_UsageType="BoxUsage:inf2.48xlarge", ConsumedQuantity=1)
    marts = bill.build()
    assert buckets(marts) == {
        "tax": 1, "support": 2, "credit": -3, "refund": -9, "purchase": 6, "idle_commitment": 24,
        "direct": 28, "shared": 11, "overhead": 12, "untagged": 27, "other": 15 + 16 + 17 + 19,
    }  # fmt: skip
    assert only(marts, 1, "workload, run") == {"workload": None, "run": None}
    for kept in (-3, -9, 7, 28, 11, 12):
        assert only(marts, kept, "workload")["workload"] is not None
    for repeating in (-3, 6):
        assert only(marts, repeating, "instance_hours, accelerator_hours") == {
            "instance_hours": None,
            "accelerator_hours": None,
        }


def test_how_hours_were_bought(bill: World) -> None:
    box = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
    bill.charge(DAY, 1, tags=BOTH, **box)
    bill.charge(DAY, 2, tags=BOTH, PricingCategory="Dynamic", **box)
    bill.charge(DAY, 4, tags=BOTH, **box | {"x_UsageType": f"USE2-SpotUsage:{TRN1}"})
    bill.charge(DAY, 8, tags=BOTH, PricingCategory="Committed", **box)
    bill.charge(DAY, 16, tags=BOTH, CommitmentDiscountId="sp-1", **box)
    rows = bill.build().rows(
        "SELECT purchase_option AS bought, sum(billed_cost) AS cost, sum(accelerator_hours) AS h "
        "FROM spend_daily GROUP BY ALL ORDER BY 1"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("committed", 24, 32),
        ("on_demand", 1, 16),
        ("spot", 6, 32),
    ]


def test_a_correction_that_names_what_it_corrects_reverses_it_on_its_day(bill: World) -> None:
    box = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedUnit": "Hours", "tags": BOTH}
    bill.charge(DAY, 100, ConsumedQuantity=5, **box)
    undone = {"ChargeClass": "Correction", "BillingPeriodStart": "2025-10-01", "ListCost": -40}
    bill.charge(DAY, -40, ConsumedQuantity=-2, ResourceId="i-1", **box | undone)
    unsaid = undone | {"x_UsageType": "", "ChargeCategory": "Adjustment"}
    bill.charge(DAY, -30, ResourceId="i-1", **box | unsaid)
    rows = bill.build().rows(
        "SELECT billing_period, attribution, sum(effective_cost) AS cost, sum(instance_hours) AS h "
        "FROM spend_daily GROUP BY ALL ORDER BY 1, 2"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-09", "direct", Decimal(100), Decimal(5)),
        ("2025-10", "direct", Decimal(-70), Decimal(-2)),
    ]


def test_a_three_way_split_adds_up_to_the_cent_and_beyond(bill: World) -> None:
    for run, hours in (("t1", 1), ("t2", 1), ("t3", 1)):
        bill.hours(DAY, hours, TRN1, 16, {"workload": "atlas-7b", "run": run})
    bill.hours(DAY, 9, P4D, 25, {"workload": "atlas-7b", "run": "g1"})
    bill.hours("2025-09-03T00:00:00", 3, TRN1, 16, {"workload": "atlas-7b", "run": "t1"})
    shared = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
    bill.charge(DAY, "100.00", tags=OWN, **shared)
    bill.charge("2025-09-20T00:00:00", "0.000000001", tags=OWN, x_UsageType="EBS:VolumeUsage.gp3")
    bill.charge("2025-10-01T00:00:00", "5.00", tags=OWN, x_UsageType="EBS:VolumeUsage.gp3")
    marts = bill.build()
    rows = marts.rows(
        "SELECT run, component, effective_cost AS cost FROM spend_daily "
        "WHERE attribution = 'shared' AND component = 'accelerator' ORDER BY run"
    )
    third = Decimal("33.333333333")
    assert [row["cost"] for row in rows] == [third + Decimal("1e-9"), third, third]
    assert [row["run"] for row in rows] == ["t1", "t2", "t3"]
    assert buckets(marts, "component = 'storage'") == {
        "shared": Decimal("0.000000001"),
        "overhead": Decimal("5.00"),
    }
    total = marts.row("SELECT sum(instance_hours) AS h FROM spend_daily WHERE run IS NOT NULL")
    assert total == {"h": Decimal(3 + 9 + 3 + 1)}


def test_gpu_hours_given_back_on_a_day_without_a_run_fall_on_the_last_that_had_one(
    bill: World,
) -> None:
    """A GPU's overhead counts in no saving; what it costs, and Trainium's, stays overhead."""
    for day, run, hours in (("05", "g0", 1), ("09", "g1", 1), ("09", "g2", 3)):
        bill.hours(f"2025-09-{day}T00:00:00", hours, P4D, 25, OWN | {"run": run})
    bill.hours("2025-09-09T00:00:00", 1, TRN1, 16, BOTH)
    for day, kind, cost in ((4, P4D, -1), (20, P4D, -40), (21, P4D, 8), (20, TRN1, -2)):
        told = {"x_UsageType": f"BoxUsage:{kind}", "tags": OWN}
        bill.charge(f"2025-09-{day:02}T00:00:00", cost, ChargeCategory="Adjustment", **told)
    rows = bill.build().rows(
        "SELECT day(date) AS day, attribution, run, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE attribution != 'direct' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        (4, "overhead", None, -1),
        (20, "overhead", None, -2),
        (20, "shared", "g1", -10),
        (20, "shared", "g2", -30),
        (21, "overhead", None, 8),
    ]


def test_storage_without_a_platform_is_split_over_the_months_runs(bill: World) -> None:
    bill.hours("2025-09-02T00:00:00", 1, TRN1, 16, BOTH)
    bill.hours("2025-09-09T00:00:00", 2, P4D, 25, {"workload": "atlas-7b", "run": "g1"})
    bill.charge("2025-09-20T00:00:00", 60, tags=OWN, x_UsageType="EBS:VolumeUsage.gp3")
    rows = bill.build().rows(
        "SELECT date, run, hardware, effective_cost AS cost FROM spend_daily "
        "WHERE component = 'storage' ORDER BY run"
    )
    moved = date(2025, 9, 20)  # 2 h × 8 accelerators against 1 h × 16
    assert [tuple(row.values()) for row in rows] == [
        (moved, "g1", "gpu", Decimal(30)),
        (moved, "t1", "trainium", Decimal(30)),
    ]


def test_the_hardware_is_that_of_most_accelerator_hours_and_all_rows_inherit_it(
    bill: World,
) -> None:
    mixed = {"workload": "atlas-7b", "run": "mixed"}
    for day in ("2025-09-02", "2025-09-03", "2025-09-04"):
        bill.hours(f"{day}T00:00:00", 24, P4D, 20, mixed)
    bill.hours("2025-09-05T00:00:00", 24, TRN1, 16, mixed)
    bill.charge(DAY, 1, tags=mixed, x_UsageType="EBS:VolumeUsage.gp3")
    marts = bill.build()
    kinds = marts.rows("SELECT DISTINCT hardware FROM spend_daily WHERE run = 'mixed'")
    assert kinds == [{"hardware": "gpu"}]
    run = marts.row("SELECT hardware, platform, flags FROM runs")
    assert run["hardware"] == "gpu"
    assert run["platform"] == "p4d"
    assert "mixed_hardware" in run["flags"]


def test_the_workload_of_a_run_tag_comes_from_progress_or_the_config(world: World) -> None:
    for run, cost in (("known", 1), ("told", 2), ("twice", 4), ("nobody", 8)):
        world.hours(DAY, 1, TRN1, cost, {"run": run})
    world.sample(DAY, "known", 0)
    world.sample(DAY, "told", 0)
    world.sample(DAY, "twice", 0)
    world.sample(DAY, "twice", 0, workload="other")
    runs = [{"run": "told", "workload": "config-7b"}, {"run": "known", "recipe": "full"}]
    rows = world.build(runs=runs).rows(
        "SELECT workload, run, attribution FROM spend_daily ORDER BY billed_cost"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("atlas-7b", "known", "direct"),
        ("config-7b", "told", "direct"),
        (None, None, "untagged"),
    ]


def test_tag_rules_correct_history_from_their_date_without_ingesting_again(bill: World) -> None:
    group = {"aws:autoscaling:groupName": "atlas-blue"}
    for day, cost in (("2025-09-01", 1), ("2025-09-02", 2)):
        bill.hours(f"{day}T00:00:00", 1, TRN1, cost, group)
    bill.hours(DAY, 1, TRN1, 4, group | {"workload": "wrong"})
    bill.hours(DAY, 1, TRN1, 8, {"aws:autoscaling:groupName": "xatlas-blue"})
    rule = {"match": {"aws:autoscaling:groupName": "atlas-*"}, "workload": "atlas-7b"}
    dated = bill.build(tag_rules=[{**rule, "from": "2025-09-02"}])
    assert buckets(dated) == {"overhead": Decimal(6), "untagged": Decimal(9)}
    assert buckets(bill.build(tag_rules=[rule])) == {"overhead": Decimal(7), "untagged": Decimal(8)}
    assert buckets(bill.build()) == {"overhead": Decimal(4), "untagged": Decimal(11)}


def test_of_overlapping_rules_the_first_wins_for_each_name(bill: World) -> None:
    box, day = f"BoxUsage:{TRN1}", {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedQuantity": 1}
    node = {"user:job.name": "a+b (7)", "user_pool": "blue"}
    bill.charge(DAY, 1, tags=node, **day)
    bill.charge(DAY, 2, tags=node | {"run": "own", "workload": "own-7b"}, **day)
    bill.charge(DAY, 4, tags={"job.name": "aab (7)", "pool": "blue"}, **day)
    bill.charge(DAY, 8, tags={"pool": "red"}, **day)
    bill.charge("2025-09-01T23:00:00", 16, tags={"pool": "green"}, x_UsageType=box)
    rules = [
        {"match": {"job.name": "a+b (*)", "pool": "*"}, "run": "t9"},
        {"match": {"user:pool": "b*e"}, "run": "never", "workload": "blue-7b"},
        {"match": {"pool": "*"}, "workload": "late-7b", "from": "2025-09-02"},
    ]
    rows = bill.build(tag_rules=rules).rows(
        "SELECT workload, run, sum(billed_cost) AS cost FROM spend_daily GROUP BY ALL ORDER BY cost"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("blue-7b", "t9", 3),
        ("blue-7b", "never", 4),
        ("late-7b", None, 8),
        (None, None, 16),
    ]


def test_what_repeats_a_charge_is_not_counted_and_what_reverses_it_is(bill: World) -> None:
    """METHOD §2.2 and §2.9: pods repeat their instance; a named refund undoes what it names."""
    box = {"x_UsageType": f"BoxUsage:{TRN1}", "ConsumedUnit": "Hrs"}
    bill.charge(DAY, 100, ConsumedQuantity=5, **box)
    for pod in (f"USE2-EKSPod-EC2:{TRN1}", "ECSTask-EC2", "USW2-EKS-EC2-vCPU-Hours"):
        bill.charge(DAY, 50, tags=BOTH, x_UsageType=pod, ConsumedQuantity=5)
    bill.charge(DAY, 80, tags=BOTH, ConsumedQuantity=4, **box)
    undone = {"ChargeCategory": "Adjustment", "BillingPeriodStart": "2025-10-01", "ListCost": -20}
    bill.charge(DAY, -20, tags=BOTH, ConsumedQuantity=-1, **box | undone)
    bill.charge("2025-10-02T00:00:00", -7, ChargeCategory="Adjustment", tags=BOTH)
    marts = bill.build()
    assert buckets(marts) == {"untagged": 100, "direct": 60, "refund": -7}
    run = marts.row("SELECT cost, accelerator_cost, accelerator_hours AS h FROM runs")
    assert run == {"cost": 60, "accelerator_cost": 60, "h": 3 * 16}
    tied = marts.rows(
        "SELECT sum(bill_total)::INT AS total, sum(remainder)::INT AS off FROM tie_out"
    )
    assert tied == [{"total": 2 * (100 + 60 - 7), "off": 0}]


def test_a_savings_plans_negation_brings_no_hours(bill: World) -> None:
    """It repeats the covered hours at what they would have cost: 20 hours, not 40."""
    plan = {"CommitmentDiscountId": "sp-1", "PricingCategory": "Committed"}
    bill.hours(DAY, 20, TRN1, 12, BOTH, BilledCost=430, **plan)
    free = {"EffectiveCost": 0, "ListCost": 0, "ContractedCost": 0}
    bill.hours(DAY, 20, TRN1, 0, BOTH, BilledCost=-430, **plan | free)
    row = bill.build().row(
        "SELECT sum(instance_hours) AS h, sum(accelerator_hours) AS a, sum(billed_cost) AS billed, "
        "sum(effective_cost) AS cost, sum(list_cost) AS list FROM spend_daily"
    )
    assert row == {"h": 20, "a": 320, "billed": 0, "cost": 240, "list": 430}


def test_a_runs_recipe_and_purpose_come_from_tags_unless_something_says_otherwise(
    world: World,
) -> None:
    for run, hours, recipe in (("t1", 3, "full"), ("t1", 2, "qlora"), ("t2", 1, "lora")):
        tags = {"workload": "atlas-7b", "run": run, "user:recipe": recipe, "purpose": "port"}
        world.hours(DAY, hours, TRN1, 16, tags)
    beside = {"workload": "atlas-7b", "user:recipe": "sft", "purpose": "validation"}
    world.hours(DAY, 90, TRN1, 16, beside)  # says nothing of the runs that share it
    world.sample(DAY, "t2", 0, recipe="dpo", purpose="baseline")
    config = [{"run": "t2", "recipe": "sft"}]
    marts = world.build(tags={"extra": ["recipe", "purpose"]}, runs=config)
    rows = marts.rows("SELECT run, recipe, purpose FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in rows] == [
        ("t1", "full", "port"),
        ("t2", "sft", "baseline"),
    ]


def test_hours_of_a_capacity_block_are_unknown_never_free(bill: World) -> None:
    bill.hours(DAY, 10, "p5.48xlarge", 0, BOTH, ListCost=0, ContractedCost=0)
    bill.hours(DAY, 10, "p5.48xlarge", 50, {"workload": "atlas-7b", "run": "g2"})
    marts = bill.build()
    costs = marts.rows("SELECT effective_cost, list_cost FROM spend_daily ORDER BY run")
    assert [row["effective_cost"] for row in costs] == [Decimal(500), None]
    run = marts.row("SELECT cost, cost_per_epoch, flags FROM runs WHERE run = 't1'")
    assert (run["cost"], run["cost_per_epoch"]) == (None, None)
    assert "cost_unknown" in run["flags"]
    option = marts.row("SELECT purchase_option AS o FROM spend_daily WHERE run = 't1'")
    assert option == {"o": "capacity_block"}


def test_block_hours_beside_paid_hours_of_the_same_run_and_day_stay_unknown(bill: World) -> None:
    """One day, one SKU, one run: 10 paid hours and 14 block hours are not 24 cheap ones."""
    bill.hours(DAY, 10, "p5.48xlarge", 50, BOTH)
    held = {"CommitmentDiscountId": f"arn:aws:ec2:us-east-1:{ACCOUNT}:capacity-reservation/cr-1"}
    bill.hours(DAY, 14, "p5.48xlarge", 0, BOTH, ListCost=0, ContractedCost=0, **held)
    marts = bill.build()
    assert marts.row("SELECT cost FROM runs WHERE run = 't1'") == {"cost": None}


def test_block_hours_are_unknown_on_every_basis(bill: World) -> None:
    """METHOD §2.7: on the billed basis the fee is a purchase, and the hours are not free."""
    bill.hours(DAY, 10, "p5.48xlarge", 0, BOTH, ListCost=0, ContractedCost=0)
    marts = bill.build(cost={"basis": "billed"})
    assert marts.row("SELECT cost FROM runs WHERE run = 't1'") == {"cost": None}


def test_the_date_is_the_charges_and_the_period_is_the_bills(bill: World) -> None:
    bill.charge("2025-09-30T23:00:00", 1, BillingPeriodStart="2025-10-01T00:00:00Z")
    bill.charge("2025-10-01T00:00:00+02:00", 2, BillingPeriodStart="2025-09-01")
    marts = bill.build()
    rows = marts.rows("SELECT date, billing_period FROM spend_daily ORDER BY billed_cost")
    assert [tuple(row.values()) for row in rows] == [
        (date(2025, 9, 30), "2025-10"),
        (date(2025, 9, 30), "2025-09"),
    ]
