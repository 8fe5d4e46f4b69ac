"""CUR 2.0 lines as charges: the cost of each line item type by hand, on both bases."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import ibis
import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.engine.sql import delivered_sql, rendering
from models.formats.bill import cur2
from tests.support.bills.cur2_reports import PLAN, RESERVED, reported

DAY = "2025-09-02T05:00:00"
TRN1 = "BoxUsage:trn1.32xlarge"
BLOCK = "arn:aws:ec2:us-east-1:999900000001:capacity-reservation/cr-0b1"
SAMPLE = Path(__file__).parents[4] / "fixtures" / "generated" / "cur2.csv"
Line = Mapping[str, Any]
Case = Callable[[], list[Line]]
Charged = Callable[[Case], list[dict[str, Any]]]
SETTINGS = validated_settings({"tags": {"extra": ["cost-center"]}}, home=Path("cur2"))


def delivered(lines: Iterable[Line], types: Mapping[str, str] | None = None) -> ir.Table:
    """Lines as a file has them: text, or the SQL type that `types` names."""
    lines = list(lines)
    names = list(dict.fromkeys(name for line in lines for name in line))
    values = [
        [None if line.get(n) in ("", None) else str(line[n]) for n in names] for line in lines
    ]
    con = duckdb.connect()
    marks = ", ".join("(" + ", ".join("?" * len(names)) + ")" for _ in lines)
    columns = ", ".join(f'"{name}"' for name in names)
    con.execute(
        "CREATE TABLE lines AS SELECT "
        + ", ".join(f'"{n}"::{(types or {}).get(n, "VARCHAR")} AS "{n}"' for n in names)
        + f" FROM (VALUES {marks}) AS given({columns})",
        [value for row in values for value in row],
    )
    return ibis.duckdb.from_connection(con).table("lines")


QUESTIONS: Mapping[str, Callable[[ir.Table], ir.Table]] = {
    "refusals": cur2.refusals,
    "totals": cur2.totals,
    "rows": lambda table: delivered_sql.rows(table, "cur2", SETTINGS),
    "reduction": lambda table: delivered_sql.reduction(table, "cur2", SETTINGS),
    "machines": lambda table: delivered_sql.reduction_with_machines(table, "cur2", SETTINGS),
}


@cache
def compiled(question: str, columns: ibis.Schema) -> str:
    """The SQL of a question to lines of these columns."""
    return rendering.sql(QUESTIONS[question](ibis.table(columns, name="lines")))


def asked(table: ir.Table, question: str) -> list[dict[str, Any]]:
    text = compiled(question, table.schema())
    found: list[dict[str, Any]] = table.get_backend().con.sql(text).to_arrow_table().to_pylist()
    return found


@pytest.fixture(scope="module")
def charged() -> Charged:
    """Rows of one report with all of `COLUMNS`: each case is what payers of its own were billed."""
    payers = [
        {**dict.fromkeys(COLUMNS), **line, "bill_payer_account_id": case.__name__}
        for case in (
            bought, hourly, paid_back, listed, reserved, supported, pod_of_another, flat_tags,
            placed, of_services,
        )
        for line in case()
    ]  # fmt: skip
    lines = payers + [dict.fromkeys(COLUMNS) | line for line in partly_net()]
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in asked(delivered(lines), "rows"):
        payer = row["BillingAccountId"]
        rows[partly_net.__name__ if payer.isdecimal() else payer].append(row)
    return lambda case: rows[case.__name__]


def of(kind: str, cost: object, net: object = "", **columns: object) -> dict[str, Any]:
    return reported(DAY, kind, cost, net, **{"line_item_usage_type": TRN1, **columns})


def both(kind: str, cost: object, net: object, **columns: object) -> tuple[Line, Line]:
    """The line as a payer with discounts has it, and without the net columns."""
    line = of(kind, cost, net, **columns)
    return line, {name: value for name, value in line.items() if "net_" not in name}


COVERED = {
    "savings_plan_savings_plan_a_r_n": PLAN,
    "savings_plan_savings_plan_effective_cost": "14",
    "savings_plan_net_savings_plan_effective_cost": "12.6",
}
PLAN_FEE = {
    "line_item_usage_type": "ComputeSP:1yrPartialUpfront",
    "savings_plan_savings_plan_a_r_n": PLAN,
    "savings_plan_total_commitment_to_date": "20",
    "savings_plan_used_commitment": "14",
    "savings_plan_amortized_upfront_commitment_for_billing_period": "8",
    "savings_plan_net_amortized_upfront_commitment_for_billing_period": "6",
}
ALL_RECURRING = {
    **PLAN_FEE,
    "savings_plan_amortized_upfront_commitment_for_billing_period": "0",
    "savings_plan_net_amortized_upfront_commitment_for_billing_period": "0",
}
HELD = {
    "reservation_reservation_a_r_n": RESERVED,
    "reservation_effective_cost": "11",
    "reservation_net_effective_cost": "9.9",
}
RI_FEE = {
    "line_item_usage_type": "HeavyUsage:p4d.24xlarge",
    "reservation_reservation_a_r_n": RESERVED,
    "reservation_unused_amortized_upfront_fee_for_billing_period": "3",
    "reservation_net_unused_amortized_upfront_fee_for_billing_period": "2",
    "reservation_unused_recurring_fee": "5",
    "reservation_net_unused_recurring_fee": "4",
}
POD = {
    "line_item_usage_type": "EKS-EC2-vCPU-Hours",
    "split_line_item_parent_resource_id": "i-1",
    "split_line_item_split_cost": "6",
    "split_line_item_net_split_cost": "5",
}
BLOCK_FEE = {
    "line_item_usage_type": "USE2-CapacityBlockFee:p5.48xlarge",
    "reservation_reservation_a_r_n": BLOCK,
}
PLAN_OF_TRAINING = {
    "line_item_usage_type": "USE1-ReservedCluster:ml.p5.48xlarge",
    "reservation_reservation_a_r_n": "arn:aws:sagemaker:us-east-1:999900000001:training-plan/p1",
}
PLACED = (
    "product_product_name", "split_line_item_split_usage",
    "capacity_reservation_capacity_reservation_arn",
    "capacity_reservation_capacity_reservation_status",
)  # fmt: skip
COLUMNS = dict.fromkeys(
    name
    for columns in (reported(DAY, "", 0), COVERED, PLAN_FEE, HELD, RI_FEE, POD, PLACED)
    for name in columns
)
"""What most tests have lines of."""
Costs = list[tuple[str, float, float]]
USAGE = "Usage"
TABLE: list[tuple[str, tuple[object, object], dict[str, str], Costs, Costs]] = [
    # type, (unblended, net), columns, then (category, effective, billed) net of discounts and gross
    ("Usage", (20, 18), {}, [(USAGE, 18, 18)], [(USAGE, 20, 20)]),
    ("SavingsPlanCoveredUsage", (20, 18), COVERED, [(USAGE, 12.6, 0)], [(USAGE, 14, 0)]),
    ("SavingsPlanNegation", (-20, -18), {}, [], []),
    (
        "SavingsPlanRecurringFee", (12, "10.8"), PLAN_FEE,
        [("Purchase", 0, 10.8), (USAGE, 4.5, 0)], [("Purchase", 0, 12), (USAGE, 6, 0)],
    ),
    (
        "SavingsPlanRecurringFee", (20, 18), ALL_RECURRING,
        [("Purchase", 0, 18), (USAGE, 5.4, 0)], [("Purchase", 0, 20), (USAGE, 6, 0)],
    ),
    ("SavingsPlanUpfrontFee", (99, 90), {}, [("Purchase", 0, 90)], [("Purchase", 0, 99)]),
    ("DiscountedUsage", (0, 0), HELD, [(USAGE, 9.9, 0)], [(USAGE, 11, 0)]),
    (
        "RIFee", (100, 90), RI_FEE,
        [("Purchase", 0, 90), (USAGE, 6, 0)], [("Purchase", 0, 100), (USAGE, 8, 0)],
    ),
    (
        "Fee", (50, 45), {"reservation_reservation_a_r_n": RESERVED},
        [("Purchase", 0, 45)], [("Purchase", 0, 50)],
    ),
    ("Fee", (480, 470), BLOCK_FEE, [("Purchase", 470, 470)], [("Purchase", 480, 480)]),
    ("Fee", (90, 80), PLAN_OF_TRAINING, [("Purchase", 80, 80)], [("Purchase", 90, 90)]),
    ("Fee", (7, 6), {}, [(USAGE, 6, 6)], [(USAGE, 7, 7)]),
    ("EdpDiscount", (-2, 0), {}, [], [(USAGE, -2, -2)]),
    ("PrivateRateDiscount", (-2, ""), {}, [], [(USAGE, -2, -2)]),
    ("BundledDiscount", (-2, -2), {}, [], [(USAGE, -2, -2)]),
    ("Credit", (-9, -8), {}, [("Credit", -8, -8)], [("Credit", -9, -9)]),
    ("Refund", (-4, -3), {}, [("Adjustment", -3, -3)], [("Adjustment", -4, -4)]),
    ("Tax", (3, ""), {}, [("Tax", 3, 3)], [("Tax", 3, 3)]),
    ("Usage", (0, 0), POD, [(USAGE, 5, 0)], [(USAGE, 6, 0)]),
    ("FlatRateSubscription", (5, 4), {}, [(USAGE, 4, 4)], [(USAGE, 5, 5)]),
]  # fmt: skip


def costs(lines: Iterable[Line]) -> dict[str, Costs]:
    """What each line became, by its resource: category, effective and billed dollars."""
    found: defaultdict[str, Costs] = defaultdict(list)
    for row in asked(delivered(lines), "rows"):
        dollars = float(row["EffectiveCost"]), float(row["BilledCost"])
        found[row["ResourceId"]].append((row["ChargeCategory"], *dollars))
    return found


@pytest.fixture(scope="module")
def bills() -> tuple[dict[str, Costs], dict[str, Costs]]:
    """All of `TABLE` as one bill with net figures, and as one without."""
    lines = [
        both(kind, *cost, line_item_resource_id=str(number), **columns)
        for number, (kind, cost, columns, _, _) in enumerate(TABLE)
    ]
    net, gross = zip(*lines, strict=True)
    return costs(net), costs(gross)


@pytest.mark.parametrize("number", range(len(TABLE)), ids=[line[0] for line in TABLE])
def test_each_line_item_type_costs_what_awss_table_says(
    bills: tuple[dict[str, Costs], dict[str, Costs]], number: int
) -> None:
    *_, net, gross = TABLE[number]
    assert sorted(bills[0].get(str(number), [])) == sorted(net)
    assert sorted(bills[1].get(str(number), [])) == sorted(gross)


def bought() -> list[Line]:
    return [of("SavingsPlanRecurringFee", 12, **PLAN_FEE), of("RIFee", 9, **RI_FEE)]


def test_what_nobody_used_is_told_from_what_was_bought(charged: Charged) -> None:
    rows = charged(bought)
    told = {
        (row["CommitmentDiscountId"], row["CommitmentDiscountStatus"]): row["ChargeFrequency"]
        for row in rows
    }
    assert told == dict.fromkeys(
        [(PLAN, None), (PLAN, "Unused"), (RESERVED, None), (RESERVED, "Unused")], "Recurring"
    )


def hourly() -> list[Line]:
    kinds = ("Usage", "EdpDiscount", "SavingsPlanNegation", "Credit")
    return [of(kind, -1, line_item_usage_amount="20") for kind in kinds]


def test_only_usage_has_hours(charged: Charged) -> None:
    """A negation or a discount of twenty hours are no twenty hours."""
    assert sorted(row["ConsumedQuantity"] for row in charged(hourly)) == [0, 0, 20]


def paid_back() -> list[Line]:
    lump = {"pricing_public_on_demand_cost": "", "line_item_usage_amount": "1"}
    hours = {"pricing_unit": "Hrs", "line_item_usage_amount": "2"}
    priced = {"pricing_public_on_demand_cost": "64.5", "line_item_usage_amount": "3"}
    return [of("Refund", -40, **lump | told) for told in ({}, hours, priced)]


def test_a_refund_takes_hours_back_where_it_says_that_they_are_hours(charged: Charged) -> None:
    """By their unit or by their price; a lump sum bears an amount of 1 and neither."""
    assert {row["ConsumedQuantity"]: row["ListCost"] for row in charged(paid_back)} == {
        0: 0, -2: None, -3: Decimal("-64.5"),
    }  # fmt: skip


def partly_net() -> list[Line]:
    """Of two payers and two months, one has net figures; zeros are none."""
    august = {"bill_billing_period_start_date": "2025-08-01T00:00:00Z"}
    other = {"bill_payer_account_id": "999900000009"}
    return [
        of("Usage", 10, 9), of("Usage", 20, ""), of("Usage", 40, 0, **august),
        of("Usage", 80, 0, **other), of("Usage", 0, ""), of("Tax", 1, ""),
    ]  # fmt: skip


def test_a_payer_without_a_net_figure_that_month_is_gross_and_says_so(charged: Charged) -> None:
    said = {
        float(row["EffectiveCost"]): str(row["ChargeDescription"]).endswith("no net figures")
        for row in charged(partly_net)
    }
    assert said == {9: False, 20: True, 40: True, 80: True, 0: False, 1: False}
    table = delivered(partly_net())
    gross = {row["account"]: float(row["GrossLines"]) for row in asked(table, "totals")}
    account = "999900000001"
    assert gross == {
        f"{account}|{account}|2025-09": 1,
        f"{account}|{account}|2025-08": 1,
        f"999900000009|{account}|2025-09": 1,
    }


def test_net_figures_of_plans_alone_make_no_bill_net() -> None:
    """Without `line_item_net_unblended_cost` the discount on demand is a line that counts."""
    lines = [
        of("Usage", "219.57642"), of("EdpDiscount", "-21.957642"),
        of("SavingsPlanCoveredUsage", 15, **COVERED),
    ]  # fmt: skip
    for line in lines:
        del line["line_item_net_unblended_cost"]
    costs = sorted(float(row["EffectiveCost"]) for row in asked(delivered(lines), "rows"))
    assert costs == [-21.957642, 14, 219.57642]


def test_the_total_is_of_the_lines_as_billed() -> None:
    """A plan's usage and negation cancel out, fees count as billed; pods repeat their instance."""
    table = delivered(
        [
            of("SavingsPlanCoveredUsage", 20, 18, **COVERED), of("SavingsPlanNegation", -20, -18),
            of("SavingsPlanRecurringFee", 12, "10.8", **PLAN_FEE), of("Usage", 0, 0, **POD),
            of("EdpDiscount", -2, 0),
        ]
    )  # fmt: skip
    (row,) = asked(table, "totals")
    assert (float(row["BilledCost"]), float(row["EffectiveCost"])) == (10.8, 12.6 + 4.5)


