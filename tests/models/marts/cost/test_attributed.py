"""Charges that mean the same become one row, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import duckdb
import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest

from models.config.loading import validated_settings
from models.contract import catalogue
from models.engine.sql import mart_sql, rendering
from models.engine.sql.sql_cache import SqlCache
from models.marts.cost.attributed import attributed
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.instances_without_accelerators import instances_without_accelerators
from models.marts.cost.charges.usage_types import usage_types
from models.marts.cost.settled_days.billed_days import billed_days
from models.marts.cost.settled_days.final_spend import bills
from models.marts.cost.spend_daily import daily_spend

DAY = date(2026, 9, 1)
RUN = {"workload": "atlas", "run": "t1"}
HOURS = {"sku": "BoxUsage:trn1.32xlarge", "unit": "Hours", **RUN}
TRN1, P5, M5 = "trn1.32xlarge", "p5.48xlarge", "m5.large"
P5_HOURS = {"sku": f"BoxUsage:{P5}", "unit": "Hours"}
FEE = {"sku": "CapacityBlockFee:p5.48xlarge", "category": "Purchase", "quantity": None}


def row(billed: int, **said: object) -> dict[str, Any]:
    """A reduced charge of that many dollars on every basis."""
    costs = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
    usual = {"billing_period": DAY, "billing_account": "1", "account": "1", "date": DAY}
    marks = {"named": False, "invoiced": True, "free": billed == 0, "category": "Usage"}
    return {**usual, **marks, "quantity": 1, **dict.fromkeys(costs, billed), **said}


INPUTS = {
    "run_workloads": {"run": "string", "workload": "string"},
    "settled_accounts": {"billing_account": "string", "settled_through": "date"},
    "closed_months": {"month": "string"},
    "known_blocks": {"reservation": "string"},
}


class Said(NamedTuple):
    """The columns of what is given, and the SQL of each table that follows from those before it."""

    columns: Mapping[str, Mapping[str, str]]
    texts: dict[str, str]

    def step(self, name: str, made: ir.Table) -> ir.Table:
        """The table of that name, for those that follow."""
        self.texts[name] = rendering.sql(made)
        return ibis.table(made.schema(), name=name)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Compiled once: only the charges differ."""
    home = tmp_path_factory.mktemp("said")
    settings = validated_settings({"as_of": "2026-10-31"}, home=home)
    columns = {
        "spend_reduced": mart_sql.reduced_columns(settings, SqlCache(home)),
        "catalog": mart_sql.input_columns(settings)["catalog"],
        **INPUTS,
    }
    tables = {name: ibis.table(ibis.schema(dict(of)), name=name) for name, of in columns.items()}
    bill, kinds, owners, accounts, closed, blocks = tables.values()
    said = Said(columns, {})
    meant = said.step("usage_types", usage_types(bill, kinds))
    pods = said.step(
        "instances_without_accelerators", instances_without_accelerators(bill, meant, owners)
    )
    told = said.step("charge_kinds", charge_kinds(bill, meant))
    made = said.step("attributed", attributed(told, owners, pods, blocks, settings))
    said.step(
        "spent",
        daily_spend(
            made.mutate(holders_known=True, cluster_place=ibis.literal("")),
            kinds,
            bills(billed_days(bill)),
            accounts,
            closed,
            settings,
        ),
    )
    return said


def rows_of(
    said: Said, *charges: dict[str, Any], settled: Iterable[Any] = "1", spent: bool = False
) -> list[dict[str, Any]]:
    """What charges become, or what is then spent; those accounts are settled through `DAY`."""
    given: dict[str, list[dict[str, Any]]] = {
        "spend_reduced": list(charges),
        "catalog": [entry._asdict() for entry in catalogue.accelerators()],
        "settled_accounts": [{"billing_account": a, "settled_through": DAY} for a in settled],
    }
    con = duckdb.connect(config={"threads": 1})
    for name, columns in said.columns.items():
        lines = [{column: line.get(column) for column in columns} for line in given.get(name, [])]
        typed = ibis.schema(dict(columns)).to_pyarrow()
        con.register(name, pa.Table.from_pylist(lines, schema=typed))
    *on_the_way, last = said.texts if spent else [name for name in said.texts if name != "spent"]
    for name in on_the_way:
        con.execute(f"CREATE TABLE {name} AS {said.texts[name]}")
    found: list[dict[str, Any]] = con.sql(said.texts[last]).to_arrow_table().to_pylist()
    return found


def found(said: Said, *charges: dict[str, Any]) -> list[Any]:
    """Kind, hours and billed dollars of each row that the charges become."""
    columns = ("attribution", "component", "instance_hours", "billed_cost")
    rows = rows_of(said, *charges)
    return sorted((tuple(line[name] for name in columns) for line in rows), key=str)


def test_a_runs_many_usage_types_are_a_row_for_each_component(said: Said) -> None:
    disks = [row(2, sku=f"EBS:VolumeUsage.{kind}", unit="GB-Mo", **RUN) for kind in ("gp3", "io2")]
    assert found(said, row(20, **HOURS), row(22, **HOURS, provider="AWS"), *disks) == [
        ("direct", "accelerator", Decimal(2), Decimal(42)),
        ("direct", "storage", None, Decimal(4)),
    ]


def test_hours_taken_back_stand_apart_from_hours_used(said: Said) -> None:
    back = row(0, **HOURS, commitment="plan", quantity=-1)
    assert found(said, row(0, **HOURS, commitment="plan"), back) == [
        ("direct", "accelerator", Decimal(-1), Decimal(0)),
        ("direct", "accelerator", Decimal(1), Decimal(0)),
    ]


def test_a_fee_and_its_refund_of_the_same_day_stand_apart(said: Said) -> None:
    assert found(said, row(3000, **FEE), row(-3000, **FEE)) == [
        ("purchase", "other", None, Decimal(-3000)),
        ("purchase", "other", None, Decimal(3000)),
    ]


def test_rows_of_pods_are_no_charges(said: Said) -> None:
    pods = row(1, sku="EKSPod-EC2:trn1.32xlarge", unit="Hours", **RUN)
    assert found(said, row(20, **HOURS), pods) == [
        ("direct", "accelerator", Decimal(1), Decimal(20))
    ]