def listed() -> list[Line]:
    known = of("Usage", 9, pricing_public_on_demand_cost="21.5")
    unknown = of("Usage", 10, pricing_public_on_demand_cost="0")
    free = of("Usage", 0, pricing_public_on_demand_cost="0")
    return [known, unknown, free]


def test_a_list_price_of_nothing_is_unknown(charged: Charged) -> None:
    """What costs something has no public price of $0; free hours have (METHOD §2.5)."""
    prices = {float(row["EffectiveCost"]): row["ListCost"] for row in charged(listed)}
    assert prices == {9: Decimal("21.5"), 10: None, 0: 0}


def reserved() -> list[Line]:
    held = {
        "capacity_reservation_capacity_reservation_arn": BLOCK,
        "capacity_reservation_capacity_reservation_status": "Unused",
    }
    return [of("Fee", 480, **BLOCK_FEE), of("Usage", 2, **held)]


def test_a_block_and_a_reservation_of_capacity_are_no_reserved_instance(charged: Charged) -> None:
    assert [
        (
            row["CapacityReservationId"],
            row["CapacityReservationStatus"],
            row["CommitmentDiscountId"],
        )
        for row in sorted(charged(reserved), key=lambda row: -row["BilledCost"])
    ] == [(BLOCK, None, None), (BLOCK, "Unused", None)]