Told = dict[str, tuple[dict[str, Any], tuple[Any, ...]]]
BUCKETS: Told = {
    "odd provider": ({**HOURS, "provider": "Microsoft", "category": "Tax"}, ("other",)),
    "aws": ({**HOURS, "provider": "AWS"}, ("direct",)),
    "amazon": ({**HOURS, "provider": "Amazon Web Services"}, ("direct",)),
    "tax": ({"category": "Tax", "service": "AWS Support"}, ("tax",)),
    "tax of a block": ({**FEE, "category": "Tax"}, ("tax",)),
    "support": ({**HOURS, "service": "AWS Support (Business)"}, ("support",)),
    "premium": ({"service": "AWSPremiumSupport", "category": "Credit"}, ("support",)),
    "no support": ({"service": "Not AWS Support"}, ("direct",)),
    "credit": ({**HOURS, "category": "Credit", "class": "Correction"}, ("credit",)),
    "lump": ({**HOURS, "class": "Correction"}, ("refund",)),
    "named": ({**HOURS, "class": "Correction", "named": True}, ("direct",)),
    "back": ({"category": "Adjustment"}, ("refund",)),
    "back of a thing": ({"category": "Adjustment", "named": True}, ("direct",)),
    "back of hours": ({**HOURS, "category": "Adjustment"}, ("direct",)),
    "back of a cr": ({"category": "Adjustment", "reservation": "cr-1"}, ("direct",)),
    "back of a plan": ({"category": "Adjustment", "commitment": "sp-1"}, ("direct",)),
    "block": ({**FEE, "category": "Usage"}, ("purchase",)),
    "block back": ({**FEE, "category": "Adjustment", "class": "Correction"}, ("purchase",)),
    "bought": ({"category": "Purchase", "reservation_status": "Unused"}, ("purchase",)),
    "unused plan": ({"commitment": "sp-1", "commitment_status": "Unused"}, ("idle_commitment",)),
    "unused cr": ({**HOURS, "reservation_status": "Unused"}, ("idle_commitment",)),
    "unused box": ({"sku": f"USE2-UnusedBox:{TRN1}"}, ("idle_commitment",)),
    "unused host": ({"sku": f"UnusedDed:{TRN1}"}, ("idle_commitment",)),
    "used plan": ({**HOURS, "commitment": "sp-1", "commitment_status": "Used"}, ("direct",)),
}
OPTIONS: Told = {
    "on demand": (HOURS, ("on_demand",)),
    "spot": ({"sku": f"USW2-SpotUsage:{TRN1}", "commitment": "sp-1"}, ("spot",)),
    "dynamic": ({**HOURS, "pricing_category": "Dynamic"}, ("spot",)),
    "plan": ({**HOURS, "commitment": "sp-1"}, ("committed",)),
    "reserved": ({**HOURS, "pricing_category": "Committed"}, ("committed",)),
    "fee": ({**FEE, "commitment": "cb-1"}, ("capacity_block",)),
}
COMPONENTS: Told = {
    "accelerator": ({**HOURS, "service_category": "Storage"}, ("accelerator",)),
    "host": ({"sku": f"BoxUsage:{M5}", "unit": "Hrs"}, ("other",)),
    "disk": ({"sku": "EBS:VolumeUsage.gp3", "service_category": "Networking"}, ("storage",)),
    "store": ({"sku": "Odd-1", "service_category": "Storage"}, ("storage",)),
    "line": ({"sku": "USE1-DataTransfer-Out-Bytes"}, ("network",)),
    "net": ({"sku": "Odd-2", "service_category": "Networking"}, ("network",)),
    "words": ({"described": "$0.05 per GB-month of Volume"}, ("storage",)),
    "words beside a sku": ({"sku": "Odd-3", "described": "a Volume"}, ("other",)),
    "wordless": ({"service_category": "Databases"}, ("other",)),
}
SECOND = Decimal("0.000277778")
TYPES: Told = {
    "box": (HOURS, (TRN1, 1, 16)),
    "managed": ({"sku": "USE1-Train:ml.p4d.24xlarge"}, ("ml.p4d.24xlarge", 1, 8)),
    "plain box": ({"sku": f"USE1-BoxUsage:{M5}", "unit": "Hrs"}, (M5, 1, None)),
    "inferentia": ({"sku": "BoxUsage:inf2.48xlarge"}, ("inf2.48xlarge", 1, None)),
    "of a zone": ({"sku": f"USW2-LAX1-BoxUsage:{P5}"}, (P5, 1, 8)),
    "fee of each hour": (
        {"sku": f"USW2-EKS-Auto:{TRN1}-management-hours", "unit": "Hours"},
        (None, None, None),
    ),
    "fee of EMR": (
        {"sku": f"USW2-BoxUsage:{P5}", "unit": "Hrs", "service": "Amazon Elastic MapReduce"},
        (P5, None, None),
    ),
    "fee of a service": ({"sku": f"USW2-EKS-Auto:{TRN1}", "unit": "Hours"}, (None, None, None)),
    "no kind": ({"sku": f"{TRN1} on demand", "unit": "HOURS"}, (TRN1, 1, 16)),
    "colon": ({"sku": f"2:{M5}", "unit": "hr"}, (M5, 1, None)),
    "column": ({"sku": "x", "sku_instance_type": TRN1, "unit": "Hour"}, (TRN1, 1, 16)),
    "text": ({"described": f"$21.50 per {TRN1} hour", "unit": "hrs"}, (TRN1, 1, 16)),
    "other text": ({"described": "$1 per odd hour", "unit": "Hours"}, (None, None, None)),
    "sku first": ({**HOURS, "sku_instance_type": P5, "described": P5}, (TRN1, 1, 16)),
    "column first": ({"sku_instance_type": TRN1, "described": P5, "unit": "Hrs"}, (TRN1, 1, 16)),
    "no hours": ({"sku_instance_type": TRN1, "unit": "GB"}, (TRN1, None, None)),
    "no unit": ({"sku_instance_type": TRN1}, (TRN1, None, None)),
    "no type": ({"sku": "x", "unit": "Hours"}, (None, None, None)),
    "disk of a type": ({"sku": "EBS:Volume", "sku_instance_type": TRN1}, (None, None, None)),
    "fee of a type": (FEE, (P5, None, None)),
    "reserved fee": ({"sku": f"HeavyUsage:{P5}", "unit": "Hrs"}, (P5, None, None)),
    "credited hours": ({**HOURS, "category": "Credit"}, (TRN1, None, None)),
    "hours back": ({**HOURS, "category": "Adjustment", "quantity": -2}, (TRN1, -2, -32)),
    "lump of hours": (
        {"sku_instance_type": TRN1, "unit": "Hrs", "category": "Adjustment"},
        (TRN1, None, None),
    ),
    "seconds": ({**HOURS, "unit": "Seconds", "quantity": 5400}, (TRN1, Decimal("1.5"), 24)),
    "a second": ({**HOURS, "unit": "sec"}, (TRN1, SECOND, 16 * SECOND)),
    "seconds of no kind": (
        {"sku_instance_type": TRN1, "unit": "Second", "quantity": 7200},
        (TRN1, 2, 32),
    ),
    "minutes": ({**HOURS, "unit": "Minutes", "quantity": 90}, (TRN1, Decimal("1.5"), 24)),
    "instance hours": ({**HOURS, "unit": "Instance-Hours", "quantity": 3}, (TRN1, 3, 48)),
    "hours of no unit": ({**HOURS, "unit": None}, (TRN1, 1, 16)),
    "another unit": ({**HOURS, "unit": "Requests"}, (TRN1, None, None)),
    "uncounted": ({**HOURS, "quantity": None}, (TRN1, None, None)),
}
RESERVED = "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-1"
BLOCK = "arn:aws:ec2:us-east-1:1:capacity-block/cb-1"
FREE: Told = {
    "block": (P5_HOURS, (True, "capacity_block")),
    "half an hour": ({**P5_HOURS, "quantity": Decimal("0.5")}, (True, "capacity_block")),
    "by its id": ({**P5_HOURS, "commitment": RESERVED}, (True, "capacity_block")),
    "of a block": ({**P5_HOURS, "commitment": BLOCK}, (True, "capacity_block")),
    "of a short id": ({**P5_HOURS, "commitment": "cr-1"}, (True, "capacity_block")),
    "held": ({**P5_HOURS, "reservation_status": "Used"}, (True, "capacity_block")),
    "of another unit": ({**P5_HOURS, "unit": "Requests"}, (True, "capacity_block")),
    "type": ({"sku_instance_type": P5, "unit": "Hours"}, (True, "capacity_block")),
    "plan": ({**P5_HOURS, "commitment": "sp-1"}, (False, "committed")),
    "spot": ({"sku": f"SpotUsage:{P5}"}, (False, "spot")),
    "unused": ({**P5_HOURS, "reservation_status": "Unused"}, (False, "on_demand")),
    "back": ({**P5_HOURS, "quantity": -1}, (False, "on_demand")),
    "none": ({**P5_HOURS, "quantity": 0}, (False, "on_demand")),
    "uncounted": ({**P5_HOURS, "quantity": None}, (False, "on_demand")),
    "host": ({"sku": "BoxUsage:t3.micro", "unit": "Hrs"}, (False, "on_demand")),
    "disk": ({"sku": "EBS:VolumeUsage.gp3"}, (False, "on_demand")),
    "listed": ({**P5_HOURS, "free": False}, (False, "on_demand")),
    "billed": ({**P5_HOURS, "free": False, "billed_cost": -5}, (False, "on_demand")),
}


@pytest.mark.parametrize(
    ("told", "billed", "columns"),
    [
        (BUCKETS, 9, ("attribution",)),
        (OPTIONS, 9, ("purchase_option",)),
        (COMPONENTS, 9, ("component",)),
        (TYPES, 9, ("instance_type", "instance_hours", "accelerator_hours")),
        (FREE, 0, ("unpriced", "purchase_option")),
    ],
    ids=["bucket", "option", "component", "type", "free"],
)
def test_what_a_charge_is_is_read_from_its_own_words(
    said: Said, told: Told, billed: int, columns: tuple[str, ...]
) -> None:
    charges = [
        row(billed, **{**words, "workload": "w", "run": run}) for run, (words, _) in told.items()
    ]
    rows = rows_of(said, *charges)
    assert {line["run"]: tuple(line[name] for name in columns) for line in rows} == {
        run: expected for run, (_, expected) in told.items()
    }
    assert len(rows) == len(told)


def test_what_was_bought_and_not_used_is_a_fee_beside_idle_commitment(said: Said) -> None:
    """Of $90 a month nobody used hours of $30."""
    plan = {"category": "Purchase", "commitment": "sp-1"}
    told = (
        row(90, **plan, commitment_status="Unused", effective_cost=30),
        row(7, **plan),
        row(5, category="Usage", commitment="sp-1", commitment_status="Unused"),
    )
    costs = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
    names = ("attribution", "purchase_option", *costs)
    rows = rows_of(said, *told)
    assert sorted(tuple(line[name] for name in names) for line in rows) == [
        ("idle_commitment", "committed", 0, 0, 30, 0),
        ("idle_commitment", "committed", 5, 5, 5, 5),
        ("purchase", "committed", 97, 97, 7, 97),
    ]