def supported() -> list[Line]:
    codes = (
        "OCBPremiumSupport", "AWSDeveloperSupport", "AWSSupportBusiness", "AmazonConnect",
        "AWSEnterpriseOnRamp",
    )  # fmt: skip
    return [
        of("Fee", cost, line_item_product_code=code, product_product_name="Premium")
        for cost, code in enumerate(codes)
    ]


def test_support_is_support_by_whatever_code(charged: Charged) -> None:
    assert {int(row["BilledCost"]): row["ServiceName"] for row in charged(supported)} == {
        0: "AWS Support", 1: "AWS Support", 2: "AWS Support", 3: "Premium", 4: "AWS Support",
    }  # fmt: skip


SERVICES = {
    "AWSELB": "Networking", "AmazonApiGateway": "Networking", "AWSGlobalAccelerator": "Networking",
    "AmazonVPC": "Networking", "AmazonS3": "Storage", "AmazonSNS": None,
}  # fmt: skip


def of_services() -> list[Line]:
    return [of("Usage", cost, line_item_product_code=code) for cost, code in enumerate(SERVICES)]


def test_a_service_is_of_the_category_that_it_has_in_focus(charged: Charged) -> None:
    rows = sorted(charged(of_services), key=lambda row: row["BilledCost"])
    assert [row["ServiceCategory"] for row in rows] == [*SERVICES.values()]


def pod_of_another() -> list[Line]:
    pod = {
        **POD, "line_item_usage_type": "USE1-EKS-Accelerator", "split_line_item_split_usage": "3",
        "line_item_operation": "EKSPod-EC2", "line_item_resource_id": "pod/1",
    }  # fmt: skip
    return [of("Usage", 0, **pod)]


def test_a_pods_row_is_known_by_its_operation_too(charged: Charged) -> None:
    (row,) = charged(pod_of_another)
    assert (row["SkuMeter"], row["HostResourceId"], row["ConsumedQuantity"]) == (
        "USE1-EKS-Accelerator EKSPod-EC2", "i-1", 3,
    )  # fmt: skip


def placed() -> list[Line]:
    product = {"instance_type": "trn1.32xlarge", "region_code": "us-west-2", "product_name": "EC2"}
    mapped = of("Usage", 1, product=json.dumps(product))
    del mapped["product_region_code"]
    flat = of("Usage", 2, product_instance_type="p4d.24xlarge")
    zoned = of("Usage", 3, line_item_availability_zone="eu-central-1a", product_region_code="")
    spot = of("Usage", 4, line_item_usage_type="SpotUsage:p5.48xlarge", pricing_unit="Hrs")
    return [mapped, flat, zoned, spot]


def test_where_and_what_may_stand_in_a_map_or_in_columns(charged: Charged) -> None:
    rows = {float(row["BilledCost"]): row for row in charged(placed)}
    kinds = {cost: (row["InstanceType"], row["RegionId"]) for cost, row in rows.items()}
    assert kinds == {
        1: ("trn1.32xlarge", "us-west-2"), 2: ("p4d.24xlarge", "us-east-1"),
        3: (None, "eu-central-1"), 4: (None, "us-east-1"),
    }  # fmt: skip
    assert (rows[1]["ServiceName"], rows[2]["ServiceName"]) == ("EC2", "AmazonEC2")
    assert (rows[4]["PricingCategory"], rows[4]["ConsumedUnit"]) == ("Dynamic", "Hrs")