def test_a_day_is_settled_by_its_payer_and_a_month_final_by_its_invoices(said: Said) -> None:
    """Tax needs no invoice of its own, and tax alone makes none."""
    next_day, october = DAY + timedelta(days=1), DAY.replace(month=10)
    tax, open_ = {"category": "Tax"}, {"invoiced": False}
    told = [
        ("1", DAY, DAY, {}, (True, True)),
        ("1", next_day, DAY, {}, (False, True)),
        ("1", DAY, october, open_, (True, False)),
        ("2", DAY, DAY, open_, (True, False)),
        ("2", DAY, DAY, {}, (True, False)),
        ("3", DAY, DAY, tax, (True, False)),
        ("4", DAY, DAY, {}, (True, True)),
        ("4", DAY, DAY, tax | open_, (True, True)),
        (None, DAY, DAY, {}, (True, True)),
    ]
    charges = [
        row(cost, region=str(cost), billing_account=payer, date=day, billing_period=month, **more)
        for cost, (payer, day, month, more, _) in enumerate(told, 1)
    ]
    accounts = ["1", "2", "3", "4", None]
    rows = rows_of(said, *charges, settled=accounts, spent=True)
    states = {(line["billed_cost"], line["settled"], line["final"]) for line in rows}
    assert states == {(n, *expected) for n, (*_, expected) in enumerate(told, 1)}


def test_hardware_is_the_types_and_a_type_repeats_no_charge(said: Said) -> None:
    """One type under four usage types."""
    skus = (f"BoxUsage:{TRN1}", f"SpotUsage:{TRN1}", f"USW2-BoxUsage:{TRN1}", f"BoxUsage:{M5}")
    charges = (row(cost, sku=sku, region=sku) for cost, sku in enumerate(skus, 1))
    rows = rows_of(said, *charges, spent=True)
    names = ("billed_cost", "platform", "hardware", "attribution")
    assert sorted(tuple(line[name] for name in names) for line in rows) == [
        *((cost, "trn1", "trainium", "untagged") for cost in (1, 2, 3)),
        (4, None, None, "other"),
    ]