def tagged() -> Iterator[tuple[str, str, dict[str, str], str]]:
    """A type, what is delivered under it, and what is asked of it."""
    keys = {"user_workload": "w", "user_run": "r", "user_cost_center": "c"}
    own = {"user:workload": "w", "user:run": "r", "user:cost-center": "c"}
    for kind, tags in (("VARCHAR", own), ("MAP(VARCHAR, VARCHAR)", keys)):
        yield kind, "resource_tags", tags, "rows"
        sourced = {f"resourceTags/{key}": value for key, value in tags.items()}
        yield kind, "tags", sourced, "reduction"


@pytest.mark.parametrize(("kind", "column", "tags", "question"), [*tagged()])
def test_tags_are_read_however_they_are_written(
    kind: str, column: str, tags: dict[str, str], question: str
) -> None:
    said = json.dumps(tags)
    if kind != "VARCHAR":
        said = "{" + ", ".join(f"{key}={value}" for key, value in tags.items()) + "}"
    table = delivered([of("Usage", 1) | {column: said}], {column: kind})
    (row,) = asked(table, question)
    assert (row["workload"], row["run"], row["tag_cost-center"]) == ("w", "r", "c")


def test_each_line_is_read_by_the_map_of_tags_that_its_month_has() -> None:
    """Files of a folder, of which the later ones have `tags` alone: their $10 were nobody's."""
    maps = ("resource_tags", {"user_run": "r1"}), ("tags", {"resourceTags/user_run": "r2"})
    lines = [of("Usage", 10) | {column: json.dumps(tags)} for column, tags in maps]
    both = {"resource_tags": '{"user_run": "r3"}', "tags": '{"resourceTags/user_run": "r2"}'}
    rows = asked(delivered([*lines, of("Usage", 10) | both]), "rows")
    assert sorted(row["run"] for row in rows) == ["r1", "r2", "r3"]


CLUSTERS = (
    ("parallelcluster:cluster-name", "user_parallelcluster_cluster_name"),
    ("parallelcluster:cluster-name", "user:parallelcluster:cluster-name"),
    ("aws:eks:cluster-name", "aws_eks_cluster_name"),
    ("aws:pcs:cluster-id", "aws_pcs_cluster_id"),
    ("aws:batch:compute-environment", "aws_batch_compute_environment"),
)
"""The key of a tag, and how a report spells it."""


@pytest.mark.parametrize("where", ["resource_tags", "tags", "flat"])
def test_the_tag_of_a_cluster_is_read_however_it_is_written(where: str) -> None:
    """A user's tag, `parallelcluster:cluster-name`, was not: its machines were nobody's."""
    assert {key for key, _ in CLUSTERS} <= {*SETTINGS.clusters.tags}
    lines = []
    for number, (_, spelt) in enumerate(CLUSTERS):
        name = f"resourceTags/{spelt}" if where == "tags" else spelt
        flat = {f"resource_tags_{re.sub('[^a-z0-9]', '_', spelt)}": f"c{number}"}
        tagged = flat if where == "flat" else {where: json.dumps({name: f"c{number}"})}
        lines.append(of("Usage", 1, line_item_resource_id=f"i-{number}") | tagged)
    found = {row["machine"]: row["machine_cluster"] for row in asked(delivered(lines), "machines")}
    assert found == {f"i-{number}": f"c{number}" for number in range(len(CLUSTERS))}


@pytest.mark.parametrize(
    ("key", "spelt"),
    [
        ("user_group", "user_user_group"),
        ("MLRun", "user_m_l_run"),
        ("MLRun", "user_mlrun"),
        ("team::wl", "user_team_wl"),
        ("_Run  Id_", "user_run_id"),
    ],
)
def test_the_key_of_a_tag_may_be_any(key: str, spelt: str) -> None:
    settings = validated_settings({"tags": {"workload": key}}, home=Path("cur2"))
    table = delivered([of("Usage", 1) | {"resource_tags": json.dumps({spelt: "w"})}])
    rows = delivered_sql.rows(ibis.table(table.schema(), name="lines"), "cur2", settings)
    ((found,),) = (
        table.get_backend().con.sql(f"SELECT workload FROM ({rendering.sql(rows)})").fetchall()
    )
    assert found == "w"


def test_dollars_without_hours_have_a_list_cost_of_nothing() -> None:
    lines = [
        of("Usage", cost, line_item_usage_amount=hours, pricing_public_on_demand_cost=0)
        for cost, hours in ((3, 0), (4, 1), (0, 0))
    ]
    found = {r["EffectiveCost"]: r["ListCost"] for r in asked(delivered(lines), "rows")}
    assert found == {Decimal(3): 0, Decimal(4): None, Decimal(0): 0}


@pytest.mark.parametrize(("net", "cost"), [("4", "9"), ("", "9.5")])
def test_the_unused_part_of_a_pod_is_net_where_its_cost_is(net: str, cost: str) -> None:
    """Split cost 6, net 5; unused 4.5, net 4."""
    unused = {"split_line_item_unused_cost": "4.5", "split_line_item_net_unused_cost": net}
    table = delivered([of("Usage", 0, **POD, **unused), of("Usage", 10, 9)])
    costs = [row["pod_cost"] for row in asked(table, "machines")]
    assert [one for one in costs if one is not None] == [Decimal(cost)]


def flat_tags() -> list[Line]:
    flat = {"resource_tags_user_workload": "w", "resource_tags_user_run": "r"}
    return [of("Usage", 1, **flat)]


def test_tags_that_were_selected_flat_are_read(charged: Charged) -> None:
    (row,) = charged(flat_tags)
    assert (row["workload"], row["run"]) == ("w", "r")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"line_item_currency_code": "EUR"},
         ("Currency (line_item_currency_code) is not USD", "EUR")),
        ({"line_item_unblended_cost": "1,5"}, ("line_item_unblended_cost cannot be read", "1,5")),
        ({"line_item_unblended_cost": ""}, ("line_item_unblended_cost is missing on a line", TRN1)),
        ({"line_item_usage_start_date": "the 2nd"},
         ("line_item_usage_start_date cannot be read", "the 2nd")),
        ({"line_item_usage_start_date": "2027-09-01"},
         ("line_item_usage_start_date is more than 400 days after its billing period",
          "2027-09-01")),
        ({"line_item_usage_end_date": "2025-09-01T23:00:00Z"},
         ("line_item_usage_end_date is before line_item_usage_start_date",
          "2025-09-02T05:00:00Z to 2025-09-01T23:00:00Z")),
        ({"line_item_usage_end_date": "2025-09-03T05:00:01Z"},
         ("accelerator-hours of more than a day on a line",
          f"{TRN1}, 2025-09-02T05:00:00Z to 2025-09-03T05:00:01Z")),
        ({"pricing_public_on_demand_cost": "1_2"},
         ("pricing_public_on_demand_cost cannot be read", "1_2")),
        ({"pricing_public_on_demand_cost": "much"},
         ("pricing_public_on_demand_cost cannot be read", "much")),
        ({"resource_tags": "{"}, ("resource_tags cannot be read", "{")),
        ({"resource_tags_user_run": "a\nb"},
         ("resource_tags_user_run is too long or has a control character on a line", "a\nb")),
        ({"line_item_line_item_type": "SavingsPlanCoveredUsage"},
         ("savings_plan_savings_plan_effective_cost is missing on a line "
          "(SavingsPlanCoveredUsage)", TRN1)),
        ({"line_item_line_item_type": "DiscountedUsage"},
         ("reservation_effective_cost is missing on a line (DiscountedUsage)", TRN1)),
        ({"line_item_line_item_type": "SavingsPlanRecurringFee",
          "savings_plan_total_commitment_to_date": "20"},
         ("savings_plan_used_commitment is missing on a line (SavingsPlanRecurringFee)", TRN1)),
        ({"line_item_line_item_type": "Fee"},
         ("reservation_reservation_a_r_n is missing where there is a Fee", TRN1)),
        ({"line_item_line_item_type": "RIFee"},
         ("reservation_unused_amortized_upfront_fee_for_billing_period is missing on a line "
          "(RIFee)", TRN1)),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_trusted_is_refused(
    columns: dict[str, str], said: tuple[str, str]
) -> None:
    table = delivered([of("Usage", 1), of("Usage", 1) | columns])
    (row,) = asked(table, "refusals")
    assert (row["problem"], row["value"]) == said


def test_only_hours_of_accelerators_have_to_be_of_a_day_or_less() -> None:
    """A report by the day, and fees, storage, other machines and refunds of a month, are read."""
    month = {"line_item_usage_end_date": "2025-10-01T00:00:00Z"}
    lines = [
        of("Usage", 1, line_item_usage_end_date="2025-09-03T05:00:00Z"),
        of("Refund", -1, **month),
        of("Fee", 1, reservation_reservation_a_r_n="", **month),
        of("Usage", 1, line_item_usage_type="EBS:VolumeUsage.gp3", **month),
        of("Usage", 1, line_item_usage_type="BoxUsage:m5.large", **month),
    ]
    assert asked(delivered(lines), "refusals") == []


def test_what_a_report_leaves_out_is_unknown() -> None:
    """The five columns that it cannot do without: no account, no list price, no hours."""
    line = {name: value for name, value in of("Usage", "1.5").items() if name in cur2.REQUIRED}
    table = delivered([line])
    assert asked(table, "refusals") == []
    (row,) = asked(table, "rows")
    unknown = ("BillingAccountId", "ListCost", "ConsumedQuantity", "RegionId", "workload", "run")
    assert [row[name] for name in unknown] == [None] * 6
    assert (row["EffectiveCost"], row["BilledCost"]) == (Decimal("1.5"), Decimal("1.5"))
    (total,) = asked(table, "totals")
    assert (total["account"], float(total["BilledCost"])) == ("||2025-09", 1.5)


def test_doubles_and_text_are_the_same_bill() -> None:
    """AWS writes Parquet amounts as doubles: 0.1 + 0.2 is 0.3."""
    lines = [of("Usage", "0.1", "0.09"), of("Usage", "0.2", "0.18")]
    types = dict.fromkeys(("line_item_unblended_cost", "line_item_net_unblended_cost"), "DOUBLE")
    table = delivered(lines, types)
    (row,) = asked(table, "reduction")
    assert (row["effective_cost"], row["billed_cost"]) == (Decimal("0.27"), Decimal("0.27"))


def test_a_report_keeps_every_cent() -> None:
    """Four lines: two hours of t3.small, storage, a database hour."""
    con = duckdb.connect()
    con.execute("CREATE TABLE lines AS FROM read_csv(?, all_varchar = true)", [str(SAMPLE)])
    table = ibis.duckdb.from_connection(con).table("lines")
    assert asked(table, "refusals") == []
    (total,) = asked(table, "totals")
    assert total["account"] == "123456789012|123456789012|2024-09"
    assert total["BilledCost"] == total["EffectiveCost"] == "0.106632000"
    rows = asked(table, "rows")
    assert [(row["SkuMeter"], row["EffectiveCost"], row["RegionId"]) for row in rows] == [
        ("BoxUsage:t3.small", Decimal("0.024"), "eu-central-1"),
        ("BoxUsage:t3.small", Decimal("0.024"), "eu-central-1"),
        ("TimedStorage-ByteHrs", Decimal("0.037632"), "eu-central-1"),
        ("InstanceUsage:db.t3.micro", Decimal("0.021"), "eu-central-1"),
    ]
